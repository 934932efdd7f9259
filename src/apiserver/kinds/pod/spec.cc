#include "apiserver/kinds/pod/spec.h"

#include <set>

#include "apiserver/json_names.h"
#include "apiserver/kinds/pod/affinity.h"
#include "apiserver/kinds/pod/containers.h"
#include "apiserver/kinds/pod/resources.h"
#include "apiserver/kinds/pod/security.h"
#include "apiserver/kinds/pod/volumes.h"

namespace allot::apiserver {

namespace {

constexpr int64_t kMaxInt32 = 2147483647;
constexpr size_t kMaxNameservers = 3;
constexpr size_t kMaxSearches = 32;
constexpr size_t kMaxSearchBytes = 2048;
constexpr size_t kMaxHostname = 64;

void CheckClaim(const FieldPath& field, const json::Value& claim, std::set<std::string_view>& names, FieldErrors& errors) {
  const std::string_view name = TextOf(claim["name"]);
  if (name.empty()) {
    errors.Required(field.Child("name"));
  } else if (!names.insert(name).second) {
    errors.Duplicate(field.Child("name"), name);
  } else {
    CheckDnsLabel(field.Child("name"), name, errors);
  }
  const bool by_name = IsSet(claim["resourceClaimName"]);
  const bool by_template = IsSet(claim["resourceClaimTemplateName"]);
  if (by_name && by_template) {
    errors.Invalid(field, claim, "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified");
  }
  if (!by_name && !by_template) errors.Invalid(field, claim, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`");
  for (const std::string_view source : {"resourceClaimName", "resourceClaimTemplateName"}) {
    if (IsSet(claim[source])) CheckDnsSubdomain(field.Child(source), TextOf(claim[source]), errors);
  }
}

void CheckClaims(const FieldPath& field, const json::Value& claims, const json::Value& metadata, FieldErrors& errors) {
  if (!ItemsOf(claims).empty() && IsSet(metadata["annotations"][kMirrorAnnotation])) {
    return errors.Forbidden(FieldPath("[]"), "static pods do not support resource claims");
  }
  std::set<std::string_view> names;
  Each(field, claims, [&](const FieldPath& path, const json::Value& claim) { CheckClaim(path, claim, names, errors); });
}

void CheckDns(const FieldPath& spec_field, const json::Value& spec, FieldErrors& errors) {
  const std::string_view policy = TextOf(spec["dnsPolicy"]);
  CheckEnum(spec_field.Child("dnsPolicy"), policy, {"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"}, errors);
  const json::Value& config = spec["dnsConfig"];
  const FieldPath field = spec_field.Child("dnsConfig");
  const auto servers = ItemsOf(config["nameservers"]);
  if (policy == "None" && !IsSet(config)) return errors.Required(field, "must provide `dnsConfig` when `dnsPolicy` is None");
  if (policy == "None" && servers.empty()) {
    return errors.Required(field.Child("nameservers"), "must provide at least one DNS nameserver when `dnsPolicy` is None");
  }
  if (servers.size() > kMaxNameservers) {
    errors.Invalid(field.Child("nameservers"), config["nameservers"], StrCat("must not have more than ", kMaxNameservers, " nameservers"));
  }
  Each(field.Child("nameservers"), config["nameservers"],
       [&](const FieldPath& path, const json::Value& server) { CheckIp(path, TextOf(server), errors); });

  const FieldPath searches = field.Child("searches");
  size_t bytes = 0;
  for (const json::Value& search : ItemsOf(config["searches"])) bytes += TextOf(search).size() + 1;
  if (ItemsOf(config["searches"]).size() > kMaxSearches) {
    errors.Invalid(searches, config["searches"], StrCat("must not have more than ", kMaxSearches, " search paths"));
  }
  if (bytes > kMaxSearchBytes + 1) {
    errors.Invalid(searches, config["searches"],
                   StrCat("must not have more than ", kMaxSearchBytes, " characters (including spaces) in the search list"));
  }
  Each(searches, config["searches"], [&](const FieldPath& path, const json::Value& search) {
    std::string_view text = TextOf(search);
    if (text == ".") return;
    if (text.ends_with('.')) text.remove_suffix(1);
    AddInvalid(path, text, RelaxedSubdomainProblems(text), errors);
  });
  Each(field.Child("options"), config["options"], [&](const FieldPath& path, const json::Value& option) {
    if (TextOf(option["name"]).empty()) errors.Required(path, "must not be empty");
  });
}

void CheckHostNetwork(const FieldPath& field, const json::Value& spec, bool is_pod, FieldErrors& errors) {
  if (!json::IsTrue(spec["hostNetwork"])) return;
  Each(field.Child("containers"), spec["containers"], [&](const FieldPath& container_field, const json::Value& container) {
    Each(container_field.Child("ports"), container["ports"], [&](const FieldPath& path, const json::Value& port) {
      const int64_t host = IntOf(port["hostPort"]);
      if ((is_pod || host != 0) && host != IntOf(port["containerPort"])) {
        errors.Invalid(path.Child("hostPort"), host, "must match `containerPort` when `hostNetwork` is true");
      }
    });
  });
}

void CheckHostnames(const FieldPath& field, const json::Value& spec, FieldErrors& errors) {
  for (const std::string_view name : {"hostname", "subdomain"}) {
    if (const std::string_view text = TextOf(spec[name]); !text.empty()) CheckDnsLabel(field.Child(name), text, errors);
  }
  if (const json::Value& other = spec["hostnameOverride"]; IsSet(other)) {
    const FieldPath path = field.Child("hostnameOverride");
    if (json::IsTrue(spec["setHostnameAsFQDN"])) errors.Forbidden(path, "may not be specified when setHostnameAsFQDN is true");
    if (json::IsTrue(spec["hostNetwork"])) errors.Forbidden(path, "may not be specified when hostNetwork is true");
    if (TextOf(other).size() > kMaxHostname) errors.TooLong(path, kMaxHostname);
    CheckDnsSubdomain(path, TextOf(other), errors);
  }
  Each(field.Child("hostAliases"), spec["hostAliases"], [&](const FieldPath& path, const json::Value& alias) {
    CheckIp(path.Child("ip"), TextOf(alias["ip"]), errors);
    Each(path.Child("hostnames"), alias["hostnames"],
         [&](const FieldPath& at, const json::Value& name) { CheckDnsSubdomain(at, TextOf(name), errors); });
  });
}

// Checks the names of other objects that are set.
void CheckReferences(const FieldPath& field, const json::Value& spec, FieldErrors& errors) {
  for (const std::string_view name : {"serviceAccountName", "nodeName", "priorityClassName"}) {
    if (const std::string_view text = TextOf(spec[name]); !text.empty()) CheckDnsSubdomain(field.Child(name), text, errors);
  }
  if (IsSet(spec["runtimeClassName"])) CheckDnsSubdomain(field.Child("runtimeClassName"), TextOf(spec["runtimeClassName"]), errors);
}

void CheckGates(const FieldPath& field, const json::Value& spec, FieldErrors& errors) {
  Each(field.Child("readinessGates"), spec["readinessGates"], [&](const FieldPath& path, const json::Value& gate) {
    CheckLabelKey(path.Child("conditionType"), TextOf(gate["conditionType"]), errors);
  });
  std::set<std::string_view> seen;
  Each(field.Child("schedulingGates"), spec["schedulingGates"], [&](const FieldPath& path, const json::Value& gate) {
    const std::string_view name = TextOf(gate["name"]);
    CheckLabelKey(path, name, errors);
    if (!seen.insert(name).second) errors.Duplicate(path, name);
  });
}

// Variables read from files need an emptyDir.
void CheckEnvironmentFiles(const FieldPath& field, const json::Value& spec, FieldErrors& errors) {
  Volumes volumes;
  for (const json::Value& volume : ItemsOf(spec["volumes"])) volumes.insert_or_assign(TextOf(volume["name"]), volume);
  for (const std::string_view list : {"initContainers", "containers", "ephemeralContainers"}) {
    Each(field.Child(list), spec[list], [&](const FieldPath& container_field, const json::Value& container) {
      Each(container_field.Child("env"), container["env"], [&](const FieldPath& path, const json::Value& variable) {
        const json::Value& reference = variable["valueFrom"]["fileKeyRef"];
        if (!IsSet(reference)) return;
        const FieldPath at = path.Child("valueFrom").Child("fileKeyRef").Child("volumeName");
        const auto volume = volumes.find(TextOf(reference["volumeName"]));
        if (volume == volumes.end()) {
          errors.NotFound(at, TextOf(reference["volumeName"]));
        } else if (!IsSet(volume->second["emptyDir"])) {
          errors.Invalid(at, volume->first, "referenced volume must be of type emptyDir");
        }
      });
    });
  }
}

}  // namespace

void CheckPodSpec(const FieldPath& field, const json::Value& spec, const json::Value& metadata, FieldErrors& errors) {
  const bool is_pod = IsSet(metadata);
  if (!IsSet(spec["terminationGracePeriodSeconds"])) errors.Required(field.Child("terminationGracePeriodSeconds"));
  const Volumes volumes = CheckVolumes(field.Child("volumes"), spec["volumes"], TextOf(metadata["name"]), is_pod, errors);
  CheckClaims(field.Child("resourceClaims"), spec["resourceClaims"], metadata, errors);
  CheckAllContainers(field, spec, volumes, errors);
  CheckPodResources(field, spec, errors);
  CheckHostNetwork(field, spec, is_pod, errors);
  CheckEnum(field.Child("restartPolicy"), TextOf(spec["restartPolicy"]), {"Always", "OnFailure", "Never"}, errors);
  CheckLabels(field.Child("nodeSelector"), spec["nodeSelector"], errors);
  CheckPodSecurity(field, spec, errors);
  CheckAffinity(field.Child("affinity"), spec["affinity"], errors);
  CheckDns(field, spec, errors);
  CheckGates(field, spec, errors);
  CheckTopologySpread(field.Child("topologySpreadConstraints"), spec["topologySpreadConstraints"], errors);
  CheckReferences(field, spec, errors);
  if (IsSet(spec["activeDeadlineSeconds"])) {
    CheckRange(field.Child("activeDeadlineSeconds"), IntOf(spec["activeDeadlineSeconds"]), 1, kMaxInt32, errors);
  }
  CheckHostnames(field, spec, errors);
  CheckTolerations(field.Child("tolerations"), spec["tolerations"], errors);
  if (IsSet(spec["preemptionPolicy"])) {
    CheckEnum(field.Child("preemptionPolicy"), TextOf(spec["preemptionPolicy"]), {"PreemptLowerPriority", "Never"}, errors);
  }
  CheckOverhead(field.Child("overhead"), spec["overhead"], errors);
  CheckOperatingSystem(field, spec, errors);
  CheckEnvironmentFiles(field, spec, errors);
}

void CheckPodAnnotations(const FieldPath& field, const json::Value& annotations, const json::Value& spec, FieldErrors& errors) {
  const json::Value& mirror = annotations[kMirrorAnnotation];
  if (IsSet(mirror) && TextOf(spec["nodeName"]).empty()) {
    errors.Invalid(field.Key(kMirrorAnnotation), TextOf(mirror), "must set spec.nodeName if mirror pod annotation is set");
  }
  constexpr std::string_view kCost = "controller.kubernetes.io/pod-deletion-cost";
  if (const json::Value& cost = annotations[kCost]; IsSet(cost)) {
    const std::string_view text = TextOf(cost);
    int32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    // As Kubernetes parses it: no plus sign and no leading zeros.
    const bool plain = text == "0" || (text.starts_with('-') ? text.size() > 1 && text[1] != '0' : !text.empty() && text[0] != '0');
    if (error != std::errc() || end != text.data() + text.size() || !plain) {
      errors.Invalid(field.Key(kCost), text, "must be a 32bit integer");
    }
  }
}

}  // namespace allot::apiserver
