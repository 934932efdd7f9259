#pragma once
// Watches: one thread passes each change to the watches that wait for it.
//
// Promises:
//   1. a watch sees every change of its collection after its version once, in order, or is told that it cannot (410 Expired);
//   2. objects are not copied: an event is a frame around the store's text;
//   3. a slow watch holds only its position: it is fed from the history as its client reads, and ended when the history has moved on. It
//      delays no other watch;
//   4. writers do not wait for watches: a write only wakes the hub's thread, which delivers changes, several together if there are many
//      watches.
// Thread-safe. Outlives the server whose responses it writes to.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "apiserver/selector.h"
#include "apiserver/store/store.h"
#include "base/clock.h"
#include "http/server.h"

namespace allot::apiserver {

// Returns an entry as the watch shows it, if that is not its own text: a table, metadata only, another version.
using Shown = std::function<std::shared_ptr<const std::string>(const EntryPtr& entry)>;

struct WatchOptions {
  std::string resource;  // as the store names it
  std::string space;     // empty: all
  Selector selector = {};
  Shown shown = {};               // empty: the text as it is
  std::string kind, api_version;  // of bookmarks
  uint64_t from = 0;
  std::vector<EntryPtr> initial = {};  // sent first, as ADDED
  bool initial_bookmark = false;       // then a bookmark that marks their end
  bool bookmarks = false;
  std::chrono::seconds timeout{0};
};

class WatchHub {
 public:
  explicit WatchHub(Store& store);
  // Ends all watches.
  ~WatchHub();
  WatchHub(const WatchHub&) = delete;
  WatchHub& operator=(const WatchHub&) = delete;

  // Streams to `writer`, whose head is already sent, until the client goes away or the time is up.
  void Add(WatchOptions options, std::shared_ptr<http::ResponseWriter> writer);
  // Ends the watches of a resource that is not served any more.
  void End(const std::string& resource);

  // `heard` receives every change from now on, in order, on the hub's thread. If changes were missed it is called with null: scan
  // everything. Call only before the first write.
  void Listen(std::function<void(const ChangePtr& change)> heard);

  size_t size() const;

 private:
  struct Watch {
    WatchOptions options;
    std::shared_ptr<http::ResponseWriter> writer;
    uint64_t sent = 0;  // changes up to this version were processed
    size_t next_initial = 0;
    bool behind = false;            // fed from the history as its client reads
    std::atomic<bool> gone{false};  // the client is gone
    MonotonicTime end, next_bookmark;
  };
  using WatchPtr = std::shared_ptr<Watch>;

  // Wakes the thread. Its lock is the innermost one and held briefly: writers and connections ring while they hold other locks.
  struct Bell {
    void Ring(bool Bell::* what);

    std::mutex mutex;
    std::condition_variable rung;
    bool changed = false;  // there are writes to deliver
    bool came = false;     // a watch was added
    bool gone = false;     // a client is gone
    bool stop = false;
    bool heard = false;  // the thread waits for the bell: false while it rests
  };

  void Run();
  // Rests until `rest`, then waits for the bell or until `next`. Returns false to stop.
  bool Wait(MonotonicTime next, MonotonicTime rest);
  // Delivers some of the changes. Returns whether there are more.
  bool Deliver();
  void DeliverOne(const ChangePtr& change);
  void PutAllBehind();
  void CatchUp();
  void KeepTime(MonotonicTime now);
  MonotonicTime NextTime(MonotonicTime now) const;

  // Returns false if the watch is over.
  bool Feed(Watch& watch);
  static bool Send(Watch& watch, const Change& change);
  static bool SendEvent(Watch& watch, std::string_view type, const EntryPtr& entry);
  static bool SendBookmark(Watch& watch, uint64_t version, bool initial_end);
  static void SendExpired(Watch& watch, uint64_t version);

  Store& store_;
  const SystemClock clock_;
  Bell bell_;
  mutable std::mutex mutex_;
  MonotonicTime next_ = MonotonicTime::min();             // when KeepTime is next due
  uint64_t position_ = 0;                                 // changes up to this version were delivered
  std::map<std::string, std::vector<WatchPtr>> watches_;  // by resource
  size_t behind_ = 0;
  size_t handed_out_ = 0;  // events since the thread last rested
  bool ended_ = false;
  std::vector<std::function<void(const ChangePtr&)>> listeners_;
  std::thread thread_;
};

// Returns the JSON of an entry with another resourceVersion.
std::string WithOtherVersion(const Entry& entry, uint64_t version);

}  // namespace allot::apiserver
