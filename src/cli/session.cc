#include "cli/session.h"

#include <algorithm>

#include "base/strings.h"
#include "cli/local_api.h"
#include "cli/output.h"
#include "cli/program/values.h"
#include "kube/config/config.h"

namespace allot::cli {
namespace {

Result<kube::ClientOptions> ClientOptionsOf(const Verb& verb, const Arguments& arguments, const SessionOptions& session) {
  kube::ClientOptions options;
  options.user_agent = StrCat("allot/", ALLOT_VERSION, " (", verb.name, ")");
  options.qps = 0;  // no limit: for the commands of one user the server's own fairness is enough
  if (arguments.Has("qps")) {
    ASSIGN_OR_RETURN(options.qps, ParseNumber(arguments.Get("qps")));
  }
  if (arguments.Has("burst")) {
    ASSIGN_OR_RETURN(const double burst, ParseNumber(arguments.Get("burst")));
    options.burst = std::max(1, static_cast<int>(burst));
  }
  if (arguments.Has("request-timeout")) {
    ASSIGN_OR_RETURN(const std::chrono::milliseconds timeout, ParseTime(arguments.Get("request-timeout")));
    options.timeout = timeout.count() == 0 ? std::chrono::hours(24 * 3650) : timeout;
    if (timeout.count() != 0) options.login_timeout = timeout;
  }
  if (session.timeout) options.timeout = *session.timeout, options.login_timeout = *session.timeout;
  return options;
}

}  // namespace

Result<std::unique_ptr<Session>> Session::Open(const Verb& verb, const Arguments& arguments, const SessionOptions& wanted) {
  std::unique_ptr<Session> session(new Session());
  kube::ConfigOverrides overrides;
  overrides.kubeconfig = arguments.Get("kubeconfig");
  overrides.context = arguments.Get("context");
  overrides.cluster = arguments.Get("cluster");
  overrides.user = arguments.Get("user");
  overrides.server = ServerUrlOf(arguments.Get("server"));
  overrides.certificate_authority = arguments.Get("certificate-authority");
  overrides.insecure_skip_tls_verify = arguments.Bool("insecure-skip-tls-verify");
  overrides.token = arguments.Get("token");
  overrides.impersonate_user = arguments.Get("as");
  overrides.impersonate_groups = arguments.All("as-group");
  overrides.default_namespace = arguments.Get("namespace");
  // At a server of this machine the caller has a namespace; a kubeconfig's namespace is for another server.
  const std::string socket = SocketOf(overrides.server);
  if (!socket.empty() && !arguments.Has("namespace") && !arguments.Has("kubeconfig") && !arguments.Has("context"))
    overrides.default_namespace = NamespaceAt(socket);
  ASSIGN_OR_RETURN(kube::ClientOptions options, ClientOptionsOf(verb, arguments, wanted));
  kube::ConfigSources sources = kube::SystemConfigSources(session->files_, session->clock_, std::move(overrides));
  const LocalApi local = FindLocalApi();
  sources.local_socket = local.socket;
  sources.local_namespace = local.name_space;
  sources.has_terminal = sources.has_terminal && wanted.interactive;
  ASSIGN_OR_RETURN(kube::Config config, kube::LoadConfig(sources));
  session->all_namespaces_ = arguments.Bool("all-namespaces");
  session->has_namespace_ = arguments.Has("namespace");
  session->namespace_ = session->all_namespaces_ ? "" : config.default_namespace;
  session->verbose_ = arguments.Has("verbose") && arguments.Get("verbose") != "0";
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
    const std::lock_guard lock(warned_mutex_);
    if (warned_.size() == kMostWarnings || std::find(warned_.begin(), warned_.end(), text) != warned_.end()) continue;
    Note(StrCat("Warning: ", text));
    warned_.push_back(std::move(text));
  }
}

Result<std::span<const kube::ApiResource>> Session::AllTypes(const Patience& patience) {
  if (!discovered_) {
    ASSIGN_OR_RETURN(discovered_, kube::Discover(*client_, patience));
  }
  return std::span<const kube::ApiResource>(*discovered_);
}

const kube::ApiResource* Session::Expect(kube::ApiResource resource) { return &expected_.emplace_back(std::move(resource)); }

Result<const kube::ApiResource*> Session::FindType(std::string_view text) {
  if (const kube::ApiResource* const known = kube::FindResource(kube::KnownResources(), text)) return known;
  TRY(AllTypes().status());
  if (const kube::ApiResource* const found = kube::FindResource(*discovered_, text)) return found;
  const std::string near = kube::SuggestResource(*discovered_, text);
  return NotFound("the server doesn't have a resource type ", Quoted(text),
                  near.empty() ? "" : StrCat(" (did you mean ", Quoted(near), "?)"));
}

Result<const kube::ApiResource*> Session::FindKind(std::string_view api_version, std::string_view kind) {
  if (const kube::ApiResource* const known = kube::FindKind(kube::KnownResources(), api_version, kind)) return known;
  TRY(AllTypes().status());
  if (const kube::ApiResource* const found = kube::FindKind(*discovered_, api_version, kind)) return found;
  return NotFound("no matches for kind ", Quoted(kind), " in version ", Quoted(api_version));
}

Status CheckTargets(const std::vector<std::string>& operands) {
  const bool pairs = operands[0].find('/') != std::string::npos;
  for (const std::string& operand : operands) {
    const size_t slash = operand.find('/');
    if (!pairs && slash != std::string::npos) {
      return Invalid(Quoted(operand), ": a kind is named already; write either TYPE NAME... or TYPE/NAME...");
    }
    const bool whole = slash != std::string::npos && slash > 0 && slash + 1 < operand.size();
    if (pairs && (!whole || operand.find('/', slash + 1) != std::string::npos)) {
      return Invalid(Quoted(operand), " is not TYPE/NAME", operands.size() > 1 ? ", as the other arguments are" : ", like pod/train");
    }
  }
  return Status();
}

Result<std::vector<Target>> Session::FindTargets(const std::vector<std::string>& operands) {
  std::vector<Target> targets;
  if (operands[0].find('/') != std::string::npos) {
    for (const std::string& operand : operands) {
      const size_t slash = operand.find('/');
      ASSIGN_OR_RETURN(const kube::ApiResource* const resource, FindType(operand.substr(0, slash)));
      TRY(kube::CheckNames("", operand.substr(slash + 1)));
      if (targets.empty() || targets.back().resource != resource) targets.push_back({resource, {}});
      targets.back().names.push_back(operand.substr(slash + 1));
    }
    return targets;
  }
  const std::vector<std::string> names(operands.begin() + 1, operands.end());
  for (const std::string& name : names) TRY(kube::CheckNames("", name));
  const auto add = [&](const kube::ApiResource* resource) {
    const bool there = std::any_of(targets.begin(), targets.end(), [&](const Target& target) {
      const kube::ResourceType& type = target.resource->type;
      return type.FullName() == resource->type.FullName() && type.version == resource->type.version;
    });
    if (!there) targets.push_back({resource, names});
  };
  for (const std::string_view type : Split(operands[0], ',')) {
    if (type == "all") {
      TRY(AllTypes().status());
      for (const kube::ApiResource* const resource : kube::FindCategory(*discovered_, type)) add(resource);
      continue;
    }
    ASSIGN_OR_RETURN(const kube::ApiResource* const resource, FindType(type));
    add(resource);
  }
  return targets;
}

}  // namespace allot::cli
