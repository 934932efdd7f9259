#include "apiserver/json_names.h"
#include "apiserver/kinds/job_checks.h"
#include "apiserver/kinds/kind_rules.h"
#include "apiserver/kinds/pod/template.h"

namespace allot::apiserver {

namespace {

Value DefaultFailurePolicy(Editor& edit, const Value& policy) {
  if (!IsSet(policy["rules"])) return policy;
  return edit.Set(policy, "rules", edit.Map(policy["rules"], [&](const Value& rule) {
    if (!IsSet(rule["onPodConditions"])) return rule;
    const auto with_status = [&](const Value& pattern) {
      return TextOf(pattern["status"]).empty() ? edit.Set(pattern, "status", edit.Literal("True")) : pattern;
    };
    return edit.Set(rule, "onPodConditions", edit.Map(rule["onPodConditions"], with_status));
  }));
}

// Adds labels that identify the Job's Pods, and a selector for them, unless the Job has a manual selector.
Value WithGeneratedSelector(Editor& edit, const Value& object) {
  if (json::IsTrue(object["spec"]["manualSelector"])) return object;
  const Value& name = object["metadata"]["name"];
  const Value& uid = object["metadata"]["uid"];
  Value labels = object["spec"]["template"]["metadata"]["labels"];
  labels = edit.SetDefault(labels, "job-name", name);
  labels = edit.SetDefault(labels, "batch.kubernetes.io/job-name", name);
  labels = edit.SetDefault(labels, "controller-uid", uid);
  labels = edit.SetDefault(labels, "batch.kubernetes.io/controller-uid", uid);
  Value job = edit.SetAt(object, {"spec", "template", "metadata", "labels"}, labels);
  constexpr std::string_view kUid = "batch.kubernetes.io/controller-uid";
  if (IsSet(job["spec"]["selector"]["matchLabels"][kUid])) return job;
  return edit.SetAt(job, {"spec", "selector", "matchLabels", kUid}, uid);
}

// A Job without labels gets those of its template, including generated ones.
Value WithTemplateLabels(Editor& edit, const Value& object) {
  const Value& labels = object["spec"]["template"]["metadata"]["labels"];
  const bool takes = IsSet(labels) && MembersOf(object["metadata"]["labels"]).empty();
  return takes ? edit.SetAt(object, {"metadata", "labels"}, labels) : object;
}

class Jobs final : public KindRules {
 public:
  Value Default(Editor& edit, const Value& object) const override {
    Value spec = object["spec"];
    if (!IsSet(spec["completions"]) && !IsSet(spec["parallelism"])) spec = edit.Set(spec, "completions", edit.Int(1));
    spec = edit.SetDefault(spec, "parallelism", edit.Int(1));
    spec = edit.SetDefault(spec, "backoffLimit", edit.Int(IsSet(spec["backoffLimitPerIndex"]) ? INT32_MAX : 6));
    spec = edit.SetDefault(spec, "completionMode", edit.Literal("NonIndexed"));
    spec = edit.SetDefault(spec, "suspend", edit.Bool(false));
    const bool has_policy = IsSet(spec["podFailurePolicy"]);
    spec = edit.SetDefault(spec, "podReplacementPolicy", edit.Literal(has_policy ? "Failed" : "TerminatingOrFailed"));
    spec = edit.SetDefault(spec, "manualSelector", edit.Bool(false));
    if (has_policy) spec = edit.Set(spec, "podFailurePolicy", DefaultFailurePolicy(edit, spec["podFailurePolicy"]));
    spec = edit.Set(spec, "template", DefaultPodTemplate(edit, spec["template"]));
    return edit.Set(object, "spec", spec);
  }

  Value PrepareCreate(Editor& edit, const Value& object) const override {
    return PrepareUpdate(edit, WithGeneratedSelector(edit, object), Value());
  }
  Value PrepareUpdate(Editor& edit, const Value& object, const Value&) const override {
    return WithTemplateLabels(edit, edit.SetAt(object, {"spec", "template"}, PreparePodTemplate(edit, object["spec"]["template"])));
  }

  void Validate(const Value& object, FieldErrors& errors) const override { CheckJobSpec(object, errors); }
  void ValidateUpdate(const Value& object, const Value& old, FieldErrors& errors) const override {
    CheckJobSpec(object, errors);
    CheckJobSpecUpdate(object, old, errors);
  }
  void ValidateStatus(const Value& object, const Value& old, FieldErrors& errors) const override { CheckJobStatus(object, old, errors); }
};

}  // namespace

std::shared_ptr<const KindRules> JobKindRules() { return std::make_shared<Jobs>(); }

}  // namespace allot::apiserver
