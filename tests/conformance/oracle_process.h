#pragma once
// The oracle (oracle/README.md) as a child process, which answers questions as Kubernetes decides.

#include <sys/types.h>

#include <string>
#include <string_view>

#include "base/status.h"
#include "json/value.h"

namespace allot::conformance {

class Oracle {
 public:
  // Starts the program at `path`.
  static Result<Oracle> Start(const std::string& path);
  Oracle(Oracle&& other) noexcept;
  Oracle(const Oracle&) = delete;
  Oracle& operator=(const Oracle&) = delete;
  ~Oracle();  // ends the child

  // Sends one line of JSON and reads one. kUnavailable if the child has ended.
  Result<json::Document> Ask(std::string_view question);

 private:
  Oracle(pid_t child, int to, int from) : child_(child), to_(to), from_(from) {}

  pid_t child_;
  int to_, from_;
  std::string buffered_;
};

}  // namespace allot::conformance
