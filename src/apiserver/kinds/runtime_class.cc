#include <set>
#include <string>

#include "apiserver/json_names.h"
#include "apiserver/kinds/kind_rules.h"
#include "apiserver/kinds/pod/affinity.h"
#include "apiserver/kinds/pod/resources.h"

namespace allot::apiserver {

namespace {

class RuntimeClasses final : public KindRules {
 public:
  void Validate(const Value& object, FieldErrors& errors) const override {
    const std::string_view handler = TextOf(object["handler"]);
    if (handler.empty()) {
      errors.Required(FieldPath("handler"));
    } else {
      CheckDnsLabel(FieldPath("handler"), handler, errors);
    }
    CheckOverhead(FieldPath("overhead"), object["overhead"]["podFixed"], errors);
    const FieldPath field("scheduling");
    const Value& tolerations = object["scheduling"]["tolerations"];
    CheckLabels(field.Child("nodeSelector"), object["scheduling"]["nodeSelector"], errors);
    CheckTolerations(field.Child("tolerations"), tolerations, errors);
    std::set<std::string> seen;
    Each(field.Child("tolerations"), tolerations, [&](const FieldPath& path, const Value& toleration) {
      std::string key;
      for (const std::string_view name : {"key", "operator", "value", "effect"}) key += StrCat(TextOf(toleration[name]), "\n");
      if (!seen.insert(std::move(key)).second) errors.Duplicate(path, toleration);
    });
  }

  void ValidateUpdate(const Value& object, const Value& old, FieldErrors& errors) const override {
    Validate(object, errors);
    CheckImmutable(FieldPath("handler"), object["handler"], old["handler"], errors);
  }
};

}  // namespace

std::shared_ptr<const KindRules> RuntimeClassKindRules() { return std::make_shared<RuntimeClasses>(); }

}  // namespace allot::apiserver
