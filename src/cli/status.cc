#include "cli/status.h"

#include "base/strings.h"
#include "cli/listing.h"
#include "cli/output.h"
#include "cli/status/screen.h"
#include "cli/status/watch.h"
#include "cli/status/words.h"
#include "cli/stop_signals.h"
#include "json/yaml_write.h"

namespace allot::cli {
namespace {

Status Run(const Verb& verb, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Session> session, Session::Open(verb, arguments));
  const std::string output = arguments.Get("output");
  if (arguments.Bool("watch")) {
    StopSignals signals(LeaveScreen(output));
    return WatchStatus(*session, arguments.operands(), output, signals.stop);
  }
  kube::Client& client = session->client();
  ASSIGN_OR_RETURN(const view::Overview overview, view::OverviewOf(client, view::ListForStatus(client), arguments.operands()));
  if (output == "json") return Print(json::WriteSortedJson(StatusJson(overview).root()));
  if (output == "yaml") return Print(json::WriteYaml(StatusJson(overview).root()));
  TRY(Print(StatusText(overview, ScreenOfOutput(), session->Now())));
  TRY(Flush());
  const std::string missing = MissingWords(overview);
  if (!missing.empty()) Note(StrCat("No GPUs found: ", Printable(missing), ". `allot doctor` says what to do."));
  return Status();
}

}  // namespace

Verb StatusVerb() {
  Verb verb;
  verb.name = "status";
  verb.summary = "Shows every GPU with its shares and their holders, and the Pods that wait for one.";
  verb.usage = "[NODE...]";
  verb.examples =
      "  # the whole cluster\n"
      "  allot status\n"
      "  # two nodes\n"
      "  allot status n1 n2\n"
      "  # GPUs with at least 6 GiB free, for a script\n"
      "  allot status -o json | jq -r '.devices[] | select(.freeMiB >= 6144) | .name'\n"
      "  # keep running, and update the output at every change\n"
      "  allot status --watch\n";
  verb.flags = {{"output", 'o', "json|yaml", "print in this format"},
                {"watch", 'w', "", "keep running until Ctrl-C, and update the output at every change"}};
  verb.operands = Operands::kNodes;
  verb.run = [](const Verb& self, const Arguments& arguments) { return Exit(Run(self, arguments)); };
  return verb;
}

}  // namespace allot::cli
