// Runs contract cases (tests/contract) of Kubernetes' own kinds against their rules, with as much of an API server as these cases need.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "apiserver/json_names.h"
#include "apiserver/kinds/dra/contract_cases.h"
#include "apiserver/kinds/kind_rules.h"
#include "apiserver/kinds/metadata.h"
#include "apiserver/kinds/pod/admit_pod.h"
#include "json/yaml.h"
#include "tests/support/requirements.h"

namespace allot::apiserver {
namespace {

using contract::Variables;
using Causes = std::set<std::pair<std::string, std::string>>;  // field, reason

const std::map<std::string, Kind, std::less<>>& TestKinds() {
  static const auto* const kKinds = [] {
    auto* kinds = new std::map<std::string, Kind, std::less<>>;
    const auto add = [&](std::string group, std::string plural, std::string kind, bool namespaced, std::shared_ptr<const KindRules> rules) {
      Kind& entry = (*kinds)[plural];
      entry.type = {std::move(group), "v1", plural, std::move(kind), namespaced};
      entry.rules = std::move(rules);
    };
    add("", "pods", "Pod", true, PodKindRules());
    add("", "nodes", "Node", false, NodeKindRules());
    add("", "namespaces", "Namespace", false, NamespaceKindRules());
    add("", "configmaps", "ConfigMap", true, ConfigMapKindRules());
    add("", "secrets", "Secret", true, SecretKindRules());
    add("", "serviceaccounts", "ServiceAccount", true, ServiceAccountKindRules());
    add("", "events", "Event", true, EventKindRules());
    add("coordination.k8s.io", "leases", "Lease", true, LeaseKindRules());
    add("scheduling.k8s.io", "priorityclasses", "PriorityClass", false, PriorityClassKindRules());
    add("node.k8s.io", "runtimeclasses", "RuntimeClass", false, RuntimeClassKindRules());
    add("apps", "deployments", "Deployment", true, DeploymentKindRules());
    add("apps", "replicasets", "ReplicaSet", true, ReplicaSetKindRules());
    add("batch", "jobs", "Job", true, JobKindRules());
    (*kinds)["namespaces"].name_rule = NameRule::kLabel;
    return kinds;
  }();
  return *kKinds;
}

// What decoding would do, as far as the cases need it: no empty values, and amounts as texts.
Value Decoded(Editor& edit, const Value& value, bool amounts) {
  if (value.IsNumber() && amounts) return edit.String(value.NumberText());
  if (value.IsArray()) return edit.Map(value, [&](const Value& item) { return Decoded(edit, item, false); });
  if (!value.IsObject()) return value;
  std::vector<json::Member> members;
  for (const auto& [key, member] : value.Members()) {
    const bool empty = member.IsNull() || (member.IsString() && member.AsString().empty()) || (member.IsArray() && member.Items().empty());
    if (!empty) members.push_back({key, Decoded(edit, member, amounts || key == "limits" || key == "requests")});
  }
  return edit.Object(members);
}

// Empty when it matches, else where it does not.
std::string Mismatch(const Value& expected, const Value& actual, const std::string& path) {
  const auto no = [&] { return StrCat(path, ": expected ", json::Write(expected), ", got ", json::Write(actual)); };
  const std::string_view text = TextOf(expected);
  if (text.starts_with("$re ")) {
    return std::regex_search(std::string(TextOf(actual)), std::regex(std::string(text.substr(4)))) ? "" : no();
  }
  if (const Value& length = expected["$len"]; length.IsNumber() && actual.IsString()) {
    return actual.AsString().size() == static_cast<size_t>(*length.AsInt64()) ? "" : no();
  }
  if (const Value& some = expected["$has"]; some.IsArray()) {
    for (const Value& one : some.Items()) {
      const auto items = ItemsOf(actual);
      if (std::none_of(items.begin(), items.end(), [&](const Value& item) { return Mismatch(one, item, path).empty(); })) return no();
    }
    return "";
  }
  if (expected.IsObject() && expected["$exact"].IsNull()) {
    for (const auto& [key, value] : expected.Members()) {
      if (std::string wrong = Mismatch(value, actual[key], StrCat(path, ".", key)); !wrong.empty()) return wrong;
    }
    return "";
  }
  if (expected.IsArray()) {
    if (ItemsOf(actual).size() != expected.Items().size()) return no();
    for (size_t i = 0; i < expected.Items().size(); ++i) {
      if (std::string wrong = Mismatch(expected.Items()[i], actual.Items()[i], StrCat(path, "[", i, "]")); !wrong.empty()) return wrong;
    }
    return "";
  }
  return contract::Mismatch(expected, actual, path);
}

// One namespace of an API server, for one case.
class World final : public Lookup {
 public:
  World(Editor& edit, Variables variables) : edit_(edit), variables_(std::move(variables)) {}

