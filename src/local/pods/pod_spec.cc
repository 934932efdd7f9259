#include "local/pods/pod_spec.h"

#include <cstring>
#include <map>
#include <optional>
#include <set>

#include "json/editor.h"

namespace allot::local {
namespace {

using json::ItemsOf;
using json::TextOf;

constexpr std::string_view kPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

// The ResourceClaim of an entry of spec.resourceClaims; nullopt if the entry needs none.
Result<std::optional<std::string>> ClaimName(const json::Value& pod, const json::Value& entry) {
  if (const std::string_view name = TextOf(entry["resourceClaimName"]); !name.empty()) return std::optional(std::string(name));
  const std::string_view name = TextOf(entry["name"]);
  for (const json::Value& status : ItemsOf(pod["status"]["resourceClaimStatuses"])) {
    if (TextOf(status["name"]) != name) continue;
    const std::string_view made = TextOf(status["resourceClaimName"]);
    return made.empty() ? std::optional<std::string>() : std::optional(std::string(made));
  }
  return Unavailable("spec.resourceClaims: the claim of ", Quoted(name), " has not been created yet");
}

}  // namespace

std::string HostnameOf(const json::Value& pod) {
  for (const json::Value& name : {pod["spec"]["hostnameOverride"], pod["spec"]["hostname"], pod["metadata"]["name"]}) {
    if (!TextOf(name).empty()) return std::string(TextOf(name));
  }
  return "";
}

Result<ContainerSpec> MakeContainerSpec(const json::Value& pod, const json::Value& container, const PodPlace& place,
                                        const Environment& devices, const ObjectSource& objects) {
  ASSIGN_OR_RETURN(const PodUser user, UserOf(pod, container));
  ASSIGN_OR_RETURN(const Environment own, ContainerEnvironment(pod, container, place, objects));
  ContainerSpec spec;
  for (const std::string_view part : {"command", "args"}) {
    for (const json::Value& word : ItemsOf(container[part])) spec.argv.push_back(ExpandVariables(TextOf(word), own));
  }
  if (spec.argv.empty()) return Invalid("command is empty; name a program of this machine");
  for (const std::string& word : spec.argv) {
    if (word.find('\0') != std::string::npos) return Invalid("command has a NUL byte");
  }
  spec.environment = own;
  spec.environment.insert({{"HOME", user.home}, {"PATH", std::string(kPath)}, {"HOSTNAME", HostnameOf(pod)}, {"SHELL", "/bin/sh"}});
  if (!user.name.empty()) spec.environment.insert({{"USER", user.name}, {"LOGNAME", user.name}});
  AddDeviceEnvironment(devices, spec.environment);
  const std::string_view folder = TextOf(container["workingDir"]);
  spec.working_directory = folder.empty() ? user.home : folder.starts_with('/') ? std::string(folder) : StrCat("/", folder);
  spec.run_as = user.run_as;
  const json::Value& escalation = container["securityContext"]["allowPrivilegeEscalation"];
  spec.no_new_privileges = escalation.IsBool() && !escalation.AsBool();
  return spec;
}

int StopSignalOf(const json::Value& container) {
  std::string_view name = TextOf(container["lifecycle"]["stopSignal"]);
  if (!name.starts_with("SIG")) return SIGTERM;
  name.remove_prefix(3);
  for (int signal = 1; signal < SIGRTMIN; ++signal) {
    const char* const known = ::sigabbrev_np(signal);
    if (known != nullptr && name == known) return signal;
  }
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) {
    const int up = signal - SIGRTMIN, down = SIGRTMAX - signal;
    if (name == (up == 0 ? "RTMIN" : StrCat("RTMIN+", up)) || name == (down == 0 ? "RTMAX" : StrCat("RTMAX-", down))) return signal;
  }
  return SIGTERM;
}

Result<std::vector<ClaimUse>> ClaimsOf(const json::Value& pod, const json::Value& container) {
  std::map<std::string, std::optional<std::set<std::string>>> uses;  // nullopt: all requests
  const auto add = [&](const std::string& claim, std::string_view request) {
    const auto [use, is_new] = uses.emplace(claim, std::set<std::string>());
    if (request.empty()) use->second.reset();
    if (use->second) use->second->emplace(request);
  };
  for (const json::Value& used : ItemsOf(container["resources"]["claims"])) {
    for (const json::Value& entry : ItemsOf(pod["spec"]["resourceClaims"])) {
      if (TextOf(entry["name"]) != TextOf(used["name"])) continue;
      ASSIGN_OR_RETURN(const std::optional<std::string> claim, ClaimName(pod, entry));
      if (claim) add(*claim, TextOf(used["request"]));
    }
  }
  // Devices requested as extended resources.
  const json::Value& extended = pod["status"]["extendedResourceClaimStatus"];
  for (const json::Value& mapping : ItemsOf(extended["requestMappings"])) {
    if (TextOf(mapping["containerName"]) != TextOf(container["name"])) continue;
    add(std::string(TextOf(extended["resourceClaimName"])), TextOf(mapping["requestName"]));
  }
  std::vector<ClaimUse> sorted;
  for (const auto& [claim, requests] : uses) {
    sorted.push_back({claim, requests ? std::vector<std::string>(requests->begin(), requests->end()) : std::vector<std::string>()});
  }
  return sorted;
}

Result<std::vector<std::string>> ClaimsOf(const json::Value& pod) {
  std::set<std::string> names;
  for (const json::Value& entry : ItemsOf(pod["spec"]["resourceClaims"])) {
    ASSIGN_OR_RETURN(const std::optional<std::string> claim, ClaimName(pod, entry));
    if (claim) names.insert(*claim);
  }
  if (const std::string_view made = TextOf(pod["status"]["extendedResourceClaimStatus"]["resourceClaimName"]); !made.empty()) {
    names.emplace(made);
  }
  return std::vector<std::string>(names.begin(), names.end());
}

}  // namespace allot::local
