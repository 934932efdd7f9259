#pragma once
// Runs the Pods of one node as processes of this machine, or with podman. It does the job of kubelet and its container runtime.
//
// It watches the Pods bound to the node. Each has a worker (pod_worker.h), and a few threads run the workers. When this process ends or is
// killed, the containers keep running, and the next start takes them over. State is below ROOT/NODE (pod_folder.h), which no other process
// may use.

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
#include "local/pods/pod_worker.h"

namespace allot::local {

struct PodsOptions {
  std::string node;  // the node's name
  std::string root;  // an absolute path; created readable only by its owner
  PodLimits limits = {};
  int workers = 8;
  Containers::Options containers = {};
  const Podman* podman = nullptr;  // must outlive Pods; null: containers are processes
};

class Pods final : private kube::Informer::Handler {
 public:
  // The arguments must outlive this object. Use a client without a rate limit (qps 0): many Pods may come at once.
  Pods(PodsOptions options, kube::Client& client, Devices& devices, FileSystem& files, const Clock& clock, Random& random, Log& log);
  ~Pods() override { Stop(); }

  // Takes over running containers, and starts to watch the node's Pods. kUnavailable if the API does not answer in time.
  Status Start(const Patience& patience);
  // Stops all workers; containers keep running. Returns the number of Pods that keep running.
  size_t Stop();

  // The number of Pods that have a worker.
  size_t size() const;

 private:
  struct Entry {
    kube::ObjectPtr latest;  // null: the API no longer has the Pod
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
  kube::Queue queue_;  // of UIDs
  PodClaims claims_;
  Containers containers_;
  kube::EventRecorder events_;
  Cancel stop_;
  PodWorld world_;
  kube::Informer informer_;

  mutable std::mutex mutex_;
  std::map<std::string, Entry> entries_;  // by UID
  std::vector<std::thread> threads_;
};

}  // namespace allot::local
