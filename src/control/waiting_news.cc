#include "control/waiting_news.h"

#include <algorithm>

#include "json/builder.h"
#include "json/editor.h"
#include "json/json.h"
#include "kube/timestamp.h"
#include "sched/conditions.h"

namespace allot::control {
namespace {

using kube::types::kPods;
using sched::kNeverFitsCondition;

constexpr std::string_view kCondition = "PodScheduled";
constexpr size_t kMaxMessage = 2048;  // bytes
constexpr std::chrono::milliseconds kAfterConflict{100}, kAfterError{2000};

std::string TextOf(const News& news) { return StrCat(news.reason, "\n", news.message, news.never ? "\nnever" : ""); }

const json::Value& ConditionOf(const kube::Object& pod, std::string_view type) {
  static const json::Value none{};
  for (const json::Value& one : json::ItemsOf(pod.json()["status"]["conditions"])) {
    if (json::TextOf(one["type"]) == type) return one;
  }
  return none;
}

bool NeverFits(const kube::Object& pod) { return json::TextOf(ConditionOf(pod, kNeverFitsCondition)["status"]) == "True"; }

bool Says(const json::Value& condition, const News& news, const std::string& message) {
  if (json::TextOf(condition["status"]) != "False" || json::TextOf(condition["reason"]) != news.reason) return false;
  // The API server wrote this condition, in its own words, when it created the Pod.
  return json::TextOf(condition["message"]) == message || news.reason == "SchedulingGated";
}

// Adds or removes kNeverFitsCondition. Writes nothing if the Pod has it right already.
void WriteNeverFits(const kube::Object& pod, bool never, WallTime now, json::Builder& b) {
  if (NeverFits(pod) == never) return;
  b.StartObject();
  b.Key("type"), b.String(kNeverFitsCondition);
  if (never) {
    b.Key("status"), b.String("True");
    b.Key("lastTransitionTime"), b.String(kube::WriteTime(now));
  } else {
    b.Key("$patch"), b.String("delete");
  }
  b.EndObject();
}

// Carries the Pod's resourceVersion, so that the API refuses the patch if the Pod was bound in the meantime.
std::string PatchJson(const kube::Object& pod, const json::Value& before, const News& news, const std::string& message, WallTime now) {
  const std::string since = json::TextOf(before["status"]) == "False" && !json::TextOf(before["lastTransitionTime"]).empty()
                                ? std::string(json::TextOf(before["lastTransitionTime"]))
                                : kube::WriteTime(now);
  json::Arena arena;
  json::Builder b(arena);
  b.StartObject();
  b.Key("metadata"), b.StartObject();
  b.Key("uid"), b.String(news.uid);
  b.Key("resourceVersion"), b.String(pod.resource_version());
  b.EndObject();
  b.Key("status"), b.StartObject();
  b.Key("conditions"), b.StartArray(), b.StartObject();
  b.Key("type"), b.String(kCondition);
  b.Key("status"), b.String("False");
  b.Key("reason"), b.String(news.reason);
  b.Key("message"), b.String(message);
  b.Key("lastProbeTime"), b.Null();
  b.Key("lastTransitionTime"), b.String(since);
  if (pod.json()["metadata"]["generation"].IsNumber()) b.Key("observedGeneration"), b.Add(pod.json()["metadata"]["generation"]);
  b.EndObject();
  WriteNeverFits(pod, news.never, now, b);
  b.EndArray();
  b.EndObject();
  b.EndObject();
  return json::Write(b.Finish());
}

}  // namespace

WaitingNews::WaitingNews(NewsOptions options, kube::Client& client, kube::EventRecorder& events, FindPod find, const Clock& clock)
    : options_(options),
      client_(client),
      events_(events),
      find_(std::move(find)),
      clock_(clock),
      limit_(options.per_second, options.burst),
      thread_([this] { Run(); }) {}

void WaitingNews::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_.Request();
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void WaitingNews::Schedule(const std::string& key, Entry& entry, std::optional<MonotonicTime> due) {
  if (entry.due) due_.erase({*entry.due, key});
  entry.due = due;
  if (due) due_.emplace(*due, key);
}

void WaitingNews::Set(std::vector<News> all) {
  const MonotonicTime now = clock_.MonotonicNow();
  const std::lock_guard lock(mutex_);
  std::map<std::string, Entry> kept;
  for (News& news : all) {
    const std::string uid = news.uid;
    auto known = entries_.extract(uid);
    const bool known_before = !known.empty();
    Entry& entry = known_before ? kept.insert(std::move(known)).position->second : kept[uid];
    const bool is_new = !known_before || TextOf(entry.news) != TextOf(news);
    entry.news = std::move(news);
    entry.waits = true;
    if (TextOf(entry.news) == entry.told) {
      Schedule(uid, entry, std::nullopt);
    } else if (is_new) {
      Schedule(uid, entry, std::max(entry.not_before, entry.news.passing ? now + options_.passing : now));
    }
  }
  for (auto& [uid, entry] : entries_) {  // the Pods that no longer wait
    if (!entry.news.never) {
      Schedule(uid, entry, std::nullopt);
      continue;
    }
    // Wait a little: find_ may not have the last write yet.
    if (entry.waits) Schedule(uid, entry, now + options_.passing);
    entry.waits = false;
    kept.emplace(uid, std::move(entry));
  }
  entries_ = std::move(kept);
  changed_.notify_all();
}

void WaitingNews::Run() {
  std::unique_lock lock(mutex_);
  while (!stop_.requested()) {
    const MonotonicTime now = clock_.MonotonicNow();
    if (due_.empty()) {
      changed_.wait(lock);
      continue;
    }
    if (due_.begin()->first > now) {
      changed_.wait_for(lock, due_.begin()->first - now);
      continue;
    }
    if (const auto turn = limit_.Take(now, std::chrono::nanoseconds(0)); !turn) {
      changed_.wait_for(lock, std::chrono::duration<double>(1 / options_.per_second));
      continue;
    }
    const std::string uid = due_.begin()->second;
    Entry& entry = entries_.at(uid);
    Schedule(uid, entry, std::nullopt);
    const News news = entry.news;
    const bool waits = entry.waits;
    lock.unlock();
    const std::optional<std::chrono::milliseconds> again = waits ? Tell(news) : RemoveNeverFits(news);
    lock.lock();
    const auto at = entries_.find(uid);
    if (at == entries_.end()) continue;
    if (!again && !waits && !at->second.waits) {
      Schedule(uid, at->second, std::nullopt);
      entries_.erase(at);
      continue;
    }
    const MonotonicTime then = clock_.MonotonicNow();
    if (!again && waits) {
      at->second.told = TextOf(news);
      at->second.not_before = then + options_.again;
      // During the write, Set may have gone back to the text before this one.
      const bool is_due = at->second.due || TextOf(at->second.news) != at->second.told;
      if (is_due && at->second.waits) Schedule(uid, at->second, std::max(at->second.due.value_or(then), at->second.not_before));
    } else if (!waits && at->second.waits) {
      // Set brought the Pod back while its condition was being removed. Wait a little, as in Set.
      at->second.told.clear();
      if (!at->second.due) Schedule(uid, at->second, std::max(at->second.not_before, then + options_.passing));
    } else if (again && !at->second.due) {
      Schedule(uid, at->second, then + *again);
    }
  }
}

std::optional<std::chrono::milliseconds> WaitingNews::Tell(const News& news) {
  const kube::ObjectPtr pod = find_(news.name_space, news.name);
  if (pod == nullptr || pod->uid() != news.uid) return std::nullopt;
  if (!json::TextOf(pod->json()["spec"]["nodeName"]).empty()) return std::nullopt;
  const std::string message = kube::LimitText(news.message, kMaxMessage);
  const json::Value& before = ConditionOf(*pod, kCondition);
  if (Says(before, news, message) && NeverFits(*pod) == news.never) return std::nullopt;
  const Status status = client_
                            .Patch(kPods, news.name_space, news.name, kube::PatchType::kStrategic,
                                   PatchJson(*pod, before, news, message, clock_.Now()), "status", {}, {std::nullopt, &stop_})
                            .status();
  if (status.code() == Code::kConflict) return kAfterConflict;
  if (status.code() == Code::kUnavailable) return kAfterError;
  if (news.event) {
    events_.Record(kube::ObjectReference::Of(kPods, *pod), kube::EventType::kWarning, "FailedScheduling", message);
  }
  return std::nullopt;
}

std::optional<std::chrono::milliseconds> WaitingNews::RemoveNeverFits(const News& news) {
  const kube::ObjectPtr pod = find_(news.name_space, news.name);
  if (pod == nullptr || pod->uid() != news.uid || !NeverFits(*pod)) return std::nullopt;
  json::Arena arena;
  json::Builder b(arena);
  b.StartObject();
  b.Key("metadata"), b.StartObject(), b.Key("uid"), b.String(news.uid), b.EndObject();
  b.Key("status"), b.StartObject(), b.Key("conditions"), b.StartArray();
  WriteNeverFits(*pod, false, clock_.Now(), b);
  b.EndArray(), b.EndObject(), b.EndObject();
  const Status status = client_
                            .Patch(kPods, news.name_space, news.name, kube::PatchType::kStrategic, json::Write(b.Finish()), "status", {},
                                   {std::nullopt, &stop_})
                            .status();
  return status.code() == Code::kUnavailable ? std::optional(kAfterError) : std::nullopt;
}

}  // namespace allot::control
