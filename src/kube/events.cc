#include "kube/events.h"

#include <poll.h>

#include <algorithm>
#include <cstdio>

#include "base/utf8.h"
#include "json/builder.h"
#include "json/json.h"
#include "kube/timestamp.h"

namespace allot::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using Decision = EventCorrelator::Decision;

constexpr std::string_view kCombined = "(combined from similar events): ";
constexpr size_t kMaxName = 253;

std::string_view NameOf(EventType type) { return type == EventType::kWarning ? "Warning" : "Normal"; }

// Joins the fields with line breaks, which no Kubernetes field contains.
std::string ObjectKey(const Occurrence& occurrence) {
  const ObjectReference& about = occurrence.about;
  return StrCat(about.api_version, "\n", about.kind, "\n", about.namespace_name, "\n", about.name, "\n", about.uid, "\n", about.field_path,
                "\n", NameOf(occurrence.type));
}

void Field(json::Builder& b, std::string_view key, std::string_view value) {
  if (!value.empty()) b.Key(key), b.String(value);
}

std::string EventJson(const Occurrence& occurrence, const Decision& decision, const EventOptions& options) {
  const ObjectReference& about = occurrence.about;
  json::Arena arena;
  json::Builder b(arena);
  b.StartObject();
  Field(b, "apiVersion", types::kEvents.ApiVersion());
  Field(b, "kind", types::kEvents.kind);
  b.Key("metadata"), b.StartObject();
  Field(b, "name", decision.name);
  Field(b, "namespace", decision.namespace_name);
  b.EndObject();
  b.Key("involvedObject"), b.StartObject();
  Field(b, "apiVersion", about.api_version);
  Field(b, "kind", about.kind);
  Field(b, "namespace", about.namespace_name);
  Field(b, "name", about.name);
  Field(b, "uid", about.uid);
  Field(b, "fieldPath", about.field_path);
  b.EndObject();
  Field(b, "type", NameOf(occurrence.type));
  Field(b, "reason", occurrence.reason);
  Field(b, "message", decision.message);
  Field(b, "firstTimestamp", WriteTime(decision.first));
  Field(b, "lastTimestamp", WriteTime(decision.last));
  b.Key("count"), b.Int(decision.count);
  b.Key("source"), b.StartObject();
  Field(b, "component", options.component);
  Field(b, "host", options.host);
  b.EndObject();
  Field(b, "reportingComponent", options.component);
  Field(b, "reportingInstance", options.host);
  b.EndObject();
  return json::Write(b.Finish());
}

std::string PatchJson(const Decision& decision) {
  json::Arena arena;
  json::Builder b(arena);
  b.StartObject();
  b.Key("count"), b.Int(decision.count);
  Field(b, "lastTimestamp", WriteTime(decision.last));
  Field(b, "message", decision.message);
  b.EndObject();
  return json::Write(b.Finish());
}

}  // namespace

