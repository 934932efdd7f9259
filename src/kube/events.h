#pragma once
// Kubernetes Events about what we do to an object, as `kubectl describe` shows them (core/v1).
//
// Promises:
//   1. Record never waits for the server and never fails; what cannot be sent is dropped and counted;
//   2. a server is never flooded: the same event again raises the count of the one that is there, similar ones are combined, and of one
//      object only so many come in a time;
//   3. memory is bounded: by the queue, and by the number of keys that are remembered.

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

  // `type` says what the object is, since those of a list do not say it themselves.
  static ObjectReference Of(const ResourceType& type, const Object& object);
};

enum class EventType { kNormal, kWarning };

struct EventOptions {
  std::string component;                   // source.component and reportingComponent
  std::string host;                        // source.host and reportingInstance; empty: none
  size_t max_queue = 1000;                 // events that wait to be sent; more are dropped
  size_t max_message = 1024;               // bytes
  size_t max_keys = 4096;                  // of each kind; the one not used for longest is forgotten
  std::chrono::seconds window{600};        // so long after the last one, an event is the same or similar
  size_t max_similar = 10;                 // different messages of one object, type and reason; more are combined
  int burst = 25;                          // events of one object and type at once,
  std::chrono::seconds refill{300};        // and one more in each of these
  int tries = 5;                           // of sending one
  std::chrono::milliseconds pause{1'000};  // before the second try; doubles
};

// At most the `limit` newest keys. Not thread-safe.
template <typename Value>
class RecentMap {
 public:
  explicit RecentMap(size_t limit) : limit_(limit) {}

  // The value of the key, which is the newest now; a new one where there was none.
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

// Something that happened.
struct Occurrence {
  ObjectReference about;
  EventType type = EventType::kNormal;
  std::string reason, message;
  WallTime at;
  MonotonicTime monotonic;
};

// Decides what becomes of an occurrence. Pure; not thread-safe.
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
  // The server has the event: the next one of its key is counted. A decision without it is created again, with its count.
  void OnSent(const Decision& decision) { known_[decision.key].sent = true; }

  size_t keys() const { return known_.size(); }

 private:
  struct Similar {
    std::set<std::string> messages;
    MonotonicTime last;
  };
  struct Known {
    std::string name;  // empty: new
    int64_t count = 0;
    WallTime first;
    MonotonicTime last;
    bool sent = false;
  };
  struct Bucket {
    std::optional<MonotonicTime> last;  // nothing: full
    double tokens = 0;
  };

  bool Combine(const std::string& key, const Occurrence& occurrence);
  bool IsSpam(const std::string& key, MonotonicTime now);
  std::string NewName(const ObjectReference& about, WallTime at);

  const EventOptions options_;
  RecentMap<Similar> similar_;
  RecentMap<Known> known_;
  RecentMap<Bucket> spam_;
  uint64_t last_stamp_ = 0;  // of a name
};

class EventRecorder {
 public:
  struct Counts {
    uint64_t created = 0, counted = 0;  // sent to the server
    uint64_t suppressed = 0;            // too many of one object
    uint64_t overflowed = 0;            // the queue was full, or stopped
    uint64_t failed = 0;                // the server refused, or did not answer often enough
  };

  // Sends from now on. Both must outlive it.
  EventRecorder(Client& client, EventOptions options, const Clock& clock);
  ~EventRecorder() { Stop(); }

  // Safe to call from any thread.
  void Record(const ObjectReference& about, EventType type, std::string_view reason, std::string_view message);

  // Waits until all that was recorded is sent or dropped. False: out of patience.
  bool Flush(const http::Patience& patience);
  // What is not sent yet is dropped; Flush first to send it. Returns when the thread has ended.
  void Stop();

  Counts counts() const;
  // Why the last event was not sent; ok when it was.
  Status status() const;

 private:
  void Run();
  void Send(const Occurrence& occurrence);
  Status Try(const Occurrence& occurrence, EventCorrelator::Decision& decision);

  Client& client_;
  const EventOptions options_;
  const Clock& clock_;
  EventCorrelator correlator_;  // of the thread
  Cancel stop_;

  mutable std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::deque<Occurrence> queue_;
  bool sending_ = false;
  Counts counts_;
  Status status_;

  std::thread thread_;
};

// `text` as valid UTF-8 (what is none becomes U+FFFD) of at most `limit` bytes; what was cut ends in "...". REQUIRES limit >= 3.
std::string LimitText(std::string_view text, size_t limit);

}  // namespace allot::kube