  void Run(const Value& step) {
    const std::string_view verb = step["POST"].IsString() ? "POST" : step["PUT"].IsString() ? "PUT" : "PATCH";
    ASSERT_TRUE(step[verb].IsString());
    const Value path = contract::Substitute(edit_, step[verb], variables_);
    const auto parts = Split(TextOf(path), '/');
    const auto kind = TestKinds().find(parts[0]);
    ASSERT_NE(kind, TestKinds().end()) << parts[0];
    Write(kind->second, verb, parts.size() > 1 ? parts[1] : std::string_view(), parts.size() > 2, BodyOf(step), step);
  }

 private:
  Value Filled(const Value& value) { return contract::Expand(edit_, contract::Substitute(edit_, value, variables_)); }

  Value BodyOf(const Value& step) {
    Value body = Filled(step["body"]);
    const Value with = Filled(step["with"]);
    for (const json::Member& change : MembersOf(with)) {
      body = contract::SetPath(edit_, body, contract::ParsePath(change.key), &change.value);
    }
    return body;
  }

  // JSON patches of the cases: an item at the end of a list, or one item removed.
  Value Patched(const Value& old, const Value& step, const Value& patch) {
    if (TextOf(step["type"]) != "json") return contract::MergePatch(edit_, old, patch);
    const Value& op = patch.Items()[0];
    std::vector<contract::PathStep> path;
    for (const std::string_view part : Split(TextOf(op["path"]).substr(1), '/')) path.push_back({std::string(part), {}});
    const Value* list = &old;
    for (size_t i = 0; i + 1 < path.size(); ++i) list = &(*list)[path[i].key];
    path.back().index = path.back().key == "-" ? ItemsOf(*list).size() : std::stoul(path.back().key);
    return contract::SetPath(edit_, old, path, TextOf(op["op"]) == "remove" ? nullptr : &op["value"]);
  }

  void Write(const Kind& kind, std::string_view verb, std::string_view name, bool status, const Value& body, const Value& step) {
    const auto key = std::pair(kind.type.plural, std::string(name));
    const bool creates = verb == "POST" || !objects_.contains(key);
    const Value old = creates ? Value() : objects_.at(key);
    Value object = Decoded(edit_, verb == "PATCH" ? Patched(old, step, body) : body, false);
    FieldErrors errors;
    const Status refused = creates ? Create(kind, object, errors) : Update(kind, object, old, status, errors);
    Expect(step, object, refused, errors);
    if (refused.ok() && errors.empty()) objects_[{kind.type.plural, std::string(TextOf(object["metadata"]["name"]))}] = object;
  }

  Status Create(const Kind& kind, Value& object, FieldErrors& errors) {
    Value metadata = edit_.Set(object["metadata"], "uid", edit_.Literal("9c5b0e3a-0000-4000-8000-000000000001"));
    metadata = edit_.Set(metadata, "creationTimestamp", edit_.Literal("2026-01-01T00:00:00Z"));
    metadata = edit_.Set(metadata, "generation", edit_.Int(1));
    if (kind.type.namespaced) metadata = edit_.Set(metadata, "namespace", edit_.Literal("ns"));
    object = kind.rules->Default(edit_, edit_.Set(edit_.Without(object, "status"), "metadata", metadata));
    TRY(Admit(kind, object, nullptr));
    object = kind.rules->PrepareCreate(edit_, object);
    ValidateMetadata(kind, object, errors);
    kind.rules->Validate(object, errors);
    return Status();
  }