std::string LimitText(std::string_view text, size_t limit) {
  static constexpr std::string_view kUnknown = "\xEF\xBF\xBD", kCut = "...";
  std::string out;
  size_t fits = 0;  // length of `out` to keep if the text must be cut
  while (!text.empty()) {
    const size_t length = Utf8Length(text);
    const std::string_view character = length == 0 ? kUnknown : text.substr(0, length);
    if (out.size() + character.size() > limit) return StrCat(out.substr(0, fits), kCut);
    out += character;
    if (out.size() + kCut.size() <= limit) fits = out.size();
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return out;
}

ObjectReference ObjectReference::Of(const ResourceType& type, const Object& object) {
  return {type.ApiVersion(), type.kind, std::string(object.namespace_name()), std::string(object.name()), std::string(object.uid()), ""};
}

Decision EventCorrelator::Decide(const Occurrence& occurrence) {
  const std::string object = ObjectKey(occurrence);
  const std::string group = StrCat(object, "\n", occurrence.reason);
  const bool combined = Combine(group, occurrence);

  Decision decision;
  decision.key = combined ? group : StrCat(group, "\n", occurrence.message);
  decision.message = LimitText(combined ? StrCat(kCombined, occurrence.message) : occurrence.message, options_.max_message);
  // Events about cluster-scoped objects go into "default", where kubectl looks for them.
  decision.namespace_name = occurrence.about.namespace_name.empty() ? "default" : occurrence.about.namespace_name;
  Known& known = known_[decision.key];
  if (known.name.empty() || occurrence.monotonic - known.last > options_.window) {
    known = {NewName(occurrence.about, occurrence.at), 0, occurrence.at, occurrence.monotonic, false};
  }
  known.last = occurrence.monotonic;
  decision.count = ++known.count;  // counts suppressed events too, so the next one sent includes them
  decision.name = known.name;
  decision.first = known.first;
  decision.last = occurrence.at;
  decision.kind = known.sent ? Decision::Kind::kCount : Decision::Kind::kCreate;
  if (IsSpam(object, occurrence.monotonic)) decision.kind = Decision::Kind::kSuppress;
  return decision;
}

bool EventCorrelator::Combine(const std::string& key, const Occurrence& occurrence) {
  Similar& similar = similar_[key];
  if (occurrence.monotonic - similar.last > options_.window) similar.messages.clear();
  similar.last = occurrence.monotonic;
  if (similar.messages.contains(occurrence.message)) return false;
  if (similar.messages.size() >= options_.max_similar) return true;
  similar.messages.insert(occurrence.message);
  return false;
}

bool EventCorrelator::IsSpam(const std::string& key, MonotonicTime now) {
  Bucket& bucket = spam_[key];
  const double burst = options_.burst;
  const double elapsed = bucket.last ? std::chrono::duration<double>(now - *bucket.last) / options_.refill : burst;
  bucket.tokens = std::min(burst, bucket.tokens + elapsed);
  bucket.last = now;
  if (bucket.tokens < 1) return true;
  bucket.tokens -= 1;
  return false;
}

std::string EventCorrelator::NewName(const ObjectReference& about, WallTime at) {
  const auto stamp = static_cast<uint64_t>(std::chrono::nanoseconds(at.time_since_epoch()).count());
  last_stamp_ = std::max(stamp, last_stamp_ + 1);
  char hex[20];
  const int length = std::snprintf(hex, sizeof hex, ".%lx", last_stamp_);
  std::string name = about.name.substr(0, kMaxName - static_cast<size_t>(length));
  while (!name.empty() && (name.back() == '.' || name.back() == '-')) name.pop_back();
  return name + hex;
}

EventRecorder::EventRecorder(Client& client, EventOptions options, const Clock& clock)
    : client_(client), options_(std::move(options)), clock_(clock), correlator_(options_), thread_([this] { Run(); }) {}

void EventRecorder::Record(const ObjectReference& about, EventType type, std::string_view reason, std::string_view message) {
  Occurrence occurrence{about, type, std::string(reason), LimitText(message, options_.max_message), clock_.Now(), clock_.MonotonicNow()};
  const std::lock_guard lock(mutex_);
  if (stop_.requested() || queue_.size() >= options_.max_queue) {
    ++counts_.overflowed;
    return;
  }
  queue_.push_back(std::move(occurrence));
  changed_.notify_all();
}

bool EventRecorder::Flush(const Patience& patience) {
  std::unique_lock lock(mutex_);
  while (!queue_.empty() || sending_) {
    const MonotonicTime now = steady_clock::now();
    if (patience.cancel != nullptr && patience.cancel->requested()) return false;
    if (patience.deadline && now >= *patience.deadline) return false;
    const MonotonicTime soon = now + milliseconds(100);  // a Cancel does not wake a condition variable
    changed_.wait_until(lock, patience.deadline ? std::min(*patience.deadline, soon) : soon);
  }
  return true;
}

void EventRecorder::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_.Request();
    counts_.overflowed += queue_.size();
    queue_.clear();
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

EventRecorder::Counts EventRecorder::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

Status EventRecorder::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

void EventRecorder::Run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return !queue_.empty() || stop_.requested(); });
    if (stop_.requested()) return;
    const Occurrence occurrence = std::move(queue_.front());
    queue_.pop_front();
    sending_ = true;
    lock.unlock();
    Send(occurrence);
    lock.lock();
    sending_ = false;
    changed_.notify_all();
  }
}

void EventRecorder::Send(const Occurrence& occurrence) {
  Decision decision = correlator_.Decide(occurrence);
  Status status;
  if (decision.kind != Decision::Kind::kSuppress) {
    milliseconds pause = options_.pause;
    for (int tries = 1;; ++tries, pause *= 2) {
      status = Try(occurrence, decision);
      // Retry only kUnavailable: the server would reject any other failure again.
      if (status.ok() || status.code() != Code::kUnavailable || tries >= options_.tries || stop_.requested()) break;
      pollfd polled = {stop_.fd(), POLLIN, 0};
      poll(&polled, 1, static_cast<int>(pause.count()));
    }
    if (status.ok()) correlator_.OnSent(decision);
  }
  const std::lock_guard lock(mutex_);
  status_ = status;
  if (!status.ok()) {
    ++counts_.failed;
  } else {
    switch (decision.kind) {
      case Decision::Kind::kCreate: ++counts_.created; break;
      case Decision::Kind::kCount: ++counts_.counted; break;
      case Decision::Kind::kSuppress: ++counts_.suppressed; break;
    }
  }
}

Status EventRecorder::Try(const Occurrence& occurrence, Decision& decision) {
  const Patience patience{std::nullopt, &stop_};
  if (decision.kind == Decision::Kind::kCount) {
    Status status =
        client_.Patch(types::kEvents, decision.namespace_name, decision.name, PatchType::kMerge, PatchJson(decision), "", {}, patience)
            .status();
    if (status.code() != Code::kNotFound) return status;
    decision.kind = Decision::Kind::kCreate;  // the server deletes events after an hour
  }
  Status status = client_.Create(types::kEvents, decision.namespace_name, EventJson(occurrence, decision, options_), {}, patience).status();
  // An earlier attempt whose response was lost created the event.
  return HasReason(status, "AlreadyExists") ? Status() : status;
}

}  // namespace allot::kube
