#include "apiserver/kinds/core_checks.h"
#include "apiserver/kinds/strategies.h"

namespace allot::apiserver {

namespace {

using json::Editor;
using json::Value;

class Leases final : public Strategy {
 public:
  // Coordinated leader election is behind a gate that is off in 1.36: its fields are dropped.
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

std::shared_ptr<const Strategy> LeaseStrategy() { return std::make_shared<Leases>(); }

}  // namespace allot::apiserver
