#pragma once
// Objects from YAML and what their rules say of them. Included by tests only.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/kinds/dra/contract_cases.h"
#include "apiserver/kinds/kind.h"
#include "json/yaml.h"

namespace allot::apiserver {

// "field reason" of each error.
inline std::vector<std::string> CausesOf(const FieldErrors& errors) {
  std::vector<std::string> causes;
  for (const FieldError& error : errors.all()) causes.push_back(StrCat(error.field, " ", error.reason));
  return causes;
}

// Trees that live as long as the test.
class Trees {
 public:
  json::Editor& edit() { return edit_; }

  json::Value Read(std::string_view yaml) {
    auto documents = json::ParseYaml(yaml);
    CHECK(documents.ok() && documents->size() == 1);
    return edit_.Copy(documents->front().root());
  }
  // `object` with the YAML at a path like `spec.containers[0].env`; "none" takes away what is there.
  json::Value With(const json::Value& object, std::string_view path, std::string_view yaml) {
    if (yaml == "none") return contract::SetPath(edit_, object, contract::ParsePath(path), nullptr);
    const json::Value value = Read(yaml);
    return contract::SetPath(edit_, object, contract::ParsePath(path), &value);
  }

  // A new object on its way to the store; what is wrong with it.
  std::vector<std::string> Create(const KindRules& rules, const json::Value& object) {
    FieldErrors errors;
    rules.Validate(Prepared(rules, object), errors);
    return CausesOf(errors);
  }
  json::Value Prepared(const KindRules& rules, const json::Value& object) {
    return rules.PrepareCreate(edit_, rules.Default(edit_, object));
  }
  // The same for one that replaces `old`, which is as it was stored.
  std::vector<std::string> Update(const KindRules& rules, const json::Value& object, const json::Value& old) {
    FieldErrors errors;
    rules.ValidateUpdate(rules.PrepareUpdate(edit_, rules.Default(edit_, object), old), old, errors);
    return CausesOf(errors);
  }
  std::vector<std::string> WriteStatus(const KindRules& rules, const json::Value& object, const json::Value& old) {
    FieldErrors errors;
    rules.ValidateStatus(rules.PrepareStatus(edit_, object, old), old, errors);
    return CausesOf(errors);
  }

 private:
  json::Arena arena_;
  json::Editor edit_{arena_};
};

}  // namespace allot::apiserver
