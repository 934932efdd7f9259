#pragma once
// `allot run` as a client of the API: creates the Pod and claim of a command, and waits for the share (run_protocol.h).

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/process.h"
#include "base/random.h"
#include "base/status.h"
#include "dialect/share.h"
#include "kube/client.h"
#include "local/run/run_protocol.h"
#include "local/run/run_request_gpus.h"
#include "view/queue.h"

namespace allot::local {

struct RunSpec {
  dialect::Share share;
  std::vector<std::string> argv;
  std::string name;  // the Pod's name; empty: derived from the command
  bool wait = true;  // false: fail if the command can never start on the current devices
};

// Why the command waits.
struct Wait {
  std::string why;     // the scheduler's words
  bool never = false;  // the command can never start on the current devices
  size_t place = 0;    // in the queue, from 1 on; 0: unknown, or not in the queue
  bool away = false;   // the API does not answer; waiting resumes when `allot up` is back

  bool operator==(const Wait&) const = default;
};

class RunRequest {
 public:
  // Creates the Pod and the claim. On an error neither is left behind. `client` must outlive this object.
  static Result<RunRequest> Make(kube::Client& client, const std::string& name_space, const RunSpec& spec, Random& random,
                                 const Cancel& cancel);
  RunRequest(RunRequest&& other) noexcept;
  RunRequest& operator=(RunRequest&&) = delete;
  // Deletes the Pod and the claim, unless Attach has succeeded.
  ~RunRequest();

  const std::string& pod() const { return pod_; }
  // Warnings about the share, for the user.
  const std::vector<std::string>& warnings() const { return warnings_; }

  // Waits for the share. Returns the variables to add to the command's environment. Calls `tell`, which may be null, whenever the reason to
  // wait or the place in the queue changes. kUnavailable if cancelled or the Pod was deleted; kExhausted, with the reason, if the command
  // can never start here.
  Result<Environment> AwaitShare(const Cancel& cancel, const std::function<void(const Wait&)>& tell);
  // Gives the share to the process. Returns when `allot up` has recorded it; from then on the share is held until the process's group is
  // gone.
  Status Attach(const ProcessId& command, const Cancel& cancel);
  // Called after the command's leader has ended. Waits a moment until the share is free, so that the next command finds it. Returns early
  // if other processes of the group keep the share.
  void AwaitFree(const ProcessId& command, const Cancel& cancel);

 private:
  RunRequest(kube::Client& client, std::string name_space) : client_(&client), space_(std::move(name_space)) {}

  // Calls `done` with the Pod (null if it is gone) at each change, and every `again` without a change, until it returns true. Calls `away`,
  // which may be null, each time the API does not answer.
  Status Follow(const Cancel& cancel, std::optional<std::chrono::milliseconds> again,
                const std::function<Result<bool>(const kube::Object* pod)>& done, const std::function<void()>& away = nullptr);
  // The error for a command that can never start; it names the missing GPU if that is the reason.
  Status Never(const std::string& why, const Result<std::vector<OfferedGpu>>& gpus) const;
  Wait WaitOf(const std::string& why, bool never, const Cancel& cancel);

  kube::Client* client_;
  std::string space_, pod_, claim_, uid_;
  dialect::Share share_;
  std::vector<std::string> warnings_;
  bool wait_ = true, attached_ = false;
};

}  // namespace allot::local
