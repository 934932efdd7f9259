// Runs the contract cases of resource.k8s.io against the kind rules, with as much of an API server as these cases need.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "apiserver/kinds/dra/admin_access.h"
#include "apiserver/kinds/dra/contract_cases.h"
#include "apiserver/kinds/kind_rules.h"
#include "base/test_util.h"
#include "json/yaml.h"
#include "tests/support/requirements.h"

namespace allot::apiserver {
namespace {

using contract::Variables;
using Causes = std::set<std::pair<std::string, std::string>>;  // field, reason

// What only decoding does: normal forms of quantities and the refusal of bad ones. The last one has a key `y`, which is a bool in kubectl's
// YAML (dra_slice_test.cc has it).
bool IsForKindRules(std::string_view name) {
  return name != "quantities are stored in canonical form: ${sent}" && name != "a quantity that does not parse is BadRequest" &&
         name != "capacity requests are kept" && name != "slice refused: nodeSelector with two terms";
}

std::string ReadText(const std::string& name) {
  std::ifstream file(tests::SourceDir() / "tests/contract/cases" / name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

struct KindOfCase {
  std::string kind;
  std::shared_ptr<const KindRules> rules;
};

KindOfCase KindFor(std::string_view plural) {
  if (plural == "resourceclaims") return {"ResourceClaim", ResourceClaimKindRules()};
  if (plural == "resourceclaimtemplates") return {"ResourceClaimTemplate", ResourceClaimTemplateKindRules()};
  if (plural == "deviceclasses") return {"DeviceClass", DeviceClassKindRules()};
  if (plural == "resourceslices") return {"ResourceSlice", ResourceSliceKindRules()};
  return {};
}

// One namespace of an API server, for one case.
class World {
 public:
  World(json::Editor& edit, Variables variables) : edit_(edit), variables_(std::move(variables)) {
    variables_["id"] = edit_.Literal("x1");
    variables_["namespace"] = edit_.Literal("ns");
  }

  void Run(const json::Value& step) {
    if (step.IsArray()) {
      for (const json::Value& one : step.Items()) Run(one);
      return;
    }
    for (const std::string_view verb : {"POST", "PUT", "PATCH", "DELETE"}) {
      if (step[verb].IsString()) Request(verb, step);
    }
  }

 private:
  json::Value Filled(const json::Value& value) { return contract::Expand(edit_, contract::Substitute(edit_, value, variables_)); }

  json::Value BodyOf(const json::Value& step) {
    json::Value body = Filled(step["body"]);
    for (const json::Value& path : json::ItemsOf(step["without"])) {
      body = contract::SetPath(edit_, body, contract::ParsePath(path.AsString()), nullptr);
    }
    const json::Value with = Filled(step["with"]);
    for (const json::Member& change : json::MembersOf(with)) {
      body = contract::SetPath(edit_, body, contract::ParsePath(change.key), &change.value);
    }
    return body;
  }

  void Request(std::string_view verb, const json::Value& step) {
    const json::Value path = Filled(step[verb]);
    SCOPED_TRACE(StrCat(verb, " ", path.AsString()));
    const auto parts = Split(path.AsString(), '/');
    const KindOfCase kind = KindFor(parts[0]);
    if (kind.rules == nullptr) {
      space_ = contract::MergePatch(edit_, space_, BodyOf(step));
      return;
    }
    const std::string_view subresource = parts.size() > 2 ? parts[2] : "";
    if (verb == "DELETE") {
      object_ = edit_.SetAt(object_, {"metadata", "deletionTimestamp"}, edit_.Literal("2026-01-01T00:00:00Z"));
      return;
    }
    json::Value body = BodyOf(step);
    if (verb == "PATCH") body = contract::MergePatch(edit_, object_, body);
    FieldErrors errors;
    const json::Value object = Write(*kind.rules, verb == "POST", subresource, body, errors);
    const json::Value* old = verb == "POST" ? nullptr : &object_;
    if (const FieldPath at = FindAdminAccess(kind.kind, subresource, object, old); !at.text().empty() && !AllowsAdminAccess(space_)) {
      errors.Forbidden(at, "");
    }
    Expect(step, object, errors);
    if (errors.empty()) object_ = object;
    for (const json::Member& variable : json::MembersOf(step["save"])) variables_[std::string(variable.key)] = object;
  }

  json::Value Write(const KindRules& rules, bool create, std::string_view subresource, const json::Value& body, FieldErrors& errors) {
    json::Value object = rules.Default(edit_, body);
    if (create) {
      object = rules.PrepareCreate(edit_, edit_.Without(object, "status"));
      rules.Validate(object, errors);
    } else if (subresource == "status") {
      object = rules.PrepareStatus(edit_, edit_.Set(object_, "status", object["status"]), object_);
      rules.ValidateStatus(object, object_, errors);
    } else {
      object = rules.PrepareUpdate(edit_, edit_.Set(object, "status", object_["status"]), object_);
      rules.ValidateUpdate(object, object_, errors);
    }
    return object;
  }

  void Expect(const json::Value& step, const json::Value& object, const FieldErrors& errors) {
    Causes actual;
    std::string messages;
    for (const FieldError& error : errors.all()) {
      actual.emplace(error.field, error.reason);
      messages += StrCat(error.field, ": ", error.message, "\n");
    }
    EXPECT_EQ(actual, ExpectedCauses(Filled(step["invalid"]))) << messages;
    EXPECT_THAT(messages, testing::HasSubstr(std::string(json::TextOf(step["message"]))));
    const json::Value match = Filled(step["match"]);
    for (const std::string_view part : {"spec", "status"}) {
      if (match[part].IsNull()) continue;
      EXPECT_EQ(contract::Mismatch(match[part], object[part], std::string(part)), "");
    }
  }

  static Causes ExpectedCauses(const json::Value& invalid) {
    Causes causes;
    const bool below = !invalid["$below"].IsNull();
    const std::string prefix = below ? StrCat(invalid["$below"].AsString(), ".") : "";
    for (const json::Member& cause : json::MembersOf(below ? invalid["causes"] : invalid)) {
      const std::string field = StrCat(prefix, cause.key);
      if (cause.value.IsString()) causes.emplace(field, cause.value.AsString());
      for (const json::Value& reason : json::ItemsOf(cause.value)) causes.emplace(field, reason.AsString());
    }
    return causes;
  }

  json::Editor& edit_;
  Variables variables_;
  json::Value space_, object_;
};

void RunRow(json::Editor& edit, const json::Value& one, const json::Value& row) {
  // Names are checked with the rest of metadata, elsewhere.
  if (!row["causes"]["metadata.name"].IsNull()) return;
  Variables variables;
  for (const json::Member& let : json::MembersOf(one["let"])) variables[std::string(let.key)] = let.value;
  for (const json::Member& cell : json::MembersOf(contract::Substitute(edit, row, variables))) {
    variables[std::string(cell.key)] = cell.value;
  }
  SCOPED_TRACE(StrCat(one["name"].AsString(), " ", json::Write(row).substr(0, 200)));
  World(edit, std::move(variables)).Run(one["steps"]);
}

// Runs each case of a file, each of its rows. Returns how many there were.
size_t RunCases(const std::string& file) {
  const auto documents = json::ParseYaml(ReadText(file));
  if (!documents.ok() || documents->size() != 1) return 0;
  json::Arena arena;
  json::Editor edit(arena);
  size_t runs = 0;
  for (const json::Value& one : documents->front().root().Items()) {
    if (!one["name"].IsString() || !IsForKindRules(one["name"].AsString())) continue;
    if (!one["rows"].IsArray()) RunRow(edit, one, json::Value());
    for (const json::Value& row : json::ItemsOf(one["rows"])) RunRow(edit, one, row);
    runs += std::max<size_t>(1, json::ItemsOf(one["rows"]).size());
  }
  return runs;
}

TEST(DraContract, OfClaimsHoldsForTheKindRules) { EXPECT_GE(RunCases("dra-claims.yaml"), 75u); }
TEST(DraContract, OfSlicesHoldsForTheKindRules) { EXPECT_GE(RunCases("dra-slices.yaml"), 80u); }
TEST(DraContract, OfClaimStatusHoldsForTheKindRules) { EXPECT_GE(RunCases("dra-status.yaml"), 30u); }

}  // namespace
}  // namespace allot::apiserver
