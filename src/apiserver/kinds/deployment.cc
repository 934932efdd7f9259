#include "apiserver/json_names.h"
#include "apiserver/kinds/kind_rules.h"
#include "apiserver/kinds/pod/template.h"
#include "apiserver/kinds/replica_status.h"

namespace allot::apiserver {

namespace {

bool IsPercent(std::string_view text) {
  return text.size() > 1 && text.ends_with('%') && text.find_first_not_of("0123456789") == text.size() - 1;
}

// A percentage too large to represent counts as more than 100%.
int64_t NumberOf(const Value& value) {
  if (!value.IsString()) return IntOf(value);
  const std::string_view text = value.AsString();
  if (!IsPercent(text)) return 0;
  int64_t number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size() - 1, number);
  return result.ec == std::errc() ? number : INT64_MAX;
}

void CheckCountOrPercent(const FieldPath& field, const Value& value, FieldErrors& errors) {
  if (!value.IsString()) return CheckNonnegative(field, value, errors);
  if (IsPercent(value.AsString())) return;
  errors.Invalid(
      field, value,
      "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation "
      "is '[0-9]+%')");
}

void CheckRollingUpdate(const FieldPath& field, const Value& update, FieldErrors& errors) {
  const Value& unavailable = update["maxUnavailable"];
  const FieldPath path = field.Child("maxUnavailable");
  CheckCountOrPercent(path, unavailable, errors);
  CheckCountOrPercent(field.Child("maxSurge"), update["maxSurge"], errors);
  if (NumberOf(unavailable) == 0 && NumberOf(update["maxSurge"]) == 0) {
    errors.Invalid(path, unavailable, "may not be 0 when `maxSurge` is 0");
  }
  if (unavailable.IsString() && NumberOf(unavailable) > 100) errors.Invalid(path, unavailable, "must not be greater than 100%");
}

void CheckUpdateStrategy(const FieldPath& field, const Value& strategy, FieldErrors& errors) {
  const std::string_view type = TextOf(strategy["type"]);
  const Value& update = strategy["rollingUpdate"];
  const FieldPath path = field.Child("rollingUpdate");
  if (type == "Recreate") {
    if (IsSet(update)) errors.Forbidden(path, "may not be specified when strategy `type` is 'Recreate'");
  } else if (type != "RollingUpdate") {
    errors.NotSupported(field, type, {"Recreate", "RollingUpdate"});
  } else if (!IsSet(update)) {
    errors.Required(path, "this should be defaulted and never be nil");
  } else {
    CheckRollingUpdate(path, update, errors);
  }
}

class Deployments final : public KindRules {
 public:
  Value Default(Editor& edit, const Value& object) const override {
    Value spec = edit.SetDefault(object["spec"], "replicas", edit.Int(1));
    Value strategy = edit.SetDefault(spec["strategy"], "type", edit.Literal("RollingUpdate"));
    if (TextOf(strategy["type"]) == "RollingUpdate") {
      Value update = edit.SetDefault(strategy["rollingUpdate"], "maxUnavailable", edit.Literal("25%"));
      update = edit.SetDefault(update, "maxSurge", edit.Literal("25%"));
      strategy = edit.Set(strategy, "rollingUpdate", update);
    }
    spec = edit.Set(spec, "strategy", strategy);
    spec = edit.SetDefault(spec, "revisionHistoryLimit", edit.Int(10));
    spec = edit.SetDefault(spec, "progressDeadlineSeconds", edit.Int(600));
    spec = edit.Set(spec, "template", DefaultPodTemplate(edit, spec["template"]));
    return edit.Set(object, "spec", spec);
  }

  Value PrepareCreate(Editor& edit, const Value& object) const override {
    return edit.SetAt(object, {"spec", "template"}, PreparePodTemplate(edit, object["spec"]["template"]));
  }
  Value PrepareUpdate(Editor& edit, const Value& object, const Value&) const override { return PrepareCreate(edit, object); }
  Value PrepareStatus(Editor& edit, const Value& object, const Value& old) const override {
    const Value& labels = old["metadata"]["labels"];
    return labels.IsNull() ? edit.WithoutAt(object, {"metadata", "labels"}) : edit.SetAt(object, {"metadata", "labels"}, labels);
  }

  void Validate(const Value& object, FieldErrors& errors) const override {
    const FieldPath field("spec");
    const Value& spec = object["spec"];
    CheckNonnegativeMembers(field, spec, {"replicas", "minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"}, errors);
    CheckSelectorAndTemplate(field, spec, errors);
    CheckUpdateStrategy(field.Child("strategy"), spec["strategy"], errors);
    if (IntOf(spec["progressDeadlineSeconds"]) <= IntOf(spec["minReadySeconds"])) {
      errors.Invalid(field.Child("progressDeadlineSeconds"), IntOf(spec["progressDeadlineSeconds"]),
                     "must be greater than minReadySeconds");
    }
  }
  void ValidateUpdate(const Value& object, const Value& old, FieldErrors& errors) const override {
    Validate(object, errors);
    CheckImmutable(FieldPath("spec").Child("selector"), object["spec"]["selector"], old["spec"]["selector"], errors);
  }
  void ValidateStatus(const Value& object, const Value& old, FieldErrors& errors) const override {
    const FieldPath field("status");
    const Value& status = object["status"];
    CheckNonnegativeMembers(field, status, {"updatedReplicas", "unavailableReplicas", "collisionCount"}, errors);
    CheckReplicaStatus(status, "updatedReplicas", errors);
    if (IntOf(status["collisionCount"]) < IntOf(old["status"]["collisionCount"])) {
      errors.Invalid(field.Child("collisionCount"), IntOf(status["collisionCount"]), "cannot be decremented");
    }
  }
};

}  // namespace

std::shared_ptr<const KindRules> DeploymentKindRules() { return std::make_shared<Deployments>(); }

}  // namespace allot::apiserver
