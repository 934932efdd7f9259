#pragma once
// Keeps the ResourceSlices of this node as they are wanted, for ever: writes them, watches them, mends them.
//
// Promises:
//   1. slices that were deleted (kubelet does that when it starts) or changed by somebody else are back at once; whoever does it again and
//      again is answered with growing pauses, and status() says so;
//   2. a GPU that is meant to be shared is never offered through a server that would make it exclusive: the server is asked first, by
//      creating a slice without storing it, whether it keeps the fields. Without them the GPU is left out, and status() names the gate;
//      the same for devices with a taint that keeps claims away;
//   3. slices that are as wanted are not written, so that a restart is not noticed by anybody;
//   4. the slices stay when this ends: kubelet removes them when the driver stays away.
// What fails is tried again with growing pauses.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/cancel.h"
#include "base/clock.h"
#include "base/random.h"
#include "base/status.h"
#include "json/value.h"
#include "kube/client.h"
#include "kube/informer.h"
#include "kube/mutation.h"
#include "kube/rate_limit.h"
#include "node/offer.h"
#include "node/slice_sync.h"

namespace allot::node {

struct PublisherOptions {
  std::string driver, node_name;
  std::chrono::milliseconds first_pause{500}, longest_pause{30'000};  // after what failed
  std::chrono::milliseconds settle{50};                               // who deletes one slice often deletes the next: heard of together
  std::chrono::milliseconds ask_again{60'000};                        // the server for what it could not store
  std::chrono::milliseconds look_around{10'000};                      // for a server that was away and may be another one now
  double repairs_per_second = 0.1;                                    // of what others changed, on average;
  int repair_burst = 5;                                               // that many at once
};

// What the server has.
struct Publication {
  // Ok: all that is wanted. Else what is in the way, or why something is left out.
  Status status;
  int64_t generation = 0;  // of the pool; 0: nothing is published yet
  size_t slices = 0, devices = 0;

  friend bool operator==(const Publication& a, const Publication& b) {
    return a.status.code() == b.status.code() && a.status.message() == b.status.message() && a.generation == b.generation &&
           a.slices == b.slices && a.devices == b.devices;
  }
};

// Thread-safe.
class Publisher final : private kube::Informer::Handler {
 public:
  // Told of each change of status(), by the publisher's thread; may be empty. Must not call Stop.
  using OnChange = std::function<void(const Publication&)>;

  // All must outlive it. Works from Start on.
  Publisher(kube::Client& client, PublisherOptions options, Random& random, const Clock& clock, OnChange on_change = {});
  ~Publisher() override { Stop(); }

  void Start();

  // `slices` (offer.h) is what the node offers from now on; the latest counts. Returns at once.
  void Publish(json::Document slices);

  Publication status() const;

  // What is on the server: a restarted agent learns from it what it had promised (ReadPolicies) and heard (ReadErrors). From Start on;
  // kUnavailable when they cannot be listed in time.
  Result<std::vector<kube::ObjectPtr>> Slices(const http::Patience& patience) const;

  // Returns when the thread has ended. The slices stay.
  void Stop();

 private:
  struct Work {
    std::shared_ptr<const json::Document> slices;
    bool repair = false;  // nothing new is wanted: somebody else did something
  };

  void OnAdded(const kube::ObjectPtr&) override { Heard(); }
  void OnUpdated(const kube::ObjectPtr&, const kube::ObjectPtr&) override { Heard(); }
  void OnDeleted(const kube::ObjectPtr& last) override;

  void Heard();
  void Run();
  // Waits for something to do; nothing: stopped.
  std::optional<Work> Await();
  void Finish(Status failed);
  void Tell(const std::function<void(Publication&)>& change);

  // Makes the server's slices what is wanted, as far as the server can hold it.
  Status Sync(const Work& work);
  // Whether the limit of repairs leaves this one. What was begun may be tried again.
  bool MayWrite(const Work& work);
  Status AskFeatures();
  Status LearnNode();
  Status Execute(const SliceOperation& operation, const DesiredPool& pool);
  Status CheckAnswer(const kube::ObjectPtr& answer, const json::Value& sent);
  // Why something is left out; ok where nothing is.
  Result<Dropped> Ask(const json::Value& slices);
  Status Shortfall(const Reduced& reduced) const;
  std::vector<kube::ObjectPtr> Existing();

  kube::Client& client_;
  const PublisherOptions options_;
  const OnChange on_change_;
  kube::Informer informer_;
  kube::MutationCache slices_;
  Cancel stop_;
  std::thread thread_;

  // Of the thread.
  std::optional<ServerFeatures> features_;  // nothing: to be asked for
  MonotonicTime asked_at_;
  uint64_t failures_seen_ = 0;     // of the informer: more of them mean that the server was away
  std::set<std::string> adopted_;  // resourceVersions that the server made of our writes, and that are no better after another one
  std::string node_uid_;
  kube::RateLimit repairs_;
  bool paid_ = false;  // what is to be done was begun already
  std::chrono::milliseconds pause_;

  mutable std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::shared_ptr<const json::Document> wanted_;  // null: nothing was published yet
  bool renewed_ = false;                          // wanted_ is new
  std::optional<MonotonicTime> due_;              // when to look at the slices next; nothing: when something happens
  bool node_in_doubt_ = true;                     // it may be another one of the same name, with another UID
  std::set<std::string, std::less<>> gone_;       // names of slices that were deleted since the last look began
  Publication publication_;
};

}  // namespace allot::node
