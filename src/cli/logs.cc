#include "cli/logs.h"

#include <charconv>
#include <chrono>

#include "base/strings.h"
#include "cli/description.h"
#include "cli/listing.h"
#include "cli/output.h"
#include "cli/pod_names.h"
#include "cli/session.h"
#include "cli/values.h"
#include "kube/error.h"
#include "kube/url.h"
#include "local/run_protocol.h"

namespace allot::cli {
namespace {

constexpr std::string_view kDefaultContainer = "kubectl.kubernetes.io/default-container";
constexpr std::chrono::seconds kSilence(60);  // after which a log that is not followed is given up

// --tail: a number of lines; -1: all, as kubectl has it.
Result<std::string> TailOf(const std::string& text) {
  int64_t lines = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), lines);
  if (error != std::errc() || end != text.data() + text.size() || lines < -1) {
    return Invalid("--tail: ", Quoted(text), " is no number of lines; -1 stands for all");
  }
  return lines < 0 ? "" : text;
}

// The container that is meant where none is named, with a note where that is a choice.
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
      Note(StrCat("Pod ", pod, " is on no node yet, so there is no log; ", ExplainHint(session, pod)));
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

// Prints pieces as they come. A break in a log that is followed is an error: what comes next is not known.
Status Copy(http::BodyStream& stream, bool follow) {
  for (;;) {
    const http::Patience patience = follow ? http::Patience{} : http::Patience{std::chrono::steady_clock::now() + kSilence, nullptr};
    ASSIGN_OR_RETURN(const std::string piece, stream.Read(patience).Context("the log broke off"));
    if (piece.empty()) return Status();
    TRY(Print(piece));
    if (follow) TRY(Flush());
  }
}

// `hint`: what to type where it fails; may stay empty.
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
  verb.summary = "Prints what a Pod's container has written, and, with -f, what it writes.";
  verb.usage = "[flags] POD";
  verb.examples =
      "  # the last twenty lines, and what comes\n"
      "  allot logs train -n lab --tail 20 -f\n"
      "  # one container of several, of the last ten minutes, with the time of each line\n"
      "  allot logs pod/train -c sidecar --since 10m --timestamps\n"
      "  # of the run before, which has crashed\n"
      "  allot logs train -p\n";
  verb.flags = {
      {"namespace", 'n', "NAMESPACE", "the Pod's namespace"},
      {"follow", 'f', "", "print what is written from now on, until the container ends or Ctrl-C"},
      {"previous", 'p', "", "of the run of the container before this one"},
      {"container", 'c', "NAME", "of this container; else the Pod's default one, or its first"},
      {"tail", 0, "LINES", "only so many of the last lines; -1: all (default -1)"},
      {"since", 0, "TIME", "only what is not older: 30s, 10m, 2h"},
      {"timestamps", 0, "", "the time in front of each line"},
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
