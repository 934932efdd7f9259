#pragma once
// Runs the Pods of one node, as processes of this machine or by podman: what kubelet and its runtime are on a cluster.
//
// Follows the Pods that are bound to the node; each has a worker (pod_worker.h), which a few threads drive. Where it ends, by whatever
// means, the containers go on, and the next one takes them over. State is below ROOT/NODE (pod_folder.h), which nobody else may use.

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/log.h"
#include "kube/informer.h"
#include "kube/queue.h"
#include "local/devices.h"
#include "local/pod_worker.h"

namespace allot::local {

struct PodsOptions {
  std::string node;  // its name
  std::string root;  // a folder, absolute; made for its owner alone
  PodLimits limits = {};
  int workers = 8;
  Containers::Options containers = {};
  const Podman* podman = nullptr;  // must outlive it; null: containers are processes
};

class Pods final : private kube::Informer::Handler {
 public:
  // All must outlive it. A client without a limit of requests (qps 0) is best, as many Pods may come at once.
  Pods(PodsOptions options, kube::Client& client, Devices& devices, FileSystem& files, const Clock& clock, Random& random, Log& log);
  ~Pods() override { Stop(); }

  // Takes over what is there, and follows the node from now on. kUnavailable: the API does not answer in time.
  Status Start(const http::Patience& patience);
  // Lets go: containers run on. Returns when nothing is done for any Pod any more. Gives the number of Pods that go on.
  size_t Stop();

  // Pods that something is there of.
  size_t size() const;

 private:
  struct Entry {
    kube::ObjectPtr latest;  // null: the API has it no more
    std::unique_ptr<PodWorker> worker;
  };

  void OnAdded(const kube::ObjectPtr& pod) override { Put(pod); }
  void OnUpdated(const kube::ObjectPtr& /*before*/, const kube::ObjectPtr& after) override { Put(after); }
  void OnDeleted(const kube::ObjectPtr& last) override;
  void Put(const kube::ObjectPtr& pod);
  void TakeOverGone(const kube::Snapshot& snapshot);
  void Work();
  void WorkOn(const std::string& uid);

  const PodsOptions options_;
  FileSystem& files_;
  Log& log_;
  kube::Queue queue_;  // of uids
  PodClaims claims_;
  Containers containers_;
  kube::EventRecorder events_;
  Cancel stop_;
  PodWorld world_;
  kube::Informer informer_;

  mutable std::mutex mutex_;
  std::map<std::string, Entry> entries_;  // by uid
  std::vector<std::thread> threads_;
};

}  // namespace allot::local
