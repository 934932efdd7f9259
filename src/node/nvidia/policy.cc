#include "node/nvidia/policy.h"

#include <fnmatch.h>

#include <algorithm>
#include <initializer_list>

#include "json/value.h"
#include "json/yaml.h"

namespace allot::node::nvidia {
namespace {

using json::Value;

constexpr size_t kMaxFile = 1 << 20;         // bytes; the limit of a ConfigMap
constexpr int64_t kMostSharers = 1'000'000;  // of one GPU; fewer than any GPU has MiB

bool MatchesPattern(const std::string& pattern, std::string_view text) {
  return ::fnmatch(pattern.c_str(), std::string(text).c_str(), 0) == 0;
}

// Joins "gpus[1]" and "mode" to "gpus[1].mode".
std::string Path(std::string_view parent, std::string_view field) {
  return parent.empty() ? std::string(field) : StrCat(parent, ".", field);
}

Status WrongKind(std::string_view path, std::string_view wanted, const Value& value) {
  return Invalid(path, ": expected ", wanted, ", not ", json::KindName(value.kind()));
}

// Returns null if the field is absent or has no value ("gpus:" and nothing behind it), as Kubernetes does.
const Value* Field(const Value& object, std::string_view name) {
  const Value* const value = object.Find(name);
  return value == nullptr || value->IsNull() ? nullptr : value;
}

// Ok if the object has no other fields than these.
Status CheckFields(const Value& value, std::string_view path, std::initializer_list<std::string_view> known) {
  if (!value.IsObject()) return WrongKind(path.empty() ? "the document" : path, "an object", value);
  for (const json::Member& member : value.Members()) {
    if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
    return Invalid(Path(path, member.key), ": unknown field; there are ", Join(std::vector<std::string>(known.begin(), known.end()), ", "));
  }
  return {};
}

Status ReadText(const Value& object, std::string_view path, std::string_view field, std::optional<std::string>& text) {
  const Value* const value = Field(object, field);
  if (value == nullptr) return {};
  if (!value->IsString()) return WrongKind(Path(path, field), "a string", *value);
  if (value->AsString().empty()) return Invalid(Path(path, field), ": must not be empty");
  text = value->AsString();
  return {};
}

Status ReadInt(const Value& object, std::string_view path, std::string_view field, int64_t least, int64_t most,
               std::optional<int64_t>& number) {
  const Value* const value = Field(object, field);
  if (value == nullptr) return {};
  number = value->IsNumber() ? value->AsInt64() : std::nullopt;
  if (!number || *number < least || *number > most) {
    return Invalid(Path(path, field), ": expected a whole number from ", least, " to ", most);
  }
  return {};
}

// Reads the fields mode and maxSharers of `object`.
Result<Policy> ReadPolicy(const Value& object, std::string_view path) {
  std::optional<std::string> mode;
  std::optional<int64_t> sharers;
  TRY(ReadText(object, path, "mode", mode));
  TRY(ReadInt(object, path, "maxSharers", 1, kMostSharers, sharers));
  if (!mode) return Invalid(Path(path, "mode"), ": is missing; shared, exclusive or cordoned");
  Policy policy;
  if (*mode == "exclusive") {
    policy.mode = Mode::kExclusive;
  } else if (*mode == "cordoned") {
    policy.cordoned = true;
  } else if (*mode != "shared") {
    return Invalid(Path(path, "mode"), ": ", Quoted(*mode), " is not shared, exclusive or cordoned");
  }
  if (sharers && *mode != "shared") return Invalid(Path(path, "maxSharers"), ": only with mode shared, not ", *mode);
  policy.max_sharers = static_cast<int>(sharers.value_or(0));
  return policy;
}

// fnmatch takes an unclosed bracket literally, so the rule would match nothing.
Status CheckPattern(const std::string& pattern, const std::string& path) {
  for (size_t open = pattern.find('['); open != std::string::npos; open = pattern.find('[', open + 1)) {
    open = pattern.find(']', open + 2);  // in "[]a]" the first bracket is a character
    if (open == std::string::npos) return Invalid(path, ": ", Quoted(pattern), " has a [ without a ]");
  }
  return {};
}

Result<GpuRule> ReadRule(const Value& value, std::string_view path) {
  TRY(CheckFields(value, path, {"uuid", "productName", "minor", "mode", "maxSharers"}));
  GpuRule rule;
  TRY(ReadText(value, path, "uuid", rule.uuid));
  TRY(ReadText(value, path, "productName", rule.product_name));
  if (rule.product_name) TRY(CheckPattern(*rule.product_name, Path(path, "productName")));
  TRY(ReadInt(value, path, "minor", 0, 1'000'000, rule.minor));
  if (!rule.uuid && !rule.product_name && !rule.minor) {
    return Invalid(path, ": names no GPU; set uuid, productName or minor, or use default for all GPUs");
  }
  ASSIGN_OR_RETURN(rule.policy, ReadPolicy(value, path));
  return rule;
}

// Calls read(item, path of the item) for each item of the list.
template <typename Read>
Status EachItem(const Value& object, std::string_view path, std::string_view field, Read read) {
  const Value* const list = Field(object, field);
  if (list == nullptr) return {};
  if (!list->IsArray()) return WrongKind(Path(path, field), "a list", *list);
  size_t index = 0;
  for (const Value& item : list->Items()) TRY(read(item, StrCat(Path(path, field), "[", index++, "]")));
  return {};
}

// Reads the fields default and gpus of `object`.
Status ReadRules(const Value& object, std::string_view path, PolicyRules& rules) {
  if (const Value* const fallback = Field(object, "default")) {
    TRY(CheckFields(*fallback, Path(path, "default"), {"mode", "maxSharers"}));
    ASSIGN_OR_RETURN(rules.fallback, ReadPolicy(*fallback, Path(path, "default")));
  }
  return EachItem(object, path, "gpus", [&](const Value& item, const std::string& item_path) -> Status {
    ASSIGN_OR_RETURN(GpuRule rule, ReadRule(item, item_path));
    rules.gpus.push_back(std::move(rule));
    return {};
  });
}

Status ReadOverride(const Value& item, const std::string& path, NodeConfig& config) {
  TRY(CheckFields(item, path, {"name", "default", "gpus"}));
  std::optional<std::string> name;
  TRY(ReadText(item, path, "name", name));
  if (!name) return Invalid(Path(path, "name"), ": is missing; a node's name, or a pattern such as lab-*");
  TRY(CheckPattern(*name, Path(path, "name")));
  NodeConfig::Override& node = config.nodes.emplace_back();
  node.name = *name;
  return ReadRules(item, path, node.rules);
}

}  // namespace

bool GpuRule::Matches(const device::nvidia::Gpu& gpu) const {
  return (!uuid || *uuid == gpu.uuid) && (!product_name || MatchesPattern(*product_name, gpu.product_name)) &&
         (!minor || *minor == gpu.minor);
}

std::optional<Policy> PolicyRules::Find(const device::nvidia::Gpu& gpu) const {
  const auto rule = std::find_if(gpus.begin(), gpus.end(), [&](const GpuRule& each) { return each.Matches(gpu); });
  return rule != gpus.end() ? std::optional(rule->policy) : fallback;
}

Result<NodeConfig> NodeConfig::Parse(std::string_view yaml) {
  ASSIGN_OR_RETURN(const std::vector<json::Document> documents, json::ParseYaml(yaml, {.bytes = kMaxFile}));
  if (documents.size() != 1) return Invalid("expected one document of kind NodeConfig, not ", documents.size());
  const Value& root = documents[0].root();
  TRY(CheckFields(root, "", {"apiVersion", "kind", "default", "gpus", "nodes"}));
  std::optional<std::string> api_version, kind;
  TRY(ReadText(root, "", "apiVersion", api_version));
  TRY(ReadText(root, "", "kind", kind));
  if (api_version != "allot/v1") return Invalid("apiVersion: must be allot/v1");
  if (kind != "NodeConfig") return Invalid("kind: must be NodeConfig");
  NodeConfig config;
  TRY(ReadRules(root, "", config.everywhere));
  TRY(EachItem(root, "", "nodes", [&](const Value& item, const std::string& path) { return ReadOverride(item, path, config); }));
  return config;
}

Policy PolicyFor(const NodeConfig& config, std::string_view node_name, const device::nvidia::Gpu& gpu) {
  const auto node = std::find_if(config.nodes.begin(), config.nodes.end(),
                                 [&](const NodeConfig::Override& each) { return MatchesPattern(each.name, node_name); });
  std::optional<Policy> policy = node != config.nodes.end() ? node->rules.Find(gpu) : std::nullopt;
  if (!policy) policy = config.everywhere.Find(gpu);
  return policy.value_or(Policy());
}

Policy Settle(const Policy& wanted, const Policy* offered, bool held) {
  Policy now = offered != nullptr && (held || wanted.cordoned) ? *offered : wanted;
  now.cordoned = wanted.cordoned;
  return now;
}

Status PolicyFile::Refresh() {
  if (path_.empty()) return {};
  // The stamp is read first, so that a change between the two is seen the next time.
  Result<FileStamp> stamp = files_.Stamp(path_);
  if (!stamp.ok()) {
    // Only a missing file means that the admin removed it. Other errors say nothing about what the admin wants.
    if (stamp.status().code() != Code::kNotFound) return std::move(stamp).status();
    read_.reset();
    current_ = {};
    return status_ = Status();
  }
  if (read_ == *stamp) return status_;
  ASSIGN_OR_RETURN(const std::string text, files_.ReadFile(path_, kMaxFile));
  Result<NodeConfig> config = NodeConfig::Parse(text).Context(path_);
  read_ = *stamp;
  status_ = config.status();
  if (config.ok()) current_ = *std::move(config);
  return status_;
}

}  // namespace allot::node::nvidia
