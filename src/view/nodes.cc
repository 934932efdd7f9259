#include "view/nodes.h"

#include "json/editor.h"

namespace allot::view {

using kube::Object;

NodeState StateOf(const Object& node) {
  NodeState state;
  const json::Value& unschedulable = node.json()["spec"]["unschedulable"];
  state.cordoned = json::IsTrue(unschedulable);
  for (const json::Value& condition : json::ItemsOf(node.json()["status"]["conditions"])) {
    // "Unknown": kubelet is silent.
    if (Object::Text(condition["type"]) != "Ready" || Object::Text(condition["status"]) == "True") continue;
    state.ready = false;
    state.why = Object::Text(condition["message"]);
  }
  return state;
}

NodeStates StatesOf(const Listing& nodes) {
  NodeStates states;
  for (const kube::ObjectPtr& node : nodes.objects) states.emplace(node->name(), StateOf(*node));
  return states;
}

}  // namespace allot::view
