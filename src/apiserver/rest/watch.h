#pragma once
// Watches: one thread hands each change to whoever waits for it.
//
// Promises:
//   1. a watch sees every change of its collection after its version, in order, once; or it is told that it cannot (410 Expired);
//   2. objects are not copied: an event is a frame around the text that the store holds;
//   3. a slow watch holds nothing but its place: it is fed from the history when its client has read, and ended when the history has moved
//      on. It delays nobody;
//   4. no writer waits for a watch: a change is announced, and handed out by the hub's own thread, several together where many watch.
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

// An entry as the watch shows it, where that is not its own text: a table, metadata only, another version.
using Shown = std::function<std::shared_ptr<const std::string>(const EntryPtr& entry)>;

struct WatchOptions {
  std::string resource;  // as the store has it
  std::string space;     // empty: all
  Selector selector = {};
  Shown shown = {};               // nothing: the text as it is
  std::string kind, api_version;  // of bookmarks
  uint64_t from = 0;
  std::vector<EntryPtr> initial = {};  // sent first, as ADDED
  bool initial_bookmark = false;       // then a bookmark that says so
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

  // Streams to `writer`, whose head is sent already, until the client goes or the time is up.
  void Add(WatchOptions options, std::shared_ptr<http::ResponseWriter> writer);
  // Ends the watches of a resource: it is not served any more.
  void End(const std::string& resource);

  // `heard` gets every change from now on, in order, on the hub's thread. Where some were missed, it is called with null: look at
  // everything. Before the first write only.
  void Listen(std::function<void(const ChangePtr& change)> heard);

  size_t size() const;

 private:
  struct Watch {
    WatchOptions options;
    std::shared_ptr<http::ResponseWriter> writer;
    uint64_t sent = 0;  // changes up to here were looked at
    size_t next_initial = 0;
    bool behind = false;            // fed from the history, as its client reads
    std::atomic<bool> gone{false};  // the client is
    MonotonicTime end, next_bookmark;
  };
  using WatchPtr = std::shared_ptr<Watch>;

  // What wakes the thread. Its lock is the innermost and held for moments: writers and connections ring while others hold any lock.
  struct Bell {
    void Ring(bool Bell::* what);

    std::mutex mutex;
    std::condition_variable rung;
    bool changed = false;  // there are writes to hand out
    bool came = false;     // a watch did
    bool gone = false;     // a client is
    bool stop = false;
    bool heard = false;  // somebody waits for it: not while the thread rests
  };

  void Run();
  // Waits for the bell, or until `next`; but `rest` first. False: stop.
  bool Wait(MonotonicTime next, MonotonicTime rest);
  // A part of what there is. True: there is more.
  bool Deliver();
  void DeliverOne(const ChangePtr& change);
  void PutAllBehind();
  void CatchUp();
  void KeepTime(MonotonicTime now);
  MonotonicTime NextTime(MonotonicTime now) const;

  // False: the watch is over.
  bool Feed(Watch& watch);
  static bool Send(Watch& watch, const Change& change);
  static bool SendEvent(Watch& watch, std::string_view type, const EntryPtr& entry);
  static bool SendBookmark(Watch& watch, uint64_t version, bool initial_end);
  static void SendExpired(Watch& watch, uint64_t version);

  Store& store_;
  const SystemClock clock_;
  Bell bell_;
  mutable std::mutex mutex_;
  MonotonicTime next_ = MonotonicTime::min();             // when KeepTime has something to do
  uint64_t position_ = 0;                                 // changes up to here were delivered
  std::map<std::string, std::vector<WatchPtr>> watches_;  // by resource
  size_t behind_ = 0;
  size_t handed_out_ = 0;  // events since the thread rested
  bool ended_ = false;
  std::vector<std::function<void(const ChangePtr&)>> listeners_;
  std::thread thread_;
};

// The JSON of an entry with another resourceVersion.
std::string WithOtherVersion(const Entry& entry, uint64_t version);

}  // namespace allot::apiserver
