#pragma once
// Events that say how the agent is, at its Pod, where an admin looks first (`kubectl describe pod`); without a Pod, at its Node.

#include <string>

#include "base/status.h"
#include "kube/events.h"

namespace allot::node {

struct PodName {
  std::string name_space, name, uid;
};

class Bulletin {
 public:
  // `client` and `clock` must outlive it.
  Bulletin(kube::Client& client, const PodName& pod, const std::string& node_name, const Clock& clock);

  // Records what has changed: an error when it has lasted for some seconds, for many pass at a start. Never waits.
  void Tell(const Status& ready);

 private:
  const kube::ObjectReference about_;
  const Clock& clock_;
  kube::EventRecorder events_;
  std::string told_, now_;  // errors; empty: none
  MonotonicTime since_{};   // of now_
};

}  // namespace allot::node
