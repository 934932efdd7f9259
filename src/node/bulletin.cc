#include "node/bulletin.h"

namespace allot::node {

namespace {

constexpr std::chrono::seconds kPassing{10};

kube::ObjectReference About(const PodName& pod, const std::string& node_name) {
  if (!pod.name.empty()) return {"v1", "Pod", pod.name_space, pod.name, pod.uid, ""};
  return {"v1",      "Node",    "",
          node_name, node_name, ""};  // Like kubelet's events: the name stands for the UID. `kubectl describe node` looks for both.
}

}  // namespace

Bulletin::Bulletin(kube::Client& client, const PodName& pod, const std::string& node_name, const Clock& clock)
    : about_(About(pod, node_name)),
      clock_(clock),
      events_(client, {.component = "allot", .host = node_name, .max_queue = 16, .max_keys = 64}, clock) {}

void Bulletin::Tell(const Status& ready) {
  std::string text = ready.ok() ? std::string() : std::string(ready.message());
  if (text != now_) {
    now_ = std::move(text);
    since_ = clock_.MonotonicNow();
  }
  if (now_ == told_ || (!now_.empty() && clock_.MonotonicNow() - since_ < kPassing)) return;
  told_ = now_;
  if (told_.empty())
    events_.Record(about_, kube::EventType::kNormal, "DevicesOffered", "the devices of this node are offered");
  else
    events_.Record(about_, kube::EventType::kWarning, "DevicesNotOffered", told_);
}

}  // namespace allot::node
