#include "apiserver/json_names.h"
#include "apiserver/kinds/kind_rules.h"
#include "apiserver/kinds/pod/template.h"
#include "apiserver/kinds/replica_status.h"

namespace allot::apiserver {

namespace {

class ReplicaSets final : public KindRules {
 public:
  Value Default(Editor& edit, const Value& object) const override {
    Value spec = edit.SetDefault(object["spec"], "replicas", edit.Int(1));
    spec = edit.Set(spec, "template", DefaultPodTemplate(edit, spec["template"]));
    return edit.Set(object, "spec", spec);
  }

  Value PrepareCreate(Editor& edit, const Value& object) const override {
    return edit.SetAt(object, {"spec", "template"}, PreparePodTemplate(edit, object["spec"]["template"]));
  }
  Value PrepareUpdate(Editor& edit, const Value& object, const Value&) const override { return PrepareCreate(edit, object); }

  void Validate(const Value& object, FieldErrors& errors) const override {
    const FieldPath field("spec");
    CheckNonnegativeMembers(field, object["spec"], {"replicas", "minReadySeconds"}, errors);
    CheckSelectorAndTemplate(field, object["spec"], errors);
  }
  void ValidateUpdate(const Value& object, const Value& old, FieldErrors& errors) const override {
    Validate(object, errors);
    CheckImmutable(FieldPath("spec").Child("selector"), object["spec"]["selector"], old["spec"]["selector"], errors);
  }
  void ValidateStatus(const Value& object, const Value&, FieldErrors& errors) const override {
    CheckNonnegative(FieldPath("status").Child("fullyLabeledReplicas"), object["status"]["fullyLabeledReplicas"], errors);
    CheckReplicaStatus(object["status"], "fullyLabeledReplicas", errors);
  }
};

}  // namespace

std::shared_ptr<const KindRules> ReplicaSetKindRules() { return std::make_shared<ReplicaSets>(); }

}  // namespace allot::apiserver
