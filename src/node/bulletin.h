#pragma once
// Events about the agent's readiness. They refer to the agent's Pod, where an admin looks first (`kubectl describe pod`), or to its Node if
// the agent runs in no Pod.

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

  // Records a change. Records an error only after it has lasted for some seconds, because many errors pass while the agent starts. Never
  // waits.
  void Tell(const Status& ready);

 private:
  const kube::ObjectReference about_;
  const Clock& clock_;
  kube::EventRecorder events_;
  std::string told_, now_;  // the error that was recorded last, and the present one; empty: none
  MonotonicTime since_{};   // when now_ began
};

}  // namespace allot::node
