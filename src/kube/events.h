#pragma once
// Records Kubernetes Events about an object, as `kubectl describe` shows them (core/v1).
//
// Promises:
//   1. Record never waits for the server and never fails; an event that cannot be sent is dropped and counted;
//   2. the server is never flooded: a repeated event raises the count of the existing one, similar events are combined, and events about
//      one object are rate-limited;
//   3. memory is bounded by the queue and by the number of remembered keys.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <list>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>

#include "base/cancel.h"
#include "base/clock.h"
#include "base/status.h"
#include "kube/client.h"
#include "kube/object.h"

namespace allot::kube {

struct ObjectReference {
  std::string api_version, kind, namespace_name, name, uid;
  std::string field_path;  // empty: the whole object

  // `type` gives the kind, because objects of a list do not carry it.
  static ObjectReference Of(const ResourceType& type, const Object& object);
};

enum class EventType { kNormal, kWarning };

struct EventOptions {
  std::string component;                   // source.component and reportingComponent
  std::string host;                        // source.host and reportingInstance; empty: none
  size_t max_queue = 1000;                 // events waiting to be sent; more are dropped
  size_t max_message = 1024;               // bytes
  size_t max_keys = 4096;                  // per map; the least recently used key is forgotten
  std::chrono::seconds window{600};        // how long after the last one an event counts as the same or similar
  size_t max_similar = 10;                 // different messages of one object, type and reason; more are combined
  int burst = 25;                          // events of one object and type at once
  std::chrono::seconds refill{300};        // one more event per object and type after each of these
  int tries = 5;                           // attempts to send one event
  std::chrono::milliseconds pause{1'000};  // before the second attempt; doubles
};

// A map of at most `limit` keys that forgets the least recently used. Not thread-safe.
template <typename Value>
class RecentMap {
 public:
  explicit RecentMap(size_t limit) : limit_(limit) {}

  // Returns the value of the key, made if it is missing, and marks the key as newest.
  Value& operator[](const std::string& key) {
    if (const auto found = index_.find(key); found != index_.end()) {
      entries_.splice(entries_.begin(), entries_, found->second);
      return entries_.front().second;
    }
    entries_.emplace_front(key, Value());
    index_[key] = entries_.begin();
    if (entries_.size() > limit_) {
      index_.erase(entries_.back().first);
      entries_.pop_back();
    }
    return entries_.front().second;
  }
  size_t size() const { return entries_.size(); }

 private:
  const size_t limit_;
  std::list<std::pair<std::string, Value>> entries_;  // newest first
  std::unordered_map<std::string, typename std::list<std::pair<std::string, Value>>::iterator> index_;
};

// Something that happened to an object.
struct Occurrence {
  ObjectReference about;
  EventType type = EventType::kNormal;
  std::string reason, message;
  WallTime at;
  MonotonicTime monotonic;
};

// Decides how to report an occurrence. No I/O; not thread-safe.
class EventCorrelator {
 public:
  explicit EventCorrelator(const EventOptions& options)
      : options_(options), similar_(options.max_keys), known_(options.max_keys), spam_(options.max_keys) {}

  struct Decision {
    enum class Kind { kCreate, kCount, kSuppress };
    Kind kind = Kind::kCreate;
    std::string key;  // for OnSent
    std::string namespace_name, name, message;
    int64_t count = 1;
    WallTime first, last;
  };
  Decision Decide(const Occurrence& occurrence);
  // The server has the event: the next occurrence of its key raises the count. Without this call the next one is created again, with its
  // count.
  void OnSent(const Decision& decision) { known_[decision.key].sent = true; }

  size_t keys() const { return known_.size(); }

 private:
  struct Similar {
    std::set<std::string> messages;
    MonotonicTime last;
  };
  struct Known {
    std::string name;  // empty: a new entry
    int64_t count = 0;
    WallTime first;
    MonotonicTime last;
    bool sent = false;
  };
  struct Bucket {
    std::optional<MonotonicTime> last;  // nullopt: the bucket is full
    double tokens = 0;
  };

  bool Combine(const std::string& key, const Occurrence& occurrence);
  bool IsSpam(const std::string& key, MonotonicTime now);
  std::string NewName(const ObjectReference& about, WallTime at);

  const EventOptions options_;
  RecentMap<Similar> similar_;
  RecentMap<Known> known_;
  RecentMap<Bucket> spam_;
  uint64_t last_stamp_ = 0;  // in the last name
};

class EventRecorder {
 public:
  struct Counts {
    uint64_t created = 0, counted = 0;  // sent to the server
    uint64_t suppressed = 0;            // too many for one object
    uint64_t overflowed = 0;            // the queue was full or stopped
    uint64_t failed = 0;                // the server rejected the event, or did not answer any attempt
  };

  // Starts sending. `client` and `clock` must outlive the recorder.
  EventRecorder(Client& client, EventOptions options, const Clock& clock);
  ~EventRecorder() { Stop(); }

  // Thread-safe.
  void Record(const ObjectReference& about, EventType type, std::string_view reason, std::string_view message);

  // Waits until every recorded event is sent or dropped. Returns false if the patience ended.
  bool Flush(const Patience& patience);
  // Drops unsent events (call Flush first to send them). Returns when the thread has ended.
  void Stop();

  Counts counts() const;
  // Why the last event was not sent; ok if it was.
  Status status() const;

 private:
  void Run();
  void Send(const Occurrence& occurrence);
  Status Try(const Occurrence& occurrence, EventCorrelator::Decision& decision);

  Client& client_;
  const EventOptions options_;
  const Clock& clock_;
  EventCorrelator correlator_;  // used only by the thread
  Cancel stop_;

  mutable std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::deque<Occurrence> queue_;
  bool sending_ = false;
  Counts counts_;
  Status status_;

  std::thread thread_;
};

// Returns `text` as valid UTF-8 (broken bytes become U+FFFD) of at most `limit` bytes. A cut text ends in "...". REQUIRES: limit >= 3.
std::string LimitText(std::string_view text, size_t limit);

}  // namespace allot::kube
