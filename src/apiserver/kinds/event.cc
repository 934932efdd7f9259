#include "apiserver/json_names.h"
#include "apiserver/kinds/core_checks.h"
#include "apiserver/kinds/kind_rules.h"

namespace allot::apiserver {

namespace {

constexpr size_t kMaxText = 128;
constexpr size_t kMaxMessage = 1024;

// An event must be in the namespace of its object; for a cluster-scoped object, in "default".
void CheckPlace(const Value& event, bool has_time, FieldErrors& errors) {
  const FieldPath field = FieldPath("involvedObject").Child("namespace");
  const std::string_view space = TextOf(event["metadata"]["namespace"]);
  const std::string_view about = TextOf(event["involvedObject"]["namespace"]);
  const bool for_all = space.empty() || space == "default" || (has_time && space == "kube-system");
  const bool good = about.empty() ? for_all : has_time || space == about;
  if (!good) errors.Invalid(field, about, "does not match event.namespace");
}

// An event with eventTime has the newer form, which requires a reporter and an action.
void CheckNewer(const Value& event, FieldErrors& errors) {
  const std::string_view component = TextOf(event["reportingComponent"]);
  const FieldPath field("reportingComponent");
  if (component.empty()) errors.Required(field);
  CheckLabelKey(field, component, errors);
  for (const std::string_view name : {"reportingInstance", "action", "reason"}) {
    const std::string_view text = TextOf(event[name]);
    if (text.empty()) errors.Required(FieldPath(name));
    if (text.size() > kMaxText) errors.Invalid(FieldPath(name), "", StrCat("can have at most ", kMaxText, " characters"));
  }
  if (TextOf(event["message"]).size() > kMaxMessage) {
    errors.Invalid(FieldPath("message"), "", StrCat("can have at most ", kMaxMessage, " characters"));
  }
}

class Events final : public KindRules {
 public:
  void Validate(const Value& event, FieldErrors& errors) const override {
    const bool has_time = !TextOf(event["eventTime"]).empty();
    CheckPlace(event, has_time, errors);
    if (has_time) CheckNewer(event, errors);
  }
};

}  // namespace

std::shared_ptr<const KindRules> EventKindRules() { return std::make_shared<Events>(); }

}  // namespace allot::apiserver
