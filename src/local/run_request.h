#pragma once
// `allot run` as a client of the API: the Pod and claim that stand for a command, and waiting for their turn (run_protocol.h).

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
#include "local/run_protocol.h"
#include "local/run_request_gpus.h"
#include "local/run_request_place.h"

namespace allot::local {

struct RunSpec {
  dialect::Share share;
  std::vector<std::string> argv;
  std::string name;  // of the Pod; empty: made of the command's
  bool wait = true;  // also where it can never start as things are; else that is an error
};

// What who waits is told.
struct Wait {
  std::string why;     // the scheduler's words
  bool never = false;  // it can never start as things are
  size_t place = 0;    // in the queue, from 1 on; 0: not known, or in none
  bool away = false;   // nobody answers: it goes on when `allot up` is back

  bool operator==(const Wait&) const = default;
};

class RunRequest {
 public:
  // Makes the Pod and the claim. Errors name what is wrong; nothing is left then. `client` must outlive it.
  static Result<RunRequest> Make(kube::Client& client, const std::string& name_space, const RunSpec& spec, Random& random,
                                 const Cancel& cancel);
  RunRequest(RunRequest&& other) noexcept;
  RunRequest& operator=(RunRequest&&) = delete;
  // Takes it back, unless the command was begun.
  ~RunRequest();

  const std::string& pod() const { return pod_; }

  // Waits for its turn. `tell` hears whenever why it waits, or its place, changes; null: nobody wants to know. The environment that the
  // command gets on top of its own. kUnavailable: cancelled, or the Pod was deleted. kExhausted: it can never start here, and why.
  Result<Environment> AwaitShare(const Cancel& cancel, const std::function<void(const Wait&)>& tell);
  // The process is the command's: returns when the share is its. From then on the share is free when its group is gone.
  Status Attach(const ProcessId& command, const Cancel& cancel);
  // The command's leader has ended: returns when others can have the share, so that the next command does not have to wait for it; or when
  // that takes long, which it does where processes of its group are left, to whom the share belongs.
  void AwaitFree(const ProcessId& command, const Cancel& cancel);

 private:
  RunRequest(kube::Client& client, std::string name_space) : client_(&client), space_(std::move(name_space)) {}

  // The Pod, whenever it changes, and every `again` where it does not, until `done` says so. It gets null where the Pod is gone.
  // `away` hears of every time that nobody answers; null: nobody wants to know.
  Status Follow(const Cancel& cancel, std::optional<std::chrono::milliseconds> again,
                const std::function<Result<bool>(const kube::Object* pod)>& done, const std::function<void()>& away = nullptr);
  // The error for what can never start, in plain words where that can be.
  Status Never(const std::string& why, const Result<std::vector<OfferedGpu>>& gpus) const;
  Wait WaitOf(const std::string& why, const Cancel& cancel);

  kube::Client* client_;
  std::string space_, pod_, claim_, uid_;
  dialect::Share share_;
  bool wait_ = true, attached_ = false;
};

}  // namespace allot::local
