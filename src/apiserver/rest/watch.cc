#include "apiserver/rest/watch.h"

#include <algorithm>

#include "apiserver/refusal.h"
#include "json/json.h"

namespace allot::apiserver {

namespace {

// A client with more unread bytes than this is fed from the history. Even with the largest object on top, this is below the limit at which
// the server cuts a stream (http::ServerOptions::max_queued).
constexpr size_t kFull = 1 << 20;
constexpr size_t kEmpty = 256 << 10;  // below this the client gets more
constexpr std::chrono::milliseconds kFeedingTime{5};
constexpr size_t kChangesAtOnce = 256;  // before other users of the hub get their turn
// Rest after each batch, longer for more events, so that with many watches the next events go out together: one write to each client
// instead of many.
constexpr std::chrono::microseconds kRest{10}, kLongestRest{5000};
constexpr std::chrono::microseconds kQuietRest{2000};  // after changes without a watch: only listeners get them, slightly later
constexpr std::chrono::seconds kBookmarkTime{60}, kLastBookmark{2};

using Piece = std::shared_ptr<const std::string>;

const Piece& Frame(std::string_view type) {
  static const Piece added = std::make_shared<std::string>(R"({"type":"ADDED","object":)");
  static const Piece modified = std::make_shared<std::string>(R"({"type":"MODIFIED","object":)");
  static const Piece deleted = std::make_shared<std::string>(R"({"type":"DELETED","object":)");
  return type == "ADDED" ? added : type == "MODIFIED" ? modified : deleted;
}

}  // namespace

std::string WithOtherVersion(const Entry& entry, uint64_t version) {
  const std::string old = StrCat("\"resourceVersion\":\"", entry.version, "\"");
  std::string text = entry.json;
  if (const size_t at = text.find(old); at != std::string::npos)
    text.replace(at, old.size(), StrCat("\"resourceVersion\":\"", version, "\""));
  return text;
}

void WatchHub::Bell::Ring(bool Bell::* what) {
  const std::lock_guard lock(mutex);
  this->*what = true;
  if (heard || stop) rung.notify_one();
}

WatchHub::WatchHub(Store& store) : store_(store), position_(store.version()) {
  store_.OnChange([this] { bell_.Ring(&Bell::changed); });
  thread_ = std::thread([this] { Run(); });
}

WatchHub::~WatchHub() {
  store_.OnChange(nullptr);
  bell_.Ring(&Bell::stop);
  thread_.join();
  const std::lock_guard lock(mutex_);
  ended_ = true;
  for (auto& [resource, watches] : watches_) {
    for (const WatchPtr& watch : watches) watch->writer->End();
  }
}

void WatchHub::Listen(std::function<void(const ChangePtr&)> heard) {
  const std::lock_guard lock(mutex_);
  listeners_.push_back(std::move(heard));
}

size_t WatchHub::size() const {
  const std::lock_guard lock(mutex_);
  size_t count = 0;
  for (const auto& [resource, watches] : watches_) count += watches.size();
  return count;
}

void WatchHub::Add(WatchOptions options, std::shared_ptr<http::ResponseWriter> writer) {
  auto watch = std::make_shared<Watch>();
  const MonotonicTime now = clock_.MonotonicNow();
  watch->sent = options.from;
  watch->end = now + options.timeout;
  watch->next_bookmark = std::min(now + kBookmarkTime, watch->end - kLastBookmark);
  watch->options = std::move(options);
  watch->writer = std::move(writer);
  watch->behind = true;
  const std::weak_ptr<Watch> weak = watch;
  watch->writer->OnDrain([weak] {
    if (const WatchPtr held = weak.lock()) held->writer->End();
  });
  watch->writer->OnGone([this, weak] {
    if (const WatchPtr held = weak.lock()) held->gone = true;
    bell_.Ring(&Bell::gone);
  });
  const std::lock_guard lock(mutex_);
  if (ended_ || !Feed(*watch)) return watch->writer->End();
  behind_ += watch->behind ? 1 : 0;
  next_ = std::min(next_, watch->options.bookmarks ? std::min(watch->end, watch->next_bookmark) : watch->end);
  watches_[watch->options.resource].push_back(watch);
  bell_.Ring(&Bell::came);
}

void WatchHub::End(const std::string& resource) {
  const std::lock_guard lock(mutex_);
  const auto found = watches_.find(resource);
  if (found == watches_.end()) return;
  for (const WatchPtr& watch : found->second) {
    behind_ -= watch->behind ? 1 : 0;
    watch->writer->End();
  }
  watches_.erase(found);
}

bool WatchHub::SendEvent(Watch& watch, std::string_view type, const EntryPtr& entry) {
  static const Piece end = std::make_shared<std::string>("}\n");
  const Piece event[] = {Frame(type), watch.options.shown ? watch.options.shown(entry) : Piece(entry, &entry->json), end};
  return watch.writer->Write(event) == http::WriteState::kAccepted;
}

// With a selector, an object that begins to match is sent as ADDED, and one that stops matching as DELETED, in its last matching state.
bool WatchHub::Send(Watch& watch, const Change& change) {
  const WatchOptions& options = watch.options;
  if (!options.space.empty() && change.after->key.space != options.space) return true;
  const bool was = change.before != nullptr && options.selector.Matches(*change.before);
  const bool is = !change.deleted && options.selector.Matches(*change.after);
  if (!was && !is) return true;
  if (!was) return SendEvent(watch, "ADDED", change.after);
  if (is) return SendEvent(watch, "MODIFIED", change.after);
  if (change.deleted) return SendEvent(watch, "DELETED", change.after);
  auto last = std::make_shared<Entry>(*change.before);
  last->json = WithOtherVersion(*change.before, change.version);
  last->version = change.version;
  return SendEvent(watch, "DELETED", last);
}

bool WatchHub::SendBookmark(Watch& watch, uint64_t version, bool initial_end) {
  const std::string annotations = initial_end ? R"(,"annotations":{"k8s.io/initial-events-end":"true"})" : "";
  return watch.writer->Write(StrCat(R"({"type":"BOOKMARK","object":{"kind":")", watch.options.kind, R"(","apiVersion":")",
                                    watch.options.api_version, R"(","metadata":{"resourceVersion":")", version, "\"", annotations,
                                    "}}}\n")) == http::WriteState::kAccepted;
}

void WatchHub::SendExpired(Watch& watch, uint64_t version) {
  const Status status = Expired(StrCat("too old resource version: ", version));
  watch.writer->Write(StrCat(R"({"type":"ERROR","object":)", WriteStatus(status), "}\n"));
}

// Sends as much of the unsent changes as the client accepts now.
bool WatchHub::Feed(Watch& watch) {
  const auto full = [&] { return watch.writer->queued_bytes() > kFull; };
  const std::vector<EntryPtr>& initial = watch.options.initial;
  while (watch.next_initial < initial.size()) {
    if (full()) return true;
    const EntryPtr& entry = initial[watch.next_initial++];
    if (!SendEvent(watch, "ADDED", entry)) return false;
  }
  if (watch.options.initial_bookmark) {
    if (!SendBookmark(watch, watch.options.from, true)) return false;
    watch.options.initial_bookmark = false;
  }
  watch.options.initial.clear();
  watch.next_initial = 0;
  const auto changes = store_.ChangesSince(watch.options.resource, watch.sent, kChangesAtOnce);
  if (!changes.ok()) {
    SendExpired(watch, watch.sent);
    return false;
  }
  for (const ChangePtr& change : *changes) {
    if (full()) return true;
    if (!Send(watch, *change)) return false;
    watch.sent = change->version;
  }
  watch.behind = changes->size() == kChangesAtOnce;
  return true;
}

void WatchHub::CatchUp() {
  if (behind_ == 0) return;
  for (auto& [resource, watches] : watches_) {
    std::erase_if(watches, [&](const WatchPtr& watch) {
      if (!watch->behind || watch->writer->queued_bytes() > kEmpty) return false;
      const bool goes_on = Feed(*watch);
      if (!goes_on) watch->writer->End();
      if (!goes_on || !watch->behind) --behind_;
      return !goes_on;
    });
  }
}

// The writers were ahead by a whole history. Watches that are not too far behind find the rest there.
void WatchHub::PutAllBehind() {
  for (auto& [resource, watches] : watches_) {
    for (const WatchPtr& watch : watches) {
      behind_ += watch->behind ? 0 : 1;
      watch->behind = true;
    }
  }
  position_ = store_.version();
  for (const auto& heard : listeners_) heard(nullptr);
}

bool WatchHub::Deliver() {
  const auto changes = store_.ChangesSince("", position_, kChangesAtOnce);
  if (!changes.ok()) {
    PutAllBehind();
    return false;
  }
  for (const ChangePtr& change : *changes) DeliverOne(change);
  return changes->size() == kChangesAtOnce;
}

void WatchHub::DeliverOne(const ChangePtr& change) {
  position_ = change->version;
  for (const auto& heard : listeners_) heard(change);
  const auto found = watches_.find(change->after->key.resource);
  if (found == watches_.end()) return;
  std::erase_if(found->second, [&](const WatchPtr& watch) {
    if (watch->behind || watch->sent >= change->version) return false;
    if (watch->writer->queued_bytes() > kFull) {
      watch->behind = true;
      ++behind_;
      return false;
    }
    watch->sent = change->version;
    ++handed_out_;
    if (Send(*watch, *change)) return false;
    watch->writer->End();
    return true;
  });
}

void WatchHub::KeepTime(MonotonicTime now) {
  for (auto& [resource, watches] : watches_) {
    std::erase_if(watches, [&](const WatchPtr& watch) {
      bool over = watch->end <= now || watch->gone;
      if (!over && watch->options.bookmarks && !watch->behind && watch->next_bookmark <= now) {
        over = !SendBookmark(*watch, std::max(watch->sent, position_), false);
        watch->next_bookmark = watch->next_bookmark < watch->end - kLastBookmark ? std::min(now + kBookmarkTime, watch->end - kLastBookmark)
                                                                                 : MonotonicTime::max();
      }
      if (!over) return false;
      behind_ -= watch->behind ? 1 : 0;
      watch->writer->End();
      return true;
    });
  }
}

MonotonicTime WatchHub::NextTime(MonotonicTime now) const {
  MonotonicTime next = now + std::chrono::seconds(60);
  for (const auto& [resource, watches] : watches_) {
    for (const WatchPtr& watch : watches) {
      next = std::min(next, watch->end);
      if (watch->options.bookmarks) next = std::min(next, watch->next_bookmark);
    }
  }
  return next;
}

bool WatchHub::Wait(MonotonicTime next, MonotonicTime rest) {
  std::unique_lock lock(bell_.mutex);
  if (rest > clock_.MonotonicNow()) bell_.rung.wait_until(lock, rest, [this] { return bell_.stop; });
  bell_.heard = true;
  bell_.rung.wait_until(lock, next, [this] { return bell_.changed || bell_.came || bell_.gone || bell_.stop; });
  bell_.heard = false;
  return !bell_.stop;
}

void WatchHub::Run() {
  MonotonicTime next = MonotonicTime::min(), rest = next;
  while (Wait(next, rest)) {
    std::unique_lock bell(bell_.mutex);
    const bool changed = std::exchange(bell_.changed, false), gone = std::exchange(bell_.gone, false);
    bell_.came = false;
    bell.unlock();
    const std::lock_guard lock(mutex_);
    const bool more = changed && Deliver();
    CatchUp();
    const MonotonicTime now = clock_.MonotonicNow();
    if (gone || next_ <= now) {
      KeepTime(now);
      next_ = NextTime(now);
    }
    if (more) bell_.Ring(&Bell::changed);
    next = behind_ > 0 ? now + kFeedingTime : next_;
    const size_t events = std::exchange(handed_out_, 0);
    rest = now + (changed && events == 0 ? kQuietRest : std::min<MonotonicTime::duration>(events * kRest, kLongestRest));
  }
}

}  // namespace allot::apiserver
