#include "cli/session.h"

#include <algorithm>
#include <charconv>

#include "base/strings.h"
#include "cli/output.h"
#include "kube/config.h"

namespace allot::cli {
namespace {

Result<double> NumberOf(std::string_view flag, const std::string& text, double most) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || !(number >= 0) || number > most) {
    return Invalid("--", flag, ": ", Quoted(text), " is not a number from 0 to ", static_cast<int64_t>(most));
  }
  return number;
}

// "30", "30s", "2m", "1h", "500ms"; 0: as good as for ever.
Result<std::chrono::seconds> TimeOf(std::string_view flag, std::string text) {
  constexpr double kMost = 86400;
  double unit = 1;
  for (const auto& [suffix, seconds] : {std::pair("ms", 0.001), std::pair("s", 1.0), std::pair("m", 60.0), std::pair("h", 3600.0)}) {
    if (!text.ends_with(suffix)) continue;
    unit = seconds;
    text.resize(text.size() - std::string_view(suffix).size());
    break;
  }
  const Result<double> number = NumberOf(flag, text, kMost);
  if (!number.ok()) return Invalid("--", flag, ": expected a time like 30s, 2m or 1h, not ", Quoted(text));
  if (*number == 0) return std::chrono::seconds(std::chrono::hours(24 * 3650));
  return std::chrono::ceil<std::chrono::seconds>(std::chrono::duration<double>(std::min(*number * unit, kMost)));
}

Result<kube::ClientOptions> ClientOptionsOf(const Verb& verb, const Arguments& arguments) {
  kube::ClientOptions options;
  options.user_agent = StrCat("allot/", ALLOT_VERSION, " (", verb.name, ")");
  if (arguments.Has("qps")) {
    ASSIGN_OR_RETURN(options.qps, NumberOf("qps", arguments.Get("qps"), 1e6));
  }
  if (arguments.Has("burst")) {
    ASSIGN_OR_RETURN(const double burst, NumberOf("burst", arguments.Get("burst"), 1e6));
    options.burst = std::max(1, static_cast<int>(burst));
  }
  if (arguments.Has("request-timeout")) {
    ASSIGN_OR_RETURN(options.timeout, TimeOf("request-timeout", arguments.Get("request-timeout")));
  }
  return options;
}

}  // namespace

Result<std::unique_ptr<Session>> Session::Open(const Verb& verb, const Arguments& arguments) {
  std::unique_ptr<Session> session(new Session());
  kube::ConfigOverrides overrides;
  overrides.kubeconfig = arguments.Get("kubeconfig");
  overrides.context = arguments.Get("context");
  overrides.cluster = arguments.Get("cluster");
  overrides.user = arguments.Get("user");
  overrides.server = arguments.Get("server");
  overrides.token = arguments.Get("token");
  overrides.impersonate_user = arguments.Get("as");
  overrides.impersonate_groups = arguments.All("as-group");
  overrides.default_namespace = arguments.Get("namespace");
  ASSIGN_OR_RETURN(kube::ClientOptions options, ClientOptionsOf(verb, arguments));
  ASSIGN_OR_RETURN(kube::Config config,
                   kube::LoadConfig(kube::SystemConfigSources(session->files_, session->clock_, std::move(overrides))));
  session->all_namespaces_ = arguments.Bool("all-namespaces");
  session->has_namespace_ = arguments.Has("namespace");
  session->namespace_ = session->all_namespaces_ ? "" : config.default_namespace;
  session->verbose_ = arguments.Bool("verbose");
  options.observer = [raw = session.get()](const kube::Exchanged& exchanged) { raw->Observe(exchanged); };
  ASSIGN_OR_RETURN(session->client_, kube::Client::Make(std::move(config), std::move(options)));
  return session;
}

void Session::Observe(const kube::Exchanged& exchanged) {
  if (verbose_) {
    Note(StrCat(exchanged.method, " ", client_->config().server, exchanged.target, " ", exchanged.answer.status, " ",
                std::chrono::duration_cast<std::chrono::milliseconds>(exchanged.took).count(), " ms"));
  }
  for (const std::string_view warning : exchanged.answer.headers.All("Warning")) {
    // 299 - "text", with the quotes of the text escaped
    const size_t open = warning.find('"');
    const size_t close = warning.rfind('"');
    if (!warning.starts_with("299 ") || open == warning.npos || open == close) continue;
    std::string text;
    for (size_t i = open + 1; i < close; ++i) {
      if (warning[i] == '\\' && i + 1 < close) ++i;
      text += warning[i];
    }
    if (std::find(warned_.begin(), warned_.end(), text) != warned_.end()) continue;
    Note(StrCat("Warning: ", text));
    warned_.push_back(std::move(text));
  }
}

Status Session::Discover() {
  if (discovered_) return Status();
  ASSIGN_OR_RETURN(discovered_, kube::Discover(*client_));
  return Status();
}

Result<const kube::ApiResource*> Session::FindType(std::string_view text) {
  if (const kube::ApiResource* const known = kube::FindResource(kube::KnownResources(), text)) return known;
  TRY(Discover());
  if (const kube::ApiResource* const found = kube::FindResource(*discovered_, text)) return found;
  const std::string near = kube::SuggestResource(*discovered_, text);
  return NotFound("the server doesn't have a resource type ", Quoted(text),
                  near.empty() ? "" : StrCat(" (did you mean ", Quoted(near), "?)"));
}

Result<const kube::ApiResource*> Session::FindKind(std::string_view api_version, std::string_view kind) {
  if (const kube::ApiResource* const known = kube::FindKind(kube::KnownResources(), api_version, kind)) return known;
  TRY(Discover());
  if (const kube::ApiResource* const found = kube::FindKind(*discovered_, api_version, kind)) return found;
  return NotFound("no matches for kind ", Quoted(kind), " in version ", Quoted(api_version));
}

Result<std::vector<Target>> Session::FindTargets(const std::vector<std::string>& operands) {
  if (operands.empty()) return Invalid("no kind is named; write one, like pods or claims");
  std::vector<Target> targets;
  if (operands[0].find('/') != std::string::npos) {
    for (const std::string& operand : operands) {
      const size_t slash = operand.find('/');
      if (slash == std::string::npos || slash == 0 || slash + 1 == operand.size() || operand.find('/', slash + 1) != std::string::npos) {
        return Invalid(Quoted(operand), " is not TYPE/NAME, as the other arguments are");
      }
      ASSIGN_OR_RETURN(const kube::ApiResource* const resource, FindType(operand.substr(0, slash)));
      TRY(kube::CheckNames("", operand.substr(slash + 1)));
      if (targets.empty() || targets.back().resource != resource) targets.push_back({resource, {}});
      targets.back().names.push_back(operand.substr(slash + 1));
    }
    return targets;
  }
  for (const std::string& name : operands) {
    if (&name != &operands[0] && name.find('/') != std::string::npos) {
      return Invalid(Quoted(name), ": a kind is named already; write either TYPE NAME... or TYPE/NAME...");
    }
  }
  const std::vector<std::string> names(operands.begin() + 1, operands.end());
  for (const std::string& name : names) TRY(kube::CheckNames("", name));
  for (const std::string_view type : Split(operands[0], ',')) {
    if (type == "all") {
      TRY(Discover());
      for (const kube::ApiResource* const resource : kube::FindCategory(*discovered_, type)) targets.push_back({resource, names});
      continue;
    }
    ASSIGN_OR_RETURN(const kube::ApiResource* const resource, FindType(type));
    targets.push_back({resource, names});
  }
  return targets;
}

}  // namespace allot::cli
