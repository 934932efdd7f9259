#include "apiserver/kinds/pod/template.h"

#include "apiserver/json_names.h"
#include "apiserver/kinds/metadata.h"
#include "apiserver/kinds/pod/defaults.h"
#include "apiserver/kinds/pod/prepare.h"
#include "apiserver/kinds/pod/spec.h"

namespace allot::apiserver {

json::Value DefaultPodTemplate(json::Editor& edit, const json::Value& pod_template) {
  return edit.Set(pod_template, "spec", DefaultPodSpec(edit, pod_template["spec"]));
}

json::Value PreparePodTemplate(json::Editor& edit, const json::Value& pod_template) {
  return edit.Set(pod_template, "spec", DropDisabledFields(edit, pod_template["spec"]));
}

void CheckPodTemplate(const FieldPath& field, const json::Value& pod_template, FieldErrors& errors) {
  const json::Value& spec = pod_template["spec"];
  ValidateTemplateMetadata(field, pod_template["metadata"], errors);
  CheckPodAnnotations(field.Child("annotations"), pod_template["metadata"]["annotations"], spec, errors);
  CheckPodSpec(field.Child("spec"), spec, json::Value(), errors);
  if (!ItemsOf(spec["ephemeralContainers"]).empty()) {
    errors.Forbidden(field.Child("spec").Child("ephemeralContainers"), "ephemeral containers not allowed in pod template");
  }
}

void CheckSelectorAndTemplate(const FieldPath& field, const json::Value& spec, FieldErrors& errors) {
  const json::Value& selector = spec["selector"];
  const FieldPath selector_field = field.Child("selector");
  const size_t before = errors.size();
  if (!IsSet(selector)) {
    errors.Required(selector_field);
  } else {
    CheckLabelSelector(selector_field, selector, errors);
  }
  const bool usable = errors.size() == before;
  if (IsSet(selector) && IsEmptySelector(selector)) errors.Invalid(selector_field, selector, "empty selector is invalid for deployment");
  if (!usable && IsSet(selector)) return errors.Invalid(selector_field, selector, "invalid label selector");

  const FieldPath template_field = field.Child("template");
  const json::Value& labels = spec["template"]["metadata"]["labels"];
  const bool selects_all = IsSet(selector) && IsEmptySelector(selector);
  if (!selects_all && !SelectorMatches(selector, labels)) {
    errors.Invalid(template_field.Child("metadata").Child("labels"), labels, "`selector` does not match template `labels`");
  }
  CheckPodTemplate(template_field, spec["template"], errors);
  const json::Value& pod = spec["template"]["spec"];
  if (const std::string_view policy = TextOf(pod["restartPolicy"]); policy != "Always") {
    errors.NotSupported(template_field.Child("spec").Child("restartPolicy"), policy, {"Always"});
  }
  if (IsSet(pod["activeDeadlineSeconds"])) {
    errors.Forbidden(template_field.Child("spec").Child("activeDeadlineSeconds"), "activeDeadlineSeconds in ReplicaSet is not Supported");
  }
}

}  // namespace allot::apiserver
