#pragma once
// Actions on Pods through subresources: binding, eviction, logs.

#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "apiserver/api.h"
#include "http/server.h"

namespace allot::apiserver {

// Assigns the Pod to the node in the Binding. 409 if the Pod is bound, being deleted or has scheduling gates.
Status BindPod(Api& api, const Caller& caller, const Target& pod, const json::Value& binding, bool dry_run);

// Deletes the Pod with the Eviction's deleteOptions.
Status EvictPod(Api& api, const Caller& caller, const Target& pod, const json::Value& eviction, bool dry_run);

// Serves the output of containers. Thread-safe.
class PodLogs {
 public:
  struct Request {
    std::string space, pod, uid, container;
    bool follow = false, previous = false, timestamps = false;
    std::optional<int64_t> tail_lines, limit_bytes;
    std::optional<WallTime> since;
    std::set<std::string, std::less<>> labels{};  // names of the Pod's labels
  };

  virtual ~PodLogs() = default;
  // Sends the response, now or as the log grows.
  virtual void Serve(const Request& request, std::shared_ptr<http::ResponseWriter> writer) = 0;
};

// Returns the container that a request for logs means: the named one, or the only one. 400 if the Pod has no such container.
Result<std::string> ContainerOf(const json::Value& pod, std::string_view asked);

}  // namespace allot::apiserver
