#include "apiserver/controllers/loop.h"

#include <charconv>

namespace allot::apiserver {

namespace {

constexpr int kRetriesBeforeLog = 5;  // fewer failures are usually conflicts or the order of events

kube::QueueOptions Pauses() {
  kube::QueueOptions options;
  options.longest_pause = std::chrono::seconds(30);
  options.retries_per_second = 50;
  return options;
}

}  // namespace

Loop::Loop(Api& api, const Clock& clock, Log* log) : world_{api, clock}, log_(log), queue_(Pauses()) {
  world_.catch_up = [this] { CatchUp(); };
}

void Loop::Add(std::unique_ptr<Controller> controller) {
  controller->SendKeysTo([this, prefix = StrCat(controllers_.size(), "/")](const Key& key) {
    // Object names have no slash, but an owner reference may contain one.
    if (key.name.find('/') == std::string::npos) queue_.Add(StrCat(prefix, WriteKey(key)));
  });
  controllers_.push_back(std::move(controller));
}

void Loop::Notice(const Sight& sight) {
  std::vector<std::string> owners;
  if (!sight.deleted() && sight.Mentions("\"ownerReferences\"")) owners = OwnersOf(sight.json());
  // Update the index last: controllers of owners need the references before the change.
  for (const auto& controller : controllers_) controller->Notice(sight);
  world_.owners.Set(sight.key(), std::move(owners));
}

void Loop::PassOver(const Key& key) {
  damaged_.insert(key);
  if (log_ != nullptr) log_->Error("skipping an unreadable object", {{"key", WriteKey(key)}});
}

void Loop::LookAtEverything() {
  position_ = world_.store().version();  // later writes are noticed once more
  world_.owners.Clear();
  damaged_.clear();
  for (const auto& controller : controllers_) controller->Forget();
  std::set<std::string> seen;
  for (const auto& kind : world_.api.kinds()->all()) {
    if (kind->empty || !seen.insert(kind->type.FullName()).second) continue;
    for (EntryPtr& entry : world_.store().List(kind->type.FullName(), "").entries) {
      const Sight sight(std::move(entry), true, false);
      sight.damaged() ? PassOver(sight.key()) : Notice(sight);
    }
  }
}

void Loop::CatchUp() {
  const auto changes = world_.store().ChangesSince("", position_);
  if (!changes.ok()) return LookAtEverything();
  for (const ChangePtr& change : *changes) {
    position_ = change->version;
    damaged_.erase(change->after->key);  // this version can be read
    Notice(Sight(change->after, change->before == nullptr, change->deleted));
  }
}

bool Loop::Step() {
  CatchUp();
  const MonotonicTime now = world_.clock.MonotonicNow();
  const std::optional<std::string> key = queue_.Take(now);
  if (!key) return false;
  const size_t slash = key->find('/');
  size_t number = 0;
  std::from_chars(key->data(), key->data() + slash, number);
  Controller& controller = *controllers_.at(number);
  const Key object = ReadKey(std::string_view(*key).substr(slash + 1));
  const Result<Again> again = damaged_.contains(object) ? Result<Again>(Again()) : controller.Reconcile(object);
  if (again.ok()) {
    queue_.Forget(*key);
    if (*again) queue_.AddAfter(*key, **again, now);
  } else {
    queue_.Retry(*key, now);
    if (log_ != nullptr && queue_.retries(*key) > kRetriesBeforeLog) {
      log_->Warning("a controller failed and retries",
                    {{"controller", controller.name()}, {"key", key->substr(slash + 1)}, {"error", again.status().ToString()}});
    }
  }
  queue_.Done(*key);
  return true;
}

}  // namespace allot::apiserver
