#pragma once
// Serves `kubectl logs` of this machine's Pods from the log files, also while they grow.
//
// One thread sends all logs, a piece of each in turn. It skips a slow client until that has received what was sent, so no client waits for
// another. A followed log ends when the container has ended and the whole log is sent.

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "apiserver/pod_actions.h"
#include "apiserver/refusal.h"
#include "base/cancel.h"
#include "base/clock.h"
#include "base/file_system.h"

namespace allot::local {

class LocalPodLogs final : public apiserver::PodLogs {
 public:
  // `root` is that of Pods (pods.h), with the folders of one or more nodes; it need not exist yet. `files` must outlive this object.
  LocalPodLogs(FileSystem& files, std::string root);
  // Ends all streams.
  ~LocalPodLogs() override;

  void Serve(const Request& request, std::shared_ptr<http::ResponseWriter> writer) override;

 private:
  class Stream;

  Result<std::string> FindRun(const Request& request) const;
  void Run();
  void Wake();

  FileSystem& files_;
  const std::string root_;
  const int notify_;  // inotify
  const int wake_;    // eventfd
  Cancel stop_;
  std::mutex mutex_;
  std::list<std::shared_ptr<Stream>> arrived_;
  std::thread thread_;
};

}  // namespace allot::local
