#include <vector>

#include "apiserver/json_names.h"
#include "apiserver/kinds/core_checks.h"
#include "apiserver/kinds/kind_rules.h"

namespace allot::apiserver {

namespace {

constexpr std::string_view kFinalizer = "kubernetes";

class Namespaces final : public KindRules {
 public:
  // Adds the name label, by which namespace selectors find a namespace. A generated name is not known yet.
  Value Default(Editor& edit, const Value& object) const override {
    const Value& name = object["metadata"]["name"];
    const Value labelled = TextOf(name).empty() ? object : WithNameLabel(edit, object);
    if (IsSet(labelled["status"]["phase"])) return labelled;
    return edit.SetAt(labelled, {"status", "phase"}, edit.Literal("Active"));
  }

  // Adds the finalizer that keeps the namespace until its content is gone.
  Value PrepareCreate(Editor& edit, const Value& object) const override {
    Value space = edit.Set(WithNameLabel(edit, object), "status", edit.Object({{"phase", edit.Literal("Active")}}));
    for (const Value& finalizer : ItemsOf(space["spec"]["finalizers"])) {
      if (TextOf(finalizer) == kFinalizer) return space;
    }
    return edit.SetAt(space, {"spec", "finalizers"}, edit.Append(space["spec"]["finalizers"], edit.Literal(kFinalizer)));
  }

  // Only the subresource finalize may change finalizers.
  Value PrepareUpdate(Editor& edit, const Value& object, const Value& old) const override {
    const Value& finalizers = old["spec"]["finalizers"];
    const Value space = WithNameLabel(edit, object);
    return IsSet(finalizers) ? edit.SetAt(space, {"spec", "finalizers"}, finalizers) : edit.WithoutAt(space, {"spec", "finalizers"});
  }

  void Validate(const Value& object, FieldErrors& errors) const override {
    const FieldPath field = FieldPath("spec").Child("finalizers");
    for (const Value& finalizer : ItemsOf(object["spec"]["finalizers"])) {
      const std::string_view name = TextOf(finalizer);
      CheckLabelKey(field, name, errors);
      const bool standard = name == kFinalizer || name == "orphan" || name == "foregroundDeletion";
      if (!standard && name.find('/') == std::string_view::npos) {
        errors.Invalid(field, name, "name is neither a standard finalizer name nor is it fully qualified");
      }
    }
  }

  void ValidateStatus(const Value& object, const Value&, FieldErrors& errors) const override {
    const bool ending = IsSet(object["metadata"]["deletionTimestamp"]);
    const std::string_view phase = TextOf(object["status"]["phase"]);
    const FieldPath field = FieldPath("status").Child("Phase");
    if (!ending && phase != "Active") errors.Invalid(field, phase, "may only be 'Active' if `deletionTimestamp` is empty");
    if (ending && phase != "Terminating") {
      errors.Invalid(field, phase, "may only be 'Terminating' if `deletionTimestamp` is not empty");
    }
  }

 private:
  static Value WithNameLabel(Editor& edit, const Value& object) {
    return edit.SetAt(object, {"metadata", "labels", "kubernetes.io/metadata.name"}, object["metadata"]["name"]);
  }
};

}  // namespace

std::shared_ptr<const KindRules> NamespaceKindRules() { return std::make_shared<Namespaces>(); }

}  // namespace allot::apiserver
