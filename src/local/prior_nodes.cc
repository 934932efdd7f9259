#include "local/prior_nodes.h"

#include <algorithm>

#include "local/containers/containers.h"
#include "local/node_object.h"
#include "node/prepare/journal.h"

namespace allot::local {
namespace {

// What still uses a node.
struct Users {
  std::vector<std::string> claims, others;  // "claim lab/train-gpu"; "pod lab/train", "container ..."

  std::string ToString() const { return StrCat(Join(claims, ", "), claims.empty() || others.empty() ? "" : ", ", Join(others, ", ")); }
};

Result<std::vector<std::string>> HeldClaims(FileSystem& files, const NodeFolder& folder) {
  std::vector<std::string> claims;
  if (!files.Exists(folder.state())) return claims;
  ASSIGN_OR_RETURN(const auto journal, node::Journal::Open(files, folder.state()));
  ASSIGN_OR_RETURN(const node::Holdings holdings, journal->Read());
  for (const auto& [uid, holding] : holdings) claims.push_back(StrCat("claim ", holding->ClaimName()));
  std::sort(claims.begin(), claims.end());
  return claims;
}

Result<Users> UsersOf(kube::Client& client, FileSystem& files, const StateFolder& folder, const std::string& name,
                      const Patience& patience) {
  Users users;
  ASSIGN_OR_RETURN(users.claims, HeldClaims(files, {StrCat(folder.path(), "/nodes/", name)}));
  kube::ListOptions bound;
  bound.field_selector = "spec.nodeName=" + name;
  TRY(client
          .List(
              kube::types::kPods, "", bound,
              [&](const kube::ObjectPtr& pod) {
                const std::string_view phase = kube::Object::Text(pod->json()["status"]["phase"]);
                if (phase != "Succeeded" && phase != "Failed") users.others.push_back(StrCat("pod ", kube::KeyOf(*pod)));
              },
              patience)
          .status());
  for (const std::string& run : FindContainers(files, folder.PodsOf(name))) {
    const Result<ContainerBirth> birth = ReadBirth(files, run);
    if (birth.ok() && birth->boot == BootId() && IsAlive(birth->shim)) users.others.push_back("container " + run);
  }
  std::sort(users.others.begin(), users.others.end());
  return users;
}

// Whether the node may have real GPUs. True if its Node object is gone, because only its label could tell.
Result<bool> MayBeReal(kube::Client& client, const std::string& name, const Patience& patience) {
  const Result<kube::ObjectPtr> node = client.Get(kube::types::kNodes, "", name, patience);
  if (!node.ok()) return node.status().code() == Code::kNotFound ? Result<bool>(true) : node.status();
  return (*node)->Label(kSimulatedLabel) != "true";
}

Status OkOrGone(const Status& status) { return status.code() == Code::kNotFound ? Status() : status; }

Status Remove(kube::Client& client, StateFolder& folder, const std::string& name, const Patience& patience) {
  TRY(OkOrGone(client.Delete(kube::types::kNodes, "", name, {}, patience).status()));
  TRY(OkOrGone(client.Delete(kube::types::kLeases, "kube-node-lease", name, {}, patience).status()));
  return folder.RemoveNode(name);
}

}  // namespace

Status RemovePriorNodes(kube::Client& client, FileSystem& files, StateFolder& folder, const std::set<std::string>& wanted, bool offers_real,
                        const Clock& clock, Log& log, const Patience& patience) {
  ASSIGN_OR_RETURN(const std::vector<std::string> with_folder, folder.Nodes());
  std::set<std::string> names(with_folder.begin(), with_folder.end());
  kube::ListOptions ours;
  ours.label_selector = StrCat(kLocalLabel, "=true");
  TRY(client.List(kube::types::kNodes, "", ours, [&](const kube::ObjectPtr& node) { names.emplace(node->name()); }, patience).status());
  for (const std::string& name : names) {
    if (wanted.contains(name)) continue;
    ASSIGN_OR_RETURN(const Users users, UsersOf(client, files, folder, name, patience));
    if (users.claims.empty() && users.others.empty()) {
      TRY(Remove(client, folder, name, patience).Context("remove node ", name, " of an earlier start"));
      log.Info("removed a node of an earlier start", {{"node", name}});
      continue;
    }
    if (offers_real && !users.claims.empty()) {
      ASSIGN_OR_RETURN(const bool may_be_real, MayBeReal(client, name, patience));
      if (may_be_real) {
        return Invalid(
            "node ", name, " of an earlier start holds GPUs of this machine, for ", users.ToString(),
            ", and another node would promise them twice; start with the earlier --gpus and --nodes, delete these, then change the "
            "flags");
      }
    }
    log.Warning(
        "a node of an earlier start is still in use; start with the earlier --gpus and --nodes, delete its users, then change the flags",
        {{"node", name}, {"by", users.ToString()}});
    TRY(OkOrGone(MarkNotReady(client, name, "allot up was started without this node", clock.Now(), patience)));
  }
  return Status();
}

}  // namespace allot::local
