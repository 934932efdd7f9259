#include "local/pods/pod_rules.h"

#include <algorithm>

#include "apiserver/schema/type.h"
#include "json/editor.h"
#include "local/containers/podman.h"

namespace allot::local {
namespace {

using apiserver::FieldErrors;
using apiserver::FieldPath;
using apiserver::Shape;
using apiserver::Type;

constexpr std::string_view kNoCommand =
    "images are not run on this machine, so a container needs a command; name a program of the machine, by its path or in PATH, or start "
    "`allot up` with --runtime podman";

// Whether the value asks for nothing.
bool IsHarmless(const PodRule& rule, const json::Value& value) {
  switch (value.kind()) {
    case json::Kind::kNull: return true;
    case json::Kind::kBool: return rule.harmless == "true" ? value.AsBool() : !value.AsBool();
    case json::Kind::kArray: return value.Items().empty();
    case json::Kind::kObject: return value.Members().empty();
    case json::Kind::kNumber: return false;
    case json::Kind::kString: break;
  }
  if (value.AsString().empty()) return true;
  const std::vector<std::string_view> harmless = Split(rule.harmless, ',');
  return std::find(harmless.begin(), harmless.end(), value.AsString()) != harmless.end();
}

std::string_view ShortName(const Type& type) { return std::string_view(type.name).substr(type.name.rfind('.') + 1); }

class Check {
 public:
  Check(Runtime runtime, FieldErrors& errors, std::vector<std::string>& warnings)
      : runtime_(runtime), errors_(errors), warnings_(warnings) {}

  void Value(const Type& type, const FieldPath& path, const json::Value& value) {
    if (type.shape == Shape::kList) {
      const auto items = json::ItemsOf(value);
      for (size_t i = 0; i < items.size(); ++i) Value(*type.element, path.Index(i), items[i]);
      return;
    }
    for (const json::Member& member : json::MembersOf(value)) {
      const apiserver::Field* const field = type.Find(member.key);
      const PodRule* const rule = FindPodRule(runtime_, ShortName(type), member.key);
      const FieldPath at = path.Child(member.key);
      if (field == nullptr || rule == nullptr) {
        errors_.Forbidden(at, "this field is not supported on this machine; remove it");
      } else if (rule->verdict == Verdict::kLook) {
        Value(*field->type, at, member.value);
      } else if (rule->verdict == Verdict::kRefused && !IsHarmless(*rule, member.value)) {
        errors_.Forbidden(at, rule->sentence);
      } else if (rule->verdict == Verdict::kWarned && !IsHarmless(*rule, member.value)) {
        warnings_.push_back(StrCat(at.text(), ": ", rule->sentence));
      }
    }
  }

 private:
  const Runtime runtime_;
  FieldErrors& errors_;
  std::vector<std::string>& warnings_;
};

}  // namespace

void CheckPod(Runtime runtime, const FieldPath& place, const json::Value& pod, FieldErrors& errors, std::vector<std::string>& warnings) {
  const Type* const type = apiserver::Schema::BuiltIn().Find("io.k8s.api.core.v1.PodSpec");
  CHECK(type != nullptr);
  const FieldPath spec = place.Child("spec");
  Check(runtime, errors, warnings).Value(*type, spec, pod["spec"]);
  for (const std::string_view list : {"initContainers", "containers"}) {
    const auto containers = json::ItemsOf(pod["spec"][list]);
    for (size_t i = 0; i < containers.size(); ++i) {
      const FieldPath at = spec.Child(list).Index(i);
      if (runtime == Runtime::kPodman) {
        const Status image = CheckImageName(json::TextOf(containers[i]["image"]));
        if (!image.ok()) errors.Invalid(at.Child("image"), containers[i]["image"], image.message());
      } else if (json::ItemsOf(containers[i]["command"]).empty()) {
        errors.Required(at.Child("command"), kNoCommand);
      }
    }
  }
}

Status CheckPodSpec(Runtime runtime, const json::Value& pod, std::vector<std::string>& warnings) {
  FieldErrors errors;
  CheckPod(runtime, FieldPath(), pod, errors, warnings);
  if (errors.empty()) return Status();
  std::vector<std::string> texts;
  for (const apiserver::FieldError& error : errors.all()) texts.push_back(StrCat(error.field, ": ", error.message));
  return Unsupported(Join(texts, "; "));
}

}  // namespace allot::local
