#include "cli/status.h"

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "cli/description.h"
#include "cli/output.h"
#include "cli/status_screen.h"
#include "json/yaml_write.h"

namespace allot::cli {
namespace {

// Notes what we may not see. What else goes wrong is an error.
Status Notice(const Listing& listing, std::string_view kind, std::string_view without, StatusFacts& facts) {
  if (listing.ok()) return Status();
  if (!IsForbidden(listing.status) && !IsMissing(listing.status)) return listing.status;
  facts.not_seen.push_back(
      StrCat(kind, IsForbidden(listing.status) ? ", as you may not list them: " : ", as the server has none: ", without));
  return Status();
}

std::string MissingText(const Listing& slices) {
  if (IsMissing(slices.status)) return "this cluster does not serve resource.k8s.io/v1 (Kubernetes 1.34 and later do)";
  if (slices.objects.empty()) return "no driver offers devices: there are no ResourceSlices";
  std::set<std::string> drivers;
  for (const kube::ObjectPtr& slice : slices.objects) drivers.emplace(Text(slice->json()["spec"]["driver"]));
  return StrCat("there are devices of ", Join({drivers.begin(), drivers.end()}, ", "), ", but none with memory to share");
}

// Leaves the nodes that are named. kNotFound for one without devices.
Status KeepNodes(const std::vector<std::string>& nodes, StatusFacts& facts) {
  for (const std::string& node : nodes) {
    const bool known = std::any_of(facts.devices.begin(), facts.devices.end(), [&](const auto& device) { return device.node == node; });
    if (!known)
      return NotFound("node ", Quoted(node), " has no devices with memory; `allot status` lists those that have, `allot doctor` says why");
  }
  if (nodes.empty()) return Status();
  const auto other = [&](const auto& one) { return std::find(nodes.begin(), nodes.end(), one.node) == nodes.end(); };
  std::erase_if(facts.devices, other);
  std::erase_if(facts.waiting, other);
  return Status();
}

Result<StatusFacts> FactsOf(Session& session, const std::vector<std::string>& nodes) {
  StatusFacts facts;
  const Listing slices = ListAll(session, kube::types::kResourceSlices);
  WaitingFacts waiting;
  waiting.claims = ListAll(session, kube::types::kResourceClaims);
  if (IsForbidden(slices.status) && IsForbidden(waiting.claims.status)) return slices.status;
  waiting.pods = PendingPods(session);
  waiting.classes = ListAll(session, kube::types::kDeviceClasses);
  waiting.events = FailedPreparations(session, waiting.pods);
  const Listing all_nodes = ListAll(session, kube::types::kNodes);
  facts.devices = DevicesOf(slices, waiting.claims, all_nodes);
  if (facts.devices.empty() && (slices.ok() || IsMissing(slices.status))) facts.missing = MissingText(slices);
  if (!IsMissing(slices.status)) {
    TRY(Notice(slices, "slices", "only what is held is shown", facts));
    TRY(Notice(waiting.claims, "claims", "who holds what is not known", facts));
    TRY(Notice(waiting.classes, "classes", "Pods that ask by an extended resource are left out", facts));
  }
  TRY(Notice(all_nodes, "nodes", "it is not known whether they are ready", facts));
  TRY(Notice(waiting.pods, "Pods", "it is not known who waits", facts));
  TRY(Notice(waiting.events, "events", "it is not known whose devices could not be prepared", facts));
  facts.waiting = WaitingPods(session, waiting);
  TRY(KeepNodes(nodes, facts));
  return facts;
}

Status Run(const Verb& verb, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Session> session, Session::Open(verb, arguments));
  ASSIGN_OR_RETURN(const StatusFacts facts, FactsOf(*session, arguments.operands()));
  const std::string output = arguments.Get("output");
  if (output == "json") return Print(json::WriteSortedJson(StatusJson(facts).root()));
  if (output == "yaml") return Print(json::WriteYaml(StatusJson(facts).root()));
  TRY(Print(StatusText(facts, ScreenOfOutput(), session->Now())));
  TRY(Flush());
  if (!facts.missing.empty()) Note(StrCat("No GPUs found: ", Printable(facts.missing), ". `allot doctor` says what to do."));
  return Status();
}

}  // namespace

Verb StatusVerb() {
  Verb verb;
  verb.name = "status";
  verb.summary = "Shows every GPU, its shares, who holds them, and who waits for one.";
  verb.usage = "[NODE...]";
  verb.examples =
      "  # the whole cluster\n"
      "  allot status\n"
      "  # two nodes\n"
      "  allot status n1 n2\n"
      "  # GPUs with at least 6 GiB free, for a script\n"
      "  allot status -o json | jq -r '.devices[] | select(.freeMiB >= 6144) | .name'\n"
      "  # look again every two seconds\n"
      "  watch allot status\n";
  verb.flags = {{"output", 'o', "json|yaml", "write it in this form"}};
  verb.operands = Operands::kNodes;
  verb.run = [](const Verb& self, const Arguments& arguments) { return Exit(Run(self, arguments)); };
  return verb;
}

}  // namespace allot::cli
