#include "apiserver/kinds/pod/pod.h"

#include <map>

#include "apiserver/json_names.h"
#include "apiserver/kinds/kind_rules.h"
#include "apiserver/kinds/pod/containers.h"
#include "apiserver/kinds/pod/defaults.h"
#include "apiserver/kinds/pod/prepare.h"
#include "apiserver/kinds/pod/spec.h"

namespace allot::apiserver {

namespace {

// podIP is the first of podIPs, and hostIP of hostIPs. If a client sets only the older field, that one counts.
Value WithAddresses(Editor& edit, const Value& status, std::string_view one, std::string_view list) {
  const std::string_view address = TextOf(status[one]);
  const auto items = ItemsOf(status[list]);
  if (!address.empty() && (items.empty() || TextOf(items[0]["ip"]) != address)) {
    return edit.Set(status, list, edit.Array({edit.Object({{"ip", status[one]}})}));
  }
  return address.empty() && !items.empty() ? edit.Set(status, one, items[0]["ip"]) : status;
}

// Keeps observedGeneration if the writer omits it.
Value WithObservedGenerations(Editor& edit, const Value& status, const Value& old) {
  Value result = status;
  if (IntOf(status["observedGeneration"]) == 0 && IsSet(old["observedGeneration"])) {
    result = edit.Set(result, "observedGeneration", old["observedGeneration"]);
  }
  std::multimap<std::string_view, Value> before;
  for (const Value& condition : ItemsOf(old["conditions"])) before.emplace(TextOf(condition["type"]), condition["observedGeneration"]);
  if (!IsSet(result["conditions"])) return result;
  return edit.Set(result, "conditions", edit.Map(result["conditions"], [&](const Value& condition) {
    const auto found = before.find(TextOf(condition["type"]));
    if (found == before.end()) return condition;
    const Value generation = found->second;
    before.erase(found);
    const bool keeps = IntOf(condition["observedGeneration"]) == 0 && IntOf(generation) != 0;
    return keeps ? edit.Set(condition, "observedGeneration", generation) : condition;
  }));
}

class Pods final : public KindRules {
 public:
  Value Default(Editor& edit, const Value& object) const override { return DefaultPod(edit, object); }

  Value PrepareCreate(Editor& edit, const Value& object) const override {
    const Value pod = ApplyLabelKeys(edit, edit.Set(object, "spec", DropDisabledFields(edit, object["spec"])));
    return edit.Set(pod, "status", NewPodStatus(edit, pod));
  }
  Value PrepareUpdate(Editor& edit, const Value& object, const Value&) const override {
    return edit.Set(object, "spec", DropDisabledFields(edit, object["spec"]));
  }
  Value PrepareStatus(Editor& edit, const Value& object, const Value& old) const override {
    Value status = object["status"];
    if (TextOf(status["qosClass"]).empty() && IsSet(old["status"]["qosClass"])) {
      status = edit.Set(status, "qosClass", old["status"]["qosClass"]);
    }
    status = WithAddresses(edit, status, "podIP", "podIPs");
    status = WithObservedGenerations(edit, status, old["status"]);
    const Value pod = edit.Set(object, "status", status);
    const Value& owners = old["metadata"]["ownerReferences"];
    return IsSet(owners) ? edit.SetAt(pod, {"metadata", "ownerReferences"}, owners) : edit.WithoutAt(pod, {"metadata", "ownerReferences"});
  }

  void Validate(const Value& pod, FieldErrors& errors) const override {
    CheckPod(pod, errors);
    const Value& spec = pod["spec"];
    const FieldPath field("spec");
    if (!ItemsOf(spec["ephemeralContainers"]).empty()) errors.Forbidden(field.Child("ephemeralContainers"), "cannot be set on create");
    if (!TextOf(spec["nodeName"]).empty() && !ItemsOf(spec["schedulingGates"]).empty()) {
      errors.Forbidden(field.Child("nodeName"), "cannot be set until all schedulingGates have been cleared");
    }
  }
  void ValidateUpdate(const Value& pod, const Value& old, FieldErrors& errors) const override {
    CheckPod(pod, errors);
    CheckPodAnnotationUpdate(pod, old, errors);
    CheckPodUpdate(pod, old, errors);
  }
  void ValidateStatus(const Value& pod, const Value& old, FieldErrors& errors) const override {
    CheckPodAnnotationUpdate(pod, old, errors);
    CheckPodStatusUpdate(pod, old, errors);
  }

