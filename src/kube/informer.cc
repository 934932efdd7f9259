#include "kube/informer.h"

#include <poll.h>

#include <algorithm>
#include <set>

#include "base/check.h"

namespace allot::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

bool IsOlder(const Object& a, const Object& b) {
  const auto x = VersionNumber(a), y = VersionNumber(b);
  return a.uid() == b.uid() && x && y && *x < *y;
}

// After this many consecutive watches that gave only errors, the informer lists again: the version they start from may be bad.
constexpr int kFruitless = 3;

}  // namespace

Informer::Informer(Client& client, const ResourceType& type, Options options, Random& random, Handler* handler)
    : client_(client), type_(type), options_(std::move(options)), random_(random), handler_(handler) {}

void Informer::Start() {
  CHECK(!thread_.joinable());
  thread_ = std::thread([this] { Run(); });
}

void Informer::Stop() {
  stop_.Request();
  if (thread_.joinable()) thread_.join();
}

Status Informer::AwaitSync(const Patience& patience) const {
  std::unique_lock lock(mutex_);
  while (!synced()) {
    if (stop_.requested() || (patience.cancel != nullptr && patience.cancel->requested())) return Unavailable("cancelled");
    if (patience.deadline && steady_clock::now() >= *patience.deadline) {
      return status_.ok() ? Unavailable("list ", type_.FullName(), ": no answer in time") : status_;
    }
    const MonotonicTime soon = steady_clock::now() + milliseconds(100);  // a Cancel does not wake a condition variable
    changed_.wait_until(lock, patience.deadline ? std::min(*patience.deadline, soon) : soon);
  }
  return Status();
}

Status Informer::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

Informer::Counts Informer::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

void Informer::Run() {
  milliseconds pause = options_.first_pause;
  int fruitless = 0;
  while (!stop_.requested()) {
    const MonotonicTime started = steady_clock::now();
    Status status = resource_version_.empty() ? Relist() : Status();
    const std::string before = resource_version_;
    const bool listed = status.ok();
    if (listed) status = Follow();
    if (stop_.requested()) return;
    if (IsExpired(status)) {
      resource_version_.clear();
      const std::lock_guard lock(mutex_);
      ++counts_.expired;
    }
    // Count only errors that the server answered with: an unreachable server may come back unchanged.
    const bool answered = ApiErrorOf(status) != nullptr || status.code() != Code::kUnavailable;
    fruitless = status.ok() || resource_version_ != before || !listed ? 0 : fruitless + answered;
    if (fruitless >= kFruitless) {
      fruitless = 0;
      resource_version_.clear();
    }
    Note(status);
    // A watch that lasted shows that the trouble is over.
    if (steady_clock::now() - started > options_.longest_pause) pause = options_.first_pause;
    if (status.ok() && steady_clock::now() - started > std::chrono::seconds(1)) continue;
    Pause(pause + milliseconds(random_.Below(static_cast<uint64_t>(pause.count()) + 1)));
    pause = std::min(pause * 2, options_.longest_pause);
  }
}

Status Informer::Relist() {
  {
    const std::lock_guard lock(mutex_);
    ++counts_.lists;
  }
  std::vector<ObjectPtr> listed;
  ListOptions options{options_.label_selector, options_.field_selector, options_.page, "", ""};
  const auto each = [&](const json::Value& value) { listed.push_back(Keep(value)); };
  Result<std::string> version = client_.ListValues(type_, options_.namespace_name, options, each, {std::nullopt, &stop_});
  if (!version.ok() && IsExpired(version.status())) {
    // The server's history was compacted between two pages: list all in one page.
    listed.clear();
    options.limit = 0;
    version = client_.ListValues(type_, options_.namespace_name, options, each, {std::nullopt, &stop_});
  }
  TRY(std::move(version).status());
  if (version->empty()) return Unavailable("list ", type_.FullName(), ": the answer has no resourceVersion");
  Replace(std::move(listed));
  resource_version_ = *version;
  {
    const std::lock_guard lock(mutex_);
    synced_.store(true, std::memory_order_release);
  }
  changed_.notify_all();
  return Status();
}

