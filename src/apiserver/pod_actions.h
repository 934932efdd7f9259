#pragma once
// What is done to Pods by subresources: binding, eviction, logs.

#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "apiserver/api.h"
#include "http/server.h"

namespace allot::apiserver {

// Assigns the Pod to the node that the Binding names. 409 where it is bound, deleted or held by scheduling gates.
Status BindPod(Api& api, const Caller& caller, const Target& pod, const json::Value& binding, bool dry_run);

// Deletes the Pod as the Eviction's deleteOptions say.
Status EvictPod(Api& api, const Caller& caller, const Target& pod, const json::Value& eviction, bool dry_run);

// Where the output of containers is. Thread-safe.
class PodLogs {
 public:
  struct Request {
    std::string space, pod, uid, container;
    bool follow = false, previous = false, timestamps = false;
    std::optional<int64_t> tail_lines, limit_bytes;
    std::optional<WallTime> since;
    std::set<std::string, std::less<>> labels{};  // the names of the Pod's
  };

  virtual ~PodLogs() = default;
  // Answers by itself, now or as the log grows.
  virtual void Serve(const Request& request, std::shared_ptr<http::ResponseWriter> writer) = 0;
};

// The container that a request for logs means: the only one, or the one that is named. 400 where that is none of the Pod's.
Result<std::string> ContainerOf(const json::Value& pod, std::string_view asked);

}  // namespace allot::apiserver