  void Warn(const Value& pod, std::vector<std::string>& warnings) const override {
    const std::string_view name = TextOf(pod["metadata"]["name"]);
    if (DnsLabelProblems(name).empty()) return;
    warnings.push_back(
        StrCat("metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [",
               Join(DnsLabelProblems(name), " "), "]"));
  }
};

}  // namespace

std::shared_ptr<const KindRules> PodKindRules() { return std::make_shared<Pods>(); }

void CheckPod(const Value& pod, FieldErrors& errors) {
  const FieldPath field("spec");
  const Value& spec = pod["spec"];
  CheckPodAnnotations(FieldPath("metadata").Child("annotations"), pod["metadata"]["annotations"], spec, errors);
  CheckPodSpec(field, spec, pod["metadata"], errors);
  CheckImagesOfPod(field, spec, errors);
  if (!TextOf(spec["serviceAccountName"]).empty()) return;
  Each(field.Child("volumes"), spec["volumes"], [&](const FieldPath& volume_field, const Value& volume) {
    Each(volume_field.Child("projected").Child("sources"), volume["projected"]["sources"], [&](const FieldPath& path, const Value& source) {
      if (!IsSet(source["serviceAccountToken"])) return;
      errors.Forbidden(path.Child("serviceAccountToken"), "must not be specified when serviceAccountName is not set");
    });
  });
}

Value PrepareEphemeralContainers(Editor& edit, const Value& object, const Value& old) {
  const Value& containers = object["spec"]["ephemeralContainers"];
  const Value spec =
      IsSet(containers) ? edit.Set(old["spec"], "ephemeralContainers", containers) : edit.Without(old["spec"], "ephemeralContainers");
  Value pod = edit.Set(object, "spec", DropDisabledFields(edit, spec));
  pod = IsSet(old["status"]) ? edit.Set(pod, "status", old["status"]) : edit.Without(pod, "status");
  // Only resourceVersion and managedFields come from the request.
  Value metadata = old["metadata"];
  for (const std::string_view name : {"resourceVersion", "managedFields"}) {
    const Value& sent = object["metadata"][name];
    metadata = IsSet(sent) ? edit.Set(metadata, name, sent) : edit.Without(metadata, name);
  }
  return edit.Set(pod, "metadata", metadata);
}

void ValidateEphemeralContainersUpdate(const Value& object, const Value& old, FieldErrors& errors) {
  if (IsSet(old["metadata"]["annotations"][kMirrorAnnotation])) {
    return errors.Forbidden(FieldPath("[]"), "static pods do not support ephemeral containers");
  }
  CheckPod(object, errors);
  CheckPodAnnotationUpdate(object, old, errors);
  const FieldPath field = FieldPath("spec").Child("ephemeralContainers");
  std::map<std::string_view, Value> now;
  for (const Value& container : ItemsOf(object["spec"]["ephemeralContainers"])) now.emplace(TextOf(container["name"]), container);
  for (const Value& container : ItemsOf(old["spec"]["ephemeralContainers"])) {
    const std::string_view name = TextOf(container["name"]);
    const auto found = now.find(name);
    if (found == now.end()) {
      errors.Forbidden(field, StrCat("existing ephemeral containers ", Quoted(name), " may not be removed"));
    } else if (!json::Equal(found->second, container)) {
      errors.Forbidden(field, StrCat("existing ephemeral containers ", Quoted(name), " may not be changed"));
    }
  }
}

}  // namespace allot::apiserver
