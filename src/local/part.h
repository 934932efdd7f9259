#pragma once
// A part of `allot up`: a component that runs beside the API and the nodes, such as the scheduler or the runtime of Pods.

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "base/clock.h"
#include "base/file_system.h"
#include "base/log.h"
#include "base/random.h"
#include "base/status.h"
#include "kube/client.h"
#include "local/local_node.h"
#include "local/pods/late_logs.h"
#include "local/state_folder.h"

namespace allot::local {

// All members outlive the part.
struct PartContext {
  kube::Client& client;  // an admin, by the socket, without a rate limit
  StateFolder& folder;
  std::span<const std::unique_ptr<LocalNode>> nodes;  // started; each with its devices
  LateLogs& logs;                                     // for a part that has logs of Pods; it withdraws them before it is stopped
  FileSystem& files;
  const Clock& clock;
  Random& random;  // thread-safe
  Log& log;
  uint64_t open_files = 0;  // the limit for programs: the one that `up` was started with; 0: leave it unchanged
};

class Part {
 public:
  virtual ~Part() = default;

  // Starts the part's threads. On an error `up` does not start. Called once.
  virtual Status Start() = 0;
  // Returns when the part has stopped; containers and commands keep running. May be called on a part that was not started.
  virtual void Stop() = 0;
  // The number of Pods that keep running when the part stops.
  virtual size_t running() const { return 0; }
};

struct PartMaker {
  std::string name;  // for messages: "scheduler"
  std::function<Result<std::unique_ptr<Part>>(const PartContext&)> make;
};

}  // namespace allot::local
