#include "cli/logs.h"

#include <charconv>
#include <chrono>

#include "base/strings.h"
#include "cli/describe/description.h"
#include "cli/listing.h"
#include "cli/output.h"
#include "cli/pod_names.h"
#include "cli/program/values.h"
#include "cli/session.h"
#include "kube/error.h"
#include "kube/url.h"
#include "local/run/run_protocol.h"

namespace allot::cli {
namespace {

constexpr std::string_view kDefaultContainer = "kubectl.kubernetes.io/default-container";
constexpr std::chrono::seconds kSilence(60);  // without -f: how long to wait for the next piece

// --tail: a number of lines; -1 means all, as in kubectl.
Result<std::string> TailOf(const std::string& text) {
  int64_t lines = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), lines);
  if (error != std::errc() || end != text.data() + text.size() || lines < -1) {
    return Invalid("--tail: ", Quoted(text), " is not a number of lines; -1 means all");
  }
  return lines < 0 ? "" : text;
}

// The Pod's default container, else its first. Notes the choice on standard error if the Pod has several.
std::string ContainerOf(const kube::Object& pod) {
  std::vector<std::string> names;
  for (const std::string_view list : {"containers", "initContainers"}) {
    for (const json::Value& container : ItemsOf(pod.json()["spec"][list])) {
      names.push_back(StrCat(Text(container["name"]), list == "initContainers" ? " (init)" : ""));
    }
  }
  if (const std::string_view chosen = pod.Annotation(kDefaultContainer); !chosen.empty()) return std::string(chosen);
  if (names.size() > 1) Note(StrCat("Defaulted container ", Quoted(names[0]), " out of: ", Printable(Join(names, ", "))));
  return names.empty() ? "" : names[0];
}

std::string ExplainHint(const Session& session, const std::string& pod) {
  return StrCat("to see why: allot explain pod/", pod, " -n ", session.namespace_name());
}

Result<std::string> TargetOf(Session& session, const Arguments& arguments, const std::string& pod) {
  kube::Query query;
  std::string container = arguments.Get("container");
  if (container.empty()) {
    ASSIGN_OR_RETURN(const kube::ObjectPtr object, session.client().Get(kube::types::kPods, session.namespace_name(), pod));
    if (!object->json()["metadata"]["labels"][local::kRunLabel].IsNull()) {
      return Invalid(local::NoLogOfRun(session.namespace_name(), pod));
    }
    container = ContainerOf(*object);
    if (Text(object->json()["spec"]["nodeName"]).empty()) {
      Note(StrCat("Pod ", pod, " has no node yet, so it has no log; ", ExplainHint(session, pod)));
    }
  }
  query.emplace_back("container", container);
  if (arguments.Bool("follow")) query.emplace_back("follow", "true");
  if (arguments.Bool("previous")) query.emplace_back("previous", "true");
  if (arguments.Bool("timestamps")) query.emplace_back("timestamps", "true");
  if (arguments.Has("tail")) {
    ASSIGN_OR_RETURN(std::string lines, TailOf(arguments.Get("tail")));
    query.emplace_back("tailLines", std::move(lines));
  }
  if (arguments.Has("since")) {
    ASSIGN_OR_RETURN(const std::chrono::milliseconds since, ParseTime(arguments.Get("since")));
    if (since.count() > 0) query.emplace_back("sinceSeconds", StrCat((since.count() + 999) / 1000));
  }
  return StrCat(kube::types::kPods.ObjectPath(session.namespace_name(), pod, "log"), kube::WriteQuery(query));
}

// Prints pieces as they arrive. With -f, a broken connection is an error, because the rest of the log is missing.
Status Copy(http::BodyStream& stream, bool follow) {
  for (;;) {
    const Patience patience = follow ? Patience{} : Patience{std::chrono::steady_clock::now() + kSilence, nullptr};
    ASSIGN_OR_RETURN(const std::string piece, stream.Read(patience).Context("the log ended early"));
    if (piece.empty()) return Status();
    TRY(Print(piece));
    if (follow) TRY(Flush());
  }
}

// On failure sets `hint` to a command that helps, if there is one.
Status Run(const Verb& verb, const Arguments& arguments, const std::string& name, std::string& hint) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Session> session, Session::Open(verb, arguments));
  TRY(kube::CheckNames(session->namespace_name(), name));
  ASSIGN_OR_RETURN(const std::string target, TargetOf(*session, arguments, name));
  http::Request request{"GET", target, {}, ""};
  request.headers.Set("Accept", "*/*");
  const Result<std::unique_ptr<http::BodyStream>> stream =
      session->client().Stream(std::move(request), StrCat("get the log of ", session->namespace_name(), "/", name));
  if (!stream.ok()) {
    const kube::ApiError* const refused = kube::ApiErrorOf(stream.status());
    const bool waits = refused != nullptr && refused->message.find("is waiting to start") != std::string::npos;
    if (waits) hint = ExplainHint(*session, name);
    return stream.status();
  }
  return Copy(**stream, arguments.Bool("follow"));
}

}  // namespace

Verb LogsVerb() {
  Verb verb;
  verb.name = "logs";
  verb.summary = "Prints the log of a Pod's container, and follows it with -f.";
  verb.usage = "[flags] POD";
  verb.examples =
      "  # the last twenty lines, and all new ones\n"
      "  allot logs train -n lab --tail 20 -f\n"
      "  # the last ten minutes of one container, with the time of each line\n"
      "  allot logs pod/train -c sidecar --since 10m --timestamps\n"
      "  # the log of the previous run, after a crash\n"
      "  allot logs train -p\n";
  verb.flags = {
      {"namespace", 'n', "NAMESPACE", "the Pod's namespace"},
      {"follow", 'f', "", "keep printing new lines, until the container ends or Ctrl-C"},
      {"previous", 'p', "", "the log of the container's previous run"},
      {"container", 'c', "NAME", "the log of this container (default: the Pod's default container, else its first)"},
      {"tail", 0, "LINES", "only this many of the last lines; -1: all (default -1)"},
      {"since", 0, "TIME", "only lines newer than this: 30s, 10m, 2h"},
      {"timestamps", 0, "", "print the time before each line"},
  };
  verb.operands = Operands::kPods;
  verb.run = [](const Verb& self, const Arguments& arguments) {
    const Result<std::string> tail = TailOf(arguments.Get("tail", "-1"));
    if (!tail.ok()) return BadUsage(tail.status().message());
    const Result<std::vector<std::string>> names = PodNames(arguments.operands());
    if (!names.ok()) return BadUsage(names.status().message());
    if (names->size() > 1) return BadUsage(StrCat("one Pod at a time, not ", names->size()));
    std::string hint;
    const int code = Exit(Run(self, arguments, names->at(0), hint));
    if (!hint.empty()) Note(hint);
    return code;
  };
  return verb;
}

}  // namespace allot::cli