  Status Update(const Kind& kind, Value& object, const Value& old, bool status, FieldErrors& errors) {
    object = kind.rules->Default(edit_, object);
    if (status) {
      object = kind.rules->PrepareStatus(edit_, edit_.Set(object, "spec", old["spec"]), old);
      kind.rules->ValidateStatus(object, old, errors);
      return Status();
    }
    TRY(Admit(kind, object, &old));
    object = kind.rules->PrepareUpdate(edit_, object, old);
    if (!json::Equal(object["spec"], old["spec"])) object = edit_.SetAt(object, {"metadata", "generation"}, edit_.Int(2));
    ValidateMetadataUpdate(kind, object, old, errors);
    kind.rules->ValidateUpdate(object, old, errors);
    return Status();
  }

  Status Admit(const Kind& kind, Value& object, const Value* old) {
    if (kind.type.plural == "priorityclasses") return CheckOnlyDefaultClass(*this, object, old == nullptr);
    if (kind.type.plural != "pods") return Status();
    if (old != nullptr) return object = AdmitChangedPod(edit_, object, *old), Status();
    ASSIGN_OR_RETURN(object, AdmitNewPod(*this, edit_, "ns", object));
    return CheckPodOverhead(*this, object);
  }

  Result<Value> Find(Editor&, std::string_view resource, std::string_view, std::string_view name, std::string_view) const override {
    const auto found = objects_.find({std::string(resource.substr(0, resource.find('.'))), std::string(name)});
    return found == objects_.end() ? Value() : found->second;
  }
  Result<std::vector<Value>> List(Editor&, std::string_view resource, std::string_view) const override {
    std::vector<Value> list;
    for (const auto& [key, object] : objects_) {
      if (resource.starts_with(key.first)) list.push_back(object);
    }
    return list;
  }

  void Expect(const Value& step, const Value& object, const Status& refused, const FieldErrors& errors) {
    Causes expected, got;
    const Value causes = Filled(step["invalid"]);
    for (const auto& [field, reason] : MembersOf(causes)) expected.emplace(field, TextOf(reason));
    for (const FieldError& error : errors.all()) got.emplace(error.field, error.reason);
    if (IsFailure(step)) {
      EXPECT_TRUE(!refused.ok() || !got.empty());
      if (step["message"].IsString() && !refused.ok()) {
        EXPECT_EQ(Mismatch(edit_.String(StrCat("$re ", TextOf(Filled(step["message"])))), edit_.String(refused.message()), "message"), "");
      }
      if (!expected.empty()) {
        EXPECT_EQ(got, expected);
      }
      return;
    }
    EXPECT_TRUE(refused.ok()) << refused.message();
    EXPECT_EQ(got, expected);
    EXPECT_EQ(Mismatch(Filled(step["match"]), step["match"].IsNull() ? Value() : object, ""), "");
    for (const auto& [name, path] : MembersOf(step["save"])) variables_[std::string(name)] = At(object, TextOf(path));
  }

  static bool IsFailure(const Value& step) {
    return step["error"].IsString() || !step["invalid"].IsNull() || (step["code"].IsNumber() && *step["code"].AsInt64() >= 400);
  }

  static Value At(const Value& object, std::string_view path) {
    Value value = object;
    if (path == "$") return value;
    for (const contract::PathStep& step : contract::ParsePath(path)) value = value[step.key];
    return value;
  }

