#include "apiserver/json_names.h"
#include "apiserver/kinds/core_checks.h"
#include "apiserver/kinds/kind_rules.h"

namespace allot::apiserver {

namespace {

class Leases final : public KindRules {
 public:
  // Drops the fields of coordinated leader election, whose feature gate is off in 1.36.
  Value PrepareCreate(Editor& edit, const Value& object) const override {
    if (!IsSet(object["spec"])) return object;
    return edit.WithoutAt(edit.WithoutAt(object, {"spec", "strategy"}), {"spec", "preferredHolder"});
  }
  Value PrepareUpdate(Editor& edit, const Value& object, const Value&) const override { return PrepareCreate(edit, object); }

  void Validate(const Value& object, FieldErrors& errors) const override {
    const Value& spec = object["spec"];
    const FieldPath field("spec");
    if (const Value& seconds = spec["leaseDurationSeconds"]; IsSet(seconds) && IntOf(seconds) <= 0) {
      errors.Invalid(field.Child("leaseDurationSeconds"), IntOf(seconds), "must be greater than 0");
    }
    CheckNonnegative(field.Child("leaseTransitions"), spec["leaseTransitions"], errors);
  }
};

}  // namespace

std::shared_ptr<const KindRules> LeaseKindRules() { return std::make_shared<Leases>(); }

}  // namespace allot::apiserver
