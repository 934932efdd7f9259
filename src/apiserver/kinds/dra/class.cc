// DeviceClass.

#include "apiserver/kinds/checks.h"
#include "apiserver/kinds/dra/checks.h"
#include "apiserver/kinds/kind_rules.h"

namespace allot::apiserver {

namespace {

class DeviceClass final : public KindRules {
 public:
  void Validate(const json::Value& object, FieldErrors& errors) const override { CheckSpec(object["spec"], /*stored=*/false, errors); }
  void ValidateUpdate(const json::Value& object, const json::Value& old, FieldErrors& errors) const override {
    CheckSpec(object["spec"], json::Equal(object["spec"]["config"], old["spec"]["config"]), errors);
  }

 private:
  // `stored`: the configuration is unchanged.
  static void CheckSpec(const json::Value& spec, bool stored, FieldErrors& errors) {
    const FieldPath field("spec");
    CheckSelectors(field.Child("selectors"), spec["selectors"], errors);
    CheckList(field.Child("config"), spec["config"], kMaxDeviceEntries, errors,
              [&](const FieldPath& at, const json::Value& config) { CheckDeviceConfiguration(at, config, stored, errors); });
    const json::Value& name = spec["extendedResourceName"];
    if (name.IsNull() || IsExtendedResourceName(json::TextOf(name))) return;
    errors.Invalid(field.Child("extendedResourceName"), name, "must be a valid extended resource name");
  }
};

}  // namespace

std::shared_ptr<const KindRules> DeviceClassKindRules() { return std::make_shared<DeviceClass>(); }

}  // namespace allot::apiserver
