#include <map>
#include <vector>

#include "apiserver/json_names.h"
#include "apiserver/kinds/config_data.h"
#include "apiserver/kinds/kind_rules.h"

namespace allot::apiserver {

namespace {

void CheckKeys(const Value& data, std::initializer_list<std::string_view> keys, FieldErrors& errors) {
  for (const std::string_view key : keys) {
    if (!IsSet(data[key])) errors.Required(FieldPath("data").Key(key));
  }
}

// Checks a key whose value is a JSON object.
void CheckJsonKey(const Value& data, std::string_view key, FieldErrors& errors) {
  CheckKeys(data, {key}, errors);
  if (!IsSet(data[key])) return;
  const auto document = json::Parse(DecodeBase64(TextOf(data[key])));
  if (document.ok() && (document->root().IsObject() || document->root().IsNull())) return;
  errors.Invalid(FieldPath("data").Key(key), "<secret contents redacted>",
                 document.ok() ? "must be an object" : document.status().message());
}

// Checks what the secret types of Kubernetes must contain.
void CheckType(const Value& secret, FieldErrors& errors) {
  const std::string_view type = TextOf(secret["type"]);
  const Value& data = secret["data"];
  if (type == "kubernetes.io/service-account-token") {
    constexpr std::string_view kAccount = "kubernetes.io/service-account.name";
    if (TextOf(secret["metadata"]["annotations"][kAccount]).empty()) {
      errors.Required(FieldPath("metadata").Child("annotations").Key(kAccount));
    }
  } else if (type == "kubernetes.io/dockercfg") {
    CheckJsonKey(data, ".dockercfg", errors);
  } else if (type == "kubernetes.io/dockerconfigjson") {
    CheckJsonKey(data, ".dockerconfigjson", errors);
  } else if (type == "kubernetes.io/basic-auth") {
    if (!IsSet(data["username"]) && !IsSet(data["password"])) CheckKeys(data, {"username", "password"}, errors);
  } else if (type == "kubernetes.io/ssh-auth") {
    if (TextOf(data["ssh-privatekey"]).empty()) errors.Required(FieldPath("data").Key("ssh-privatekey"));
  } else if (type == "kubernetes.io/tls") {
    CheckKeys(data, {"tls.crt", "tls.key"}, errors);
  }
}

class Secrets final : public KindRules {
 public:
  // stringData is write-only: merges it into data.
  Value Default(Editor& edit, const Value& object) const override {
    const Value secret = edit.SetDefault(object, "type", edit.Literal("Opaque"));
    if (!IsSet(secret["stringData"])) return secret;
    std::map<std::string_view, Value> data;
    for (const auto& [key, value] : MembersOf(secret["data"])) data.insert_or_assign(key, value);
    for (const auto& [key, value] : MembersOf(secret["stringData"])) data.insert_or_assign(key, edit.String(EncodeBase64(TextOf(value))));
    std::vector<json::Member> members;
    for (const auto& [key, value] : data) members.push_back({key, value});
    return edit.Set(edit.Without(secret, "stringData"), "data", edit.Object(members));
  }

  void Validate(const Value& object, FieldErrors& errors) const override {
    const FieldPath data("data");
    if (CheckConfigData(data, object["data"], Encoding::kBase64, errors) > kMaxConfigBytes) errors.TooLong(data, kMaxConfigBytes);
    CheckType(object, errors);
  }
  void ValidateUpdate(const Value& object, const Value& old, FieldErrors& errors) const override {
    CheckImmutable(FieldPath("type"), object["type"], old["type"], errors);
    CheckStaysImmutable(object, old, {"data"}, errors);
    Validate(object, errors);
  }
};

}  // namespace

std::shared_ptr<const KindRules> SecretKindRules() { return std::make_shared<Secrets>(); }

}  // namespace allot::apiserver
