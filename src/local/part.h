#pragma once
// What works beside the API and the nodes in the process of `allot up`: the scheduler, the runtime of Pods.

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
#include "local/late_logs.h"
#include "local/local_node.h"
#include "local/state_folder.h"

namespace allot::local {

// All of it outlives the part.
struct PartContext {
  kube::Client& client;  // an admin, by the socket, without a limit of requests
  StateFolder& folder;
  std::span<const std::unique_ptr<LocalNode>> nodes;  // started; each with its devices
  LateLogs& logs;                                     // for who has logs of Pods; they are taken back before the part is stopped
  FileSystem& files;
  const Clock& clock;
  Random& random;  // of the system: for several threads
  Log& log;
  uint64_t open_files = 0;  // that a program may open: what `up` was started with; 0: as it is
};

class Part {
 public:
  virtual ~Part() = default;

  // Works from now on, with threads of its own. An error keeps `up` from starting. Once.
  virtual Status Start() = 0;
  // Returns when nothing of it works any more; what it runs for others goes on. Also where it was not started.
  virtual void Stop() = 0;
  // How much goes on when it stops: Pods.
  virtual size_t running() const { return 0; }
};

struct PartMaker {
  std::string name;  // for messages: "scheduler"
  std::function<Result<std::unique_ptr<Part>>(const PartContext&)> make;
};

}  // namespace allot::local
