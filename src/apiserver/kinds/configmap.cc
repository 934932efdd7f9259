#include "apiserver/kinds/config_data.h"
#include "apiserver/kinds/kind_rules.h"

namespace allot::apiserver {

namespace {

class ConfigMaps final : public KindRules {
 public:
  void Validate(const json::Value& object, FieldErrors& errors) const override {
    const MemberIndex binary(object["binaryData"]);
    const FieldPath data("data");
    size_t bytes = CheckConfigData(data, object["data"], Encoding::kText, errors) +
                   CheckConfigData(FieldPath("binaryData"), object["binaryData"], Encoding::kBase64, errors);
    for (const json::Member& member : json::MembersOf(object["data"])) {
      if (IsSet(binary[member.key])) errors.Invalid(data.Key(member.key), member.key, "duplicate of key present in binaryData");
    }
    // kube-apiserver reports the whole object under this name.
    if (bytes > kMaxConfigBytes) errors.TooLong(FieldPath("[]"), kMaxConfigBytes);
  }

  void ValidateUpdate(const json::Value& object, const json::Value& old, FieldErrors& errors) const override {
    CheckStaysImmutable(object, old, {"data", "binaryData"}, errors);
    Validate(object, errors);
  }
};

}  // namespace

std::shared_ptr<const KindRules> ConfigMapKindRules() { return std::make_shared<ConfigMaps>(); }

}  // namespace allot::apiserver
