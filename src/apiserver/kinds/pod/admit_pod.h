#pragma once
// Sets what depends on other objects in a Pod (service account, priority class, runtime class), and the default tolerations.
//
// Errors say why a Pod is refused, for a 403. The service account's token is not mounted.

#include <string_view>
#include <vector>

#include "base/status.h"
#include "json/editor.h"

namespace allot::apiserver {

// Reads other objects. Every Pod causes lookups, and most objects do not matter to it, so objects without `mention` in their text are not
// parsed.
class Lookup {
 public:
  virtual ~Lookup() = default;
  // `resource` is like "runtimeclasses.node.k8s.io". Returns null if the object does not exist, and an empty object if it lacks the
  // mention.
  virtual Result<json::Value> Find(json::Editor& edit, std::string_view resource, std::string_view space, std::string_view name,
                                   std::string_view mention = "") const = 0;
  // Returns the objects with the mention.
  virtual Result<std::vector<json::Value>> List(json::Editor& edit, std::string_view resource, std::string_view mention) const = 0;
};

Result<json::Value> AdmitNewPod(const Lookup& lookup, json::Editor& edit, std::string_view space, const json::Value& object);
json::Value AdmitChangedPod(json::Editor& edit, const json::Value& object, const json::Value& old);

// Only a RuntimeClass may set overhead.
Status CheckPodOverhead(const Lookup& lookup, const json::Value& pod);

// At most one PriorityClass may be the global default.
Status CheckOnlyDefaultClass(const Lookup& lookup, const json::Value& object, bool is_new);

}  // namespace allot::apiserver
