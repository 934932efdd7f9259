#include "apiserver/store/store.h"

namespace allot::apiserver {

namespace {

constexpr size_t kBatch = 256;  // writes per transaction
constexpr size_t kBatchBytes = 8 << 20;

}  // namespace

Result<std::unique_ptr<Store>> Store::Open(const std::string& path, const StoreOptions& options) {
  ASSIGN_OR_RETURN(auto database, Database::Open(path));
  // Free pages are reused, so compacting now and then is enough. A full disk prevents it.
  if (const Status status = database->CompactIfWorth(); !status.ok() && status.code() != Code::kExhausted) return status;
  auto store = std::make_unique<Store>(std::move(database), options);
  std::vector<std::shared_ptr<Entry>> entries;
  Result<uint64_t> version = store->database_->Load([&](const Database::Row& row) {
    auto entry = std::make_shared<Entry>();
    entry->key = {std::string(row.resource), std::string(row.space), std::string(row.name)};
    entry->version = row.version;
    entry->uid = row.uid;
    entry->json = row.json;
    if (options.seen) options.seen(row.resource, row.json);
    entries.push_back(std::move(entry));
  });
  if (!version.ok()) return std::move(version).status().Context("store ", path);
  for (std::shared_ptr<Entry>& entry : entries) {
    if (options.index) entry->index = options.index(entry->key.resource, entry->json);
    store->history_.Load(std::move(entry));
  }
  store->history_.Begin(*version);
  return store;
}

// The first request in the queue writes, together with those that arrived while it waited for the disk, in one transaction. A single writer
// needs no other thread, and many writers share one sync.
Result<EntryPtr> Store::Write(const Key& key, uint64_t expected, Draft draft, bool remove) {
  Pending own{.key = key, .expected = expected, .draft = std::move(draft), .remove = remove};
  std::unique_lock lock(mutex_);
  queue_.push_back(&own);
  own.wake.wait(lock, [&] { return own.done || queue_.front() == &own; });
  if (!own.done) {
    std::vector<Pending*> batch;
    size_t bytes = 0;
    for (Pending* one : queue_) {
      if (one->alone || batch.size() == kBatch || bytes > kBatchBytes) break;
      bytes += one->draft.before.size() + one->draft.after.size();
      batch.push_back(one);
    }
    lock.unlock();
    CommitTogether(batch);
    lock.lock();
    for (Pending* one : batch) {
      queue_.pop_front();
      one->done = true;
      if (one != &own) one->wake.notify_one();
    }
    if (!queue_.empty()) queue_.front()->wake.notify_one();
  }
  lock.unlock();
  if (!own.status.ok()) return own.status;
  return EntryPtr(std::move(own.entry));
}

void Store::CommitTogether(const std::vector<Pending*>& batch) {
  std::map<Key, EntryPtr> written;  // in this batch; null: deleted
  std::vector<Database::Row> rows;
  std::vector<ChangePtr> changes;
  std::vector<Pending*> accepted;
  uint64_t version = history_.version();
  for (Pending* one : batch) {
    const auto found = written.find(one->key);
    one->before = found != written.end() ? found->second : history_.Get(one->key);
    const uint64_t current = one->before == nullptr ? 0 : one->before->version;
    if (current != one->expected || (one->remove && current == 0)) {
      one->status = Conflict("the stored version is ", current, ", not ", one->expected);
      continue;
    }
    ++version;
    one->entry = std::make_shared<Entry>();
    one->entry->key = one->key;
    one->entry->version = version;
    one->entry->uid = std::move(one->draft.uid);
    one->entry->json = StrCat(one->draft.before, version, one->draft.after);
    one->entry->index = std::move(one->draft.index);
    const Entry& entry = *one->entry;
    rows.push_back({version, current, one->remove, entry.key.resource, entry.key.space, entry.key.name, entry.uid, entry.json});
    changes.push_back(std::make_shared<Change>(Change{version, one->before, one->entry, one->remove}));
    accepted.push_back(one);
    written[one->key] = one->remove ? nullptr : EntryPtr(one->entry);
  }
  if (rows.empty()) return;
  if (const Status status = database_->Commit(rows); !status.ok()) {
    for (Pending* one : accepted) one->status = status;
    return;
  }
  history_.Apply(changes);
  if (wake_) wake_();
}

Status Store::RunAlone(const std::function<Status()>& run) {
  const Key none;
  Pending own{.key = none, .alone = true};
  std::unique_lock lock(mutex_);
  queue_.push_back(&own);
  own.wake.wait(lock, [&] { return queue_.front() == &own; });
  lock.unlock();
  const Status status = run();
  lock.lock();
  queue_.pop_front();
  if (!queue_.empty()) queue_.front()->wake.notify_one();
  return status;
}

Status Store::Compact() {
  return RunAlone([this] { return database_->Compact(); });
}

Status Store::LimitPages(int pages) {
  return RunAlone([this, pages] { return database_->LimitPages(pages); });
}

}  // namespace allot::apiserver