  Editor& edit_;
  Variables variables_;
  std::map<std::pair<std::string, std::string>, Value> objects_;
};

std::vector<json::Document> ReadCases(const std::string& name) {
  std::ifstream file(tests::SourceDir() / "tests/contract/cases" / name);
  std::stringstream text;
  text << file.rdbuf();
  // The runner of the cases reads a plain n as a text, kubectl's YAML as a bool.
  auto documents = json::ParseYaml(std::regex_replace(text.str(), std::regex(": n([,}])"), ": \"n\"$1"));
  CHECK(documents.ok());
  return *std::move(documents);
}

void RunCase(const Value& one) {
  json::Arena arena;
  Editor edit(arena);
  const Value none = edit.Array({edit.Object({})});
  const Value& rows = one["rows"].IsArray() ? one["rows"] : none;
  for (const Value& row : rows.Items()) {
    Variables variables = {{"id", edit.Literal("x1")}, {"namespace", edit.Literal("ns")}};
    for (const auto& [key, value] : MembersOf(one["let"])) variables[std::string(key)] = value;
    for (const auto& [key, value] : MembersOf(contract::Substitute(edit, row, variables))) variables[std::string(key)] = value;
    SCOPED_TRACE(StrCat(TextOf(one["name"]), " ", json::Write(row).substr(0, 200)));
    World world(edit, variables);
    for (const Value& step : one["steps"].Items()) world.Run(step);
  }
}

// Those of the cases that are about rules, not about the API around them.
void RunCases(const std::string& file, const std::set<std::string, std::less<>>& names) {
  const auto documents = ReadCases(file);
  size_t run = 0;
  for (const Value& one : documents.at(0).root().Items()) {
    if (!names.contains(TextOf(one["name"]))) continue;
    ++run;
    RunCase(one);
  }
  EXPECT_EQ(run, names.size()) << "a case of " << file << " has another name now";
}

TEST(Contract, Pods) {
  RunCases("pods.yaml",
           {"defaults of a Pod", "imagePullPolicy follows the tag: ${image}", "limits are the default of requests", "qosClass: ${qos}",
            "Pod refused: ${what}", "a negative grace period becomes one second", "a Pod with an unknown service account is Forbidden",
            "claims of containers are kept", "Pod field is immutable: ${what}", "a container cannot be added to a Pod",
            "image, labels, tolerations and deadline of a Pod can change", "tolerations cannot be removed",
            "scheduling gates hold a Pod and can only be removed", "phase and conditions are written through status",
            "resourceClaimStatuses are written through status"});
}

TEST(Contract, SmallKinds) {
  RunCases("kinds.yaml", {"Secret stringData is written into data",
                          "a Secret's type is immutable",
                          "an immutable ${resource} does not change",
                          "ConfigMap has text and binary data",
                          "ConfigMap refused: ${what}",
                          "a ServiceAccount is created and used by a Pod",
                          "a Lease keeps times with microseconds",
                          "Lease refused: ${what}",
                          "an Event of another namespace than its object's is refused",
                          "a PriorityClass's value is immutable",
                          "PriorityClass refused: ${what}",
                          "a Pod's priority comes from its class",
                          "a Pod with an unknown priority class is Forbidden",
                          "a Pod with a priority of its own is Forbidden",
                          "a RuntimeClass's handler is immutable",
                          "a RuntimeClass with a bad handler is refused",
                          "a Pod gets overhead and node selector of its RuntimeClass",
                          "a Pod with an unknown RuntimeClass is Forbidden",
                          "a Node's capacity and conditions are written through status",
                          "a new Node is tainted until it is ready",
                          "labels, taints and cordoning of a Node change",
                          "Node refused: ${what}"});
}

TEST(Contract, Metadata) {
  RunCases("verbs.yaml", {"create without a name is invalid", "bad name is invalid: ${what}", "a name of 253 characters with dots is good",
                          "namespaces are DNS labels without dots", "a new namespace is Active and carries its name as a label",
                          "bad labels and annotations are named by their path", "annotations of more than 256 KiB are too long",
                          "ownerReferences are validated", "unknown finalizers must be qualified"});
}

TEST(Contract, Workloads) {
  RunCases("workloads.yaml", {"defaults of a Deployment", "Deployment refused: ${what}", "a Deployment's selector is immutable",
                              "Job refused: ${what}", "a Job's template is immutable"});
}

}  // namespace
}  // namespace allot::apiserver
