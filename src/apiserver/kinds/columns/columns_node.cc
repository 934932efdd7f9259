#include <set>

#include "apiserver/kinds/columns/cells.h"
#include "apiserver/kinds/columns/columns.h"
#include "base/strings.h"

namespace allot::apiserver {

using namespace cells;  // NOLINT(google-build-using-namespace)

namespace {

std::string StatusOf(const Value& node) {
  // Of several conditions of one type the last counts, unlike for Pods.
  std::string_view ready;
  bool known = false;
  for (const Value& condition : ItemsOf(node["status"]["conditions"])) {
    if (TextOf(condition["type"]) != "Ready") continue;
    ready = TextOf(condition["status"]);
    known = true;
  }
  const std::string_view status = !known ? "Unknown" : ready == "True" ? "Ready" : "NotReady";
  return StrCat(status, json::IsTrue(node["spec"]["unschedulable"]) ? ",SchedulingDisabled" : "");
}

// Reads the labels node-role.kubernetes.io/ROLE and kubernetes.io/role=ROLE.
std::string RolesOf(const Value& node) {
  constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
  std::set<std::string_view> roles;
  for (const json::Member& label : MembersOf(node["metadata"]["labels"])) {
    std::string_view role;
    if (label.key.starts_with(kPrefix)) role = label.key.substr(kPrefix.size());
    if (label.key == "kubernetes.io/role") role = TextOf(label.value);
    if (!role.empty()) roles.insert(role);
  }
  if (roles.empty()) return "<none>";
  std::string text;
  for (const std::string_view role : roles) text += text.empty() ? std::string(role) : StrCat(",", role);
  return text;
}

Value AddressOf(Editor& edit, const Value& node, std::string_view type) {
  for (const Value& address : ItemsOf(node["status"]["addresses"])) {
    if (TextOf(address["type"]) == type) return TextOr(edit, address["address"]);
  }
  return edit.Literal("<none>");
}

std::string KernelOf(const Value& info) {
  const std::string_view kernel = TextOf(info["kernelVersion"]).empty() ? "<unknown>" : TextOf(info["kernelVersion"]);
  const std::string_view architecture = TextOf(info["architecture"]);
  return architecture.empty() ? std::string(kernel) : StrCat(kernel, " (", architecture, ")");
}

std::vector<Value> NodeRow(Editor& edit, const Value& node, WallTime now) {
  const Value& info = node["status"]["nodeInfo"];
  return {Name(edit, node),
          edit.String(StatusOf(node)),
          edit.String(RolesOf(node)),
          Age(edit, node, now),
          TextOr(edit, info["kubeletVersion"]),
          AddressOf(edit, node, "InternalIP"),
          AddressOf(edit, node, "ExternalIP"),
          TextOr(edit, info["osImage"], "<unknown>"),
          edit.String(KernelOf(info)),
          TextOr(edit, info["containerRuntimeVersion"], "<unknown>")};
}

}  // namespace

ColumnsAndRow NodeColumns() {
  return {
      {NameColumn(), TextColumn("Status", "Whether its kubelet is ready, and whether new Pods may go there."),
       TextColumn("Roles", "What the node is for, from its labels."), AgeColumn(), TextColumn("Version", "The version of its kubelet."),
       TextColumn("Internal-IP", "Its address within the cluster.", 1), TextColumn("External-IP", "Its address outside of the cluster.", 1),
       TextColumn("OS-Image", "The operating system that it runs.", 1),
       TextColumn("Kernel-Version", "The kernel that it runs, and for which architecture.", 1),
       TextColumn("Container-Runtime", "The container runtime and its version.", 1)},
      NodeRow};
}

}  // namespace allot::apiserver