void Informer::Replace(std::vector<ObjectPtr> listed) {
  std::set<std::pair<std::string_view, std::string_view>> names;
  for (const ObjectPtr& object : listed) names.emplace(object->namespace_name(), object->name());
  for (const ObjectPtr& object : cache_.All()) {
    if (names.contains({object->namespace_name(), object->name()})) continue;
    cache_.Remove(object->namespace_name(), object->name());
    if (handler_ != nullptr) handler_->OnDeleted(object);
  }
  // A list replaces the cache even if the server went back in time (a restored backup).
  for (ObjectPtr& object : listed) Upsert(std::move(object), true);
}

void Informer::Upsert(ObjectPtr object, bool from_list) {
  const ObjectPtr before = cache_.Find(object->namespace_name(), object->name());
  if (before == nullptr) {
    cache_.Put(object);
    if (handler_ != nullptr) handler_->OnAdded(object);
    return;
  }
  if (before->uid() == object->uid()) {
    if (before->resource_version() == object->resource_version()) return;
    if (!from_list && IsOlder(*object, *before)) {
      const std::lock_guard lock(mutex_);
      ++counts_.ignored;
      return;
    }
    cache_.Put(object);
    if (handler_ != nullptr) handler_->OnUpdated(before, object);
    return;
  }
  cache_.Remove(before->namespace_name(), before->name());
  if (handler_ != nullptr) handler_->OnDeleted(before);
  cache_.Put(object);
  if (handler_ != nullptr) handler_->OnAdded(object);
}

Status Informer::Follow() {
  const Patience patience{std::nullopt, &stop_};
  WatchOptions options{options_.label_selector, options_.field_selector, resource_version_, options_.watch_timeout};
  // Spread the timeouts, so that not all informers of a cluster reconnect at once.
  options.timeout -= std::chrono::seconds(random_.Below(static_cast<uint64_t>(options_.watch_timeout.count()) / 2 + 1));
  ASSIGN_OR_RETURN(const std::unique_ptr<Watch> watch, client_.StartWatch(type_, options_.namespace_name, options, patience));
  Note(Status());
  {
    const std::lock_guard lock(mutex_);
    ++counts_.watches;
  }
  for (;;) {
    ASSIGN_OR_RETURN(const std::optional<WatchEvent> event, watch->Next(patience));
    if (!event) return Status();
    TRY(Apply(*event));
  }
}

Status Informer::Apply(const WatchEvent& event) {
  const Object& object = *event.object;
  if (object.resource_version().empty()) return Invalid("watch ", type_.FullName(), ": an event without resourceVersion");
  {
    const std::lock_guard lock(mutex_);
    ++counts_.events;
  }
  switch (event.type) {
    case WatchEvent::Type::kBookmark: break;
    case WatchEvent::Type::kAdded:
    case WatchEvent::Type::kModified: Upsert(Keep(event.object->json()), false); break;
    case WatchEvent::Type::kDeleted: {
      const ObjectPtr before = cache_.Find(object.namespace_name(), object.name());
      if (before == nullptr || before->uid() != object.uid()) {
        const std::lock_guard lock(mutex_);
        ++counts_.ignored;
        break;
      }
      cache_.Remove(object.namespace_name(), object.name());
      if (handler_ != nullptr) handler_->OnDeleted(Keep(event.object->json()));
      break;
    }
  }
  resource_version_ = object.resource_version();
  return Status();
}

ObjectPtr Informer::Keep(const json::Value& value) { return pool_.Copy(value, options_.keep_managed_fields ? "" : "managedFields"); }

void Informer::Note(const Status& status) {
  const std::lock_guard lock(mutex_);
  if (!status.ok()) ++counts_.failures;
  status_ = status;
}

void Informer::Pause(milliseconds time) const {
  pollfd polled = {stop_.fd(), POLLIN, 0};
  poll(&polled, 1, static_cast<int>(time.count()));
}

}  // namespace allot::kube
