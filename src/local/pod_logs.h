#pragma once
// `kubectl logs` of Pods that run here: the log files, as they are and as they grow.
//
// One thread sends all logs, a piece of each in turn, and a reader that is slow is passed over until it has taken what it was sent: nobody
// waits for anybody else. What is followed ends when the container has ended and all of its log is sent.

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
  // `root` as that of Pods (pods.h), with the folders of one or more nodes; it need not be there yet. All must outlive it.
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
