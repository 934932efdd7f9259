#pragma once
// The kinds that a CustomResourceDefinition makes, and the rules of their objects.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apiserver/kinds/custom/schema.h"
#include "apiserver/kinds/kind.h"
#include "base/status.h"
#include "json/value.h"

namespace allot::apiserver {

class CustomRules;

// Returns one kind for each served version, in the order of the definition. `definition` is an accepted CustomResourceDefinition
// (DefinitionKindRules, kind_rules.h). Returns kInvalid otherwise.
Result<std::vector<std::shared_ptr<const Kind>>> KindsOf(const json::Value& definition);

// Where a custom kind keeps the values of its scale subresource: paths below the object.
struct CustomScale {
  std::vector<std::string> spec_replicas, status_replicas;
  std::vector<std::string> selector;  // empty: none

  // Returns the autoscaling/v1 Scale of an object. Copies the object's name and other metadata.
  json::Value Read(json::Editor& edit, const json::Value& object) const;
  // Returns the object with the replicas of a submitted Scale.
  json::Value Write(json::Editor& edit, const json::Value& object, const json::Value& scale) const;
};

// nullptr if the kind has no scale subresource or is built in.
const CustomScale* ScaleOf(const Kind& kind);

// The rules of a custom kind. Objects are pruned (custom_prune.h) but not normalized, so values may have a wrong type.
class CustomKindRules final : public KindRules {
 public:
  struct Parts {
    std::string api_version, kind;
    std::shared_ptr<const CustomSchema> schema;
    std::optional<CustomScale> scale;
  };
  explicit CustomKindRules(Parts parts);
  ~CustomKindRules() override;

  const CustomSchema& schema() const { return *parts_.schema; }
  // nullptr if there is no scale subresource.
  const CustomScale* scale() const { return parts_.scale ? &*parts_.scale : nullptr; }

  json::Value Default(json::Editor& edit, const json::Value& object) const override;
  void Validate(const json::Value& object, FieldErrors& errors) const override;
  void ValidateUpdate(const json::Value& object, const json::Value& old, FieldErrors& errors) const override;
  void ValidateStatus(const json::Value& object, const json::Value& old, FieldErrors& errors) const override;

 private:
  void CheckObject(const json::Value& object, const json::Value* old, FieldErrors& errors) const;
  void CheckType(const json::Value& object, FieldErrors& errors) const;
  void CheckLists(const json::Value& object, const json::Value* old, FieldErrors& errors) const;
  void CheckScale(const json::Value& object, bool spec, FieldErrors& errors) const;
  void CheckRules(const json::Value& object, const json::Value* old, FieldErrors& errors) const;

  const Parts parts_;
  std::shared_ptr<const CustomRules> rules_;  // nullptr: the schema has none
};

}  // namespace allot::apiserver
