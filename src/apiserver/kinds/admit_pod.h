#pragma once
// What of a Pod depends on other objects: its service account, priority class and runtime class; and the tolerations that all Pods get.
//
// Errors say why a Pod is refused, for a 403. The token of the service account is not mounted.

#include <string_view>
#include <vector>

#include "base/status.h"
#include "json/editor.h"

namespace allot::apiserver {

// Other objects as they are now. Each Pod asks, and most objects do not matter to it: what has no `mention` in its text is not read.
class Lookup {
 public:
  virtual ~Lookup() = default;
  // `resource` as "runtimeclasses.node.k8s.io". Null where there is none; an empty object where it lacks the mention.
  virtual Result<json::Value> Find(json::Editor& edit, std::string_view resource, std::string_view space, std::string_view name,
                                   std::string_view mention = "") const = 0;
  // Those with the mention.
  virtual Result<std::vector<json::Value>> List(json::Editor& edit, std::string_view resource, std::string_view mention) const = 0;
};

Result<json::Value> AdmitNewPod(const Lookup& lookup, json::Editor& edit, std::string_view space, const json::Value& object);
json::Value AdmitChangedPod(json::Editor& edit, const json::Value& object, const json::Value& old);

// Overhead is for runtime classes to say.
Status CheckPodOverhead(const Lookup& lookup, const json::Value& pod);

// At most one PriorityClass is the default of all Pods.
Status CheckOnlyDefaultClass(const Lookup& lookup, const json::Value& object, bool is_new);

}  // namespace allot::apiserver
