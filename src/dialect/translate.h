#pragma once
// Translates a Pod that asks for GPUs in a dialect into a Pod that asks with claims. Every dialect and every caller goes through it: the
// admission of the embedded API and `allot run`. A webhook will call the same function.
//
// Pure: the same Pod and facts always give the same translation, so a repeated or refused request leaves nothing behind.
//
//   dialect                     the Pod                                        its claim
//   nvidia.com/gpu: 1           unchanged, as in Kubernetes 1.36               made by the scheduler (extended_resources.h)
//   allot run --memory 6Gi      refers to a claim template for its share       made from the template
//
// `allot run` stores no template: it creates a claim with the template's spec, which the Pod owns, and lets the Pod refer to that claim.

#include <string>
#include <string_view>
#include <vector>

#include "dialect/facts.h"
#include "dialect/refusal.h"
#include "dialect/share.h"
#include "json/editor.h"
#include "json/value.h"

namespace allot::dialect {

struct ClaimTemplate {
  std::string name;  // contains the hash of the content: equal content has an equal name, in every namespace
  json::Value spec;  // the spec of the ResourceClaims made from the template
};

struct Translation {
  json::Value pod;                       // as it will be stored
  std::vector<ClaimTemplate> templates;  // the templates that the Pod refers to; create them before the Pod
  std::vector<std::string> warnings;     // for the user who creates the Pod
  std::vector<Refusal> refusals;         // if not empty, the Pod must not be stored, and `templates` is empty
};

// REQUIRES: `pod` has the API's defaults. The result's values live as long as `pod`.
Translation Translate(const json::Value& pod, const Facts& facts);

// Adds `share` to the Pod's first container as the claim `kShareClaim`. REQUIRES: the Pod has a container. The result's values live as long
// as `pod` and the editor's arena.
inline constexpr std::string_view kShareClaim = "gpu";
Translation Translate(json::Editor& edit, const json::Value& pod, const Share& share, const Facts& facts);

}  // namespace allot::dialect
