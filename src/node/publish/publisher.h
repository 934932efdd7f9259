#pragma once
// Keeps the ResourceSlices of one driver on this node as they are wanted: writes them, watches them and repairs them.
//
// Promises:
//   1. slices that were deleted (kubelet does that when it starts) or changed by another client are back at once. If that happens again and
//      again, the pauses grow and status() says so;
//   2. a shared device is never offered through a server that would make it exclusive. The publisher first asks the server with a dry run
//      whether it keeps the fields. If it does not, the device is left out and status() names the feature gate. The same holds for devices
//      with a taint that keeps claims away;
//   3. slices that are as wanted are not written, so that a restart of the agent changes nothing;
//   4. the slices stay when the publisher ends: kubelet removes them if the driver does not come back.
// Failed work is tried again with growing pauses.

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
#include "node/publish/slice_sync.h"
#include "node/publish/slices.h"

namespace allot::node {

struct PublisherOptions {
  std::string driver, node_name;
  std::string offer_whole;                                            // Driver::offer_whole
  std::chrono::milliseconds first_pause{500}, longest_pause{30'000};  // after a failure
  std::chrono::milliseconds settle{50};           // after a deletion, since a client that deletes one slice often deletes the next
  std::chrono::milliseconds ask_again{60'000};    // until the server is asked again about fields that it did not keep
  std::chrono::milliseconds look_around{10'000};  // between two looks whether the server was away and may be another one now
  double repairs_per_second = 0.1;                // of changes by other clients, on average
  int repair_burst = 5;                           // repairs at once
};

// What the server has.
struct Publication {
  // Ok if everything that is wanted is published. Otherwise says what is in the way, or why something is left out.
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
  // Called with each change of status(), by the publisher's thread. May be empty. Must not call Stop.
  using OnChange = std::function<void(const Publication&)>;

  // All references must outlive it. Works from Start on.
  Publisher(kube::Client& client, PublisherOptions options, Random& random, const Clock& clock, OnChange on_change = {});
  ~Publisher() override { Stop(); }

  void Start();

  // Sets the slices document (slices.h) that is wanted from now on. Returns at once.
  void Publish(json::Document slices);

  Publication status() const;

  // Returns the slices on the server, from which a restarted agent learns what it published before. Requires Start. kUnavailable: they
  // could not be listed in time.
  Result<std::vector<kube::ObjectPtr>> Slices(const Patience& patience) const;

  // Returns when the thread has ended. The slices stay.
  void Stop();

 private:
  struct Work {
    std::shared_ptr<const json::Document> slices;
    bool repair = false;  // nothing new is wanted; another client made a change
  };

  void OnAdded(const kube::ObjectPtr&) override { Heard(); }
  void OnUpdated(const kube::ObjectPtr&, const kube::ObjectPtr&) override { Heard(); }
  void OnDeleted(const kube::ObjectPtr& last) override;

  void Heard();
  void Run();
  // Waits for work. Nothing: stopped.
  std::optional<Work> Await();
  void Finish(Status failed);
  void Tell(const std::function<void(Publication&)>& change);

  // Makes the server's slices those that are wanted, as far as the server can store them.
  Status Sync(const Work& work);
  // Whether the limit of repairs allows this one. Work that was begun may be tried again.
  bool MayWrite(const Work& work);
  Status AskFeatures();
  Status LearnNode();
  Status Execute(const SliceOperation& operation, const DesiredPool& pool);
  Status CheckAnswer(const kube::ObjectPtr& answer, const json::Value& sent);
  // Asks the server, with a dry run, which fields it drops.
  Result<Dropped> Ask(const json::Value& slices);
  // Ok if nothing is left out. Otherwise says why something is.
  Status Shortfall(const Reduced& reduced) const;
  std::vector<kube::ObjectPtr> Existing();

  kube::Client& client_;
  const PublisherOptions options_;
  const OnChange on_change_;
  kube::Informer informer_;
  kube::MutationCache slices_;
  Cancel stop_;
  std::thread thread_;

  // Used by the thread alone.
  std::optional<ServerFeatures> features_;  // nothing: the server has to be asked
  MonotonicTime asked_at_;
  uint64_t failures_seen_ = 0;     // of the informer; more of them mean that the server was away
  std::set<std::string> adopted_;  // resourceVersions of slices that the server stored differently; writing them again would not help
  std::string node_uid_;
  kube::RateLimit repairs_;
  bool paid_ = false;  // the present work was begun and counts as one repair
  std::chrono::milliseconds pause_;

  mutable std::mutex mutex_;  // of the members below
  std::condition_variable changed_;
  std::shared_ptr<const json::Document> wanted_;  // null: Publish was not called yet
  bool renewed_ = false;                          // wanted_ is new
  std::optional<MonotonicTime> due_;              // when to look at the slices next; nothing: after the next change
  bool node_in_doubt_ = true;                     // the Node may be another one of the same name, with another UID
  std::set<std::string, std::less<>> gone_;       // names of slices that were deleted since the last look began
  Publication publication_;
};

}  // namespace allot::node
