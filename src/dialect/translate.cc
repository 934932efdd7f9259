#include "dialect/translate.h"

#include <algorithm>
#include <set>

#include "base/check.h"
#include "dialect/extended_resources.h"
#include "json/json.h"

namespace allot::dialect {
namespace {

// FNV-1a, 64 bits, as 16 hexadecimal digits. It only has to distinguish contents that users write.
std::string HashOf(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  std::string digits;
  for (int shift = 60; shift >= 0; shift -= 4) digits += "0123456789abcdef"[(hash >> shift) & 15];
  return digits;
}

json::Value Appended(json::Editor& edit, const json::Value& list, const json::Value& item) {
  const auto items = json::ItemsOf(list);
  std::vector<json::Value> all(items.begin(), items.end());
  all.push_back(item);
  return edit.Array(all);
}

// Returns the Pod with the template's claim added to its first container.
json::Value WithClaim(json::Editor& edit, const json::Value& pod, const ClaimTemplate& made) {
  const json::Value name = edit.Literal(kShareClaim);
  const json::Value& spec = pod["spec"];
  const json::Value claim = edit.Object({{"name", name}, {"resourceClaimTemplateName", edit.String(made.name)}});
  const auto containers = json::ItemsOf(spec["containers"]);
  std::vector<json::Value> changed(containers.begin(), containers.end());
  CHECK(!changed.empty());
  json::Value& first = changed[0];
  first = edit.SetAt(first, {"resources", "claims"}, Appended(edit, first["resources"]["claims"], edit.Object({{"name", name}})));
  const json::Value with = edit.SetAt(pod, {"spec", "containers"}, edit.Array(changed));
  return edit.SetAt(with, {"spec", "resourceClaims"}, Appended(edit, spec["resourceClaims"], claim));
}

bool HasClaim(const json::Value& pod, std::string_view name) {
  const auto claims = json::ItemsOf(pod["spec"]["resourceClaims"]);
  return std::any_of(claims.begin(), claims.end(), [&](const json::Value& one) { return json::TextOf(one["name"]) == name; });
}

}  // namespace

Translation Translate(const json::Value& pod, const Facts& facts) {
  Translation translation;
  translation.pod = pod;
  // The scheduler makes the claim for an amount of devices, and the scheduler never sees a Pod that names its node.
  const Result<model::Pod> read = model::Pod::Read(pod);
  if (!read.ok()) {
    translation.refusals.push_back({"spec", StrCat("cannot be read: ", read.status().message())});
  } else if (const std::set<std::string_view> resources = ExtendedResourcesOf(*read, facts);
             !read->node_name.empty() && !resources.empty()) {
    translation.refusals.push_back(
        {"spec.nodeName", StrCat("a Pod with nodeName bypasses the scheduler, and only the scheduler allocates ", *resources.begin(),
                                 "; use nodeSelector: {kubernetes.io/hostname: ", read->node_name, "}")});
  }
  return translation;
}

Translation Translate(json::Editor& edit, const json::Value& pod, const Share& share, const Facts& facts) {
  Translation translation = Translate(pod, facts);
  if (HasClaim(pod, kShareClaim)) {
    translation.refusals.push_back({"spec.resourceClaims", StrCat("the Pod already has a claim ", kShareClaim, "; give it another name")});
  }
  for (Refusal& refusal : RefusalsOf(share, facts)) translation.refusals.push_back(std::move(refusal));
  if (!translation.refusals.empty()) return translation;
  if (std::string warning = WarningOf(share, facts); !warning.empty()) translation.warnings.push_back(std::move(warning));
  const json::Value spec = ClaimSpec(edit, share, facts);
  const ClaimTemplate made{StrCat("gpu-share-", HashOf(json::Write(spec))), spec};
  translation.pod = WithClaim(edit, pod, made);
  translation.templates.push_back(made);
  return translation;
}

}  // namespace allot::dialect
