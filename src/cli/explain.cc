#include "cli/explain.h"

#include <set>

#include "base/edit_distance.h"
#include "base/strings.h"
#include "cli/explain/text.h"
#include "cli/listing.h"
#include "cli/output.h"
#include "cli/pod_names.h"
#include "json/yaml_write.h"

namespace allot::cli {
namespace {

// The error that the Pod does not exist, with the nearest name and the namespaces that have a Pod of this name.
Status NoSuchPod(const view::World& world, std::string_view name_space, std::string_view name) {
  std::vector<std::string> near, elsewhere;
  for (const kube::ObjectPtr& pod : world.pods.objects) {
    if (pod->namespace_name() == name_space) near.emplace_back(pod->name());
    if (pod->name() == name) elsewhere.emplace_back(pod->namespace_name());
  }
  const std::string nearest = Nearest(name, near);
  std::string hint;
  if (!nearest.empty()) hint = StrCat(" (did you mean ", nearest, "?)");
  if (!elsewhere.empty()) hint = StrCat("; there is one in ", SomeOf(elsewhere), ": allot explain pod/", name, " -n ", elsewhere[0]);
  return NotFound("Pod ", Quoted(name), " does not exist in namespace ", name_space, hint);
}

Status Run(const Verb& verb, const Arguments& arguments, const std::vector<std::string>& names) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Session> session, Session::Open(verb, arguments));
  const std::string name_space = session->namespace_name();
  ASSIGN_OR_RETURN(view::World world, view::GatherWorld(session->client(), {name_space}));
  const sched::Cluster cluster = view::ClusterOf(world);
  std::vector<view::Answer> answers;
  Status missing;
  for (const std::string& name : names) {
    const std::string key = StrCat(name_space, "/", name);
    if (world.FindPod(key) == nullptr) {
      if (!missing.ok()) Note(ErrorText(missing));
      missing = NoSuchPod(world, name_space, name);
      continue;
    }
    view::GatherDetails(session->client(), key, world);
    answers.push_back(view::Explain(world, cluster, key));
  }
  const std::string output = arguments.Get("output");
  if (output == "json") TRY(Print(json::WriteSortedJson(ExplainJson(answers, world.notes).root())));
  if (output == "yaml") TRY(Print(json::WriteYaml(ExplainJson(answers, world.notes).root())));
  if (!output.empty()) return missing;
  const Screen screen = ScreenOfOutput();
  for (size_t i = 0; i < answers.size(); ++i) {
    TRY(Print(StrCat(i == 0 ? "" : "\n", ExplainText(answers[i], screen, session->Now()))));
  }
  if (!answers.empty()) TRY(Print(NotesText(world.notes, screen)));
  return missing;
}

}  // namespace

Verb ExplainVerb() {
  Verb verb;
  verb.name = "explain";
  verb.summary = "Says why a Pod runs where it does, or why it waits, for each device, and what would let it start.";
  verb.usage = "pod/NAME... | NAME...";
  verb.examples =
      "  # why a Pod waits\n"
      "  allot explain pod/train -n lab\n"
      "  # two Pods\n"
      "  allot explain train eval\n"
      "  # what would let it start, for a script\n"
      "  allot explain train -o json | jq -r '.pods[].remedies[].text'\n";
  verb.flags = {{"namespace", 'n', "NAMESPACE", "the Pods' namespace"}, {"output", 'o', "json|yaml", "print in this format"}};
  verb.operands = Operands::kPods;
  verb.run = [](const Verb& self, const Arguments& arguments) {
    const Result<std::vector<std::string>> names = PodNames(arguments.operands());
    return names.ok() ? Exit(Run(self, arguments, *names)) : BadUsage(names.status().message());
  };
  return verb;
}

}  // namespace allot::cli
