#include "apiserver/kinds/priority_class.h"

#include <algorithm>
#include <array>

#include "apiserver/json_names.h"
#include "apiserver/kinds/core_checks.h"
#include "apiserver/kinds/kind_rules.h"

namespace allot::apiserver {

namespace {

constexpr int64_t kHighestOfUsers = 1'000'000'000;
constexpr std::array kSystemClasses = {
    SystemPriorityClass{"system-node-critical", 2'000'001'000, "For Pods without which their node does not work."},
    SystemPriorityClass{"system-cluster-critical", 2'000'000'000, "For Pods without which the cluster does not work."},
};

bool IsSystemClass(const Value& object) {
  return std::any_of(kSystemClasses.begin(), kSystemClasses.end(), [&](const SystemPriorityClass& one) {
    return one.name == TextOf(object["metadata"]["name"]) && one.value == IntOf(object["value"]) && !json::IsTrue(object["globalDefault"]);
  });
}

class PriorityClasses final : public KindRules {
 public:
  Value Default(Editor& edit, const Value& object) const override {
    return edit.SetDefault(object, "preemptionPolicy", edit.Literal("PreemptLowerPriority"));
  }

  void Validate(const Value& object, FieldErrors& errors) const override {
    if (TextOf(object["metadata"]["name"]).starts_with("system-")) {
      if (!IsSystemClass(object)) {
        errors.Forbidden(FieldPath("metadata").Child("name"),
                         "priority class names with 'system-' prefix are reserved for system use only");
      }
    } else if (IntOf(object["value"]) > kHighestOfUsers) {
      errors.Forbidden(FieldPath("value"), StrCat("maximum allowed value of a user defined priority is ", kHighestOfUsers));
    }
    if (IsSet(object["preemptionPolicy"])) {
      CheckEnum(FieldPath("preemptionPolicy"), TextOf(object["preemptionPolicy"]), {"PreemptLowerPriority", "Never"}, errors);
    }
  }

  void ValidateUpdate(const Value& object, const Value& old, FieldErrors& errors) const override {
    if (IntOf(object["value"]) != IntOf(old["value"])) errors.Forbidden(FieldPath("value"), "may not be changed in an update.");
    CheckImmutable(FieldPath("preemptionPolicy"), object["preemptionPolicy"], old["preemptionPolicy"], errors);
  }
};

}  // namespace

std::span<const SystemPriorityClass> SystemPriorityClasses() { return kSystemClasses; }

std::shared_ptr<const KindRules> PriorityClassKindRules() { return std::make_shared<PriorityClasses>(); }

}  // namespace allot::apiserver
