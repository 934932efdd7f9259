#include "node/prepare/cdi.h"

#include <algorithm>

#include "json/builder.h"
#include "json/json.h"

namespace allot::node {

namespace {

constexpr std::string_view kSuffix = ".yaml";
constexpr std::string_view kVersion = "0.6.0";  // the first with annotations
constexpr std::string_view kClaim = "allot/claim", kHolding = "allot/holding";
constexpr size_t kMaxHolding = 128 << 10;  // CDI allows 256 KiB for all annotations of a spec
constexpr size_t kMaxSpec = 1 << 20;

void WriteTexts(json::Builder& to, const auto& texts) {
  to.StartArray();
  for (const auto& text : texts) to.String(text);
  to.EndArray();
}

template <typename List, typename Write>
void WriteList(json::Builder& to, std::string_view key, const List& list, Write write) {
  if (list.empty()) return;
  to.SharedKey(key);
  to.StartArray();
  for (const auto& one : list) {
    to.StartObject();
    write(one);
    to.EndObject();
  }
  to.EndArray();
}

void Field(json::Builder& to, std::string_view key, std::string_view text) {
  to.SharedKey(key);
  to.String(text);
}

void WriteEdits(json::Builder& to, const ContainerEdits& edits) {
  to.SharedKey("containerEdits");
  to.StartObject();
  if (!edits.env.empty()) {
    to.SharedKey("env");
    WriteTexts(to, edits.env);
  }
  WriteList(to, "deviceNodes", edits.nodes, [&](const auto& node) {
    Field(to, "path", node.first);
    if (node.second != node.first) Field(to, "hostPath", node.second);
    Field(to, "permissions", "rw");
  });
  WriteList(to, "mounts", edits.mounts, [&](const ContainerEdits::Mount& mount) {
    Field(to, "hostPath", mount.host);
    Field(to, "containerPath", mount.container);
    to.SharedKey("options");
    WriteTexts(to, mount.options);
  });
  WriteList(to, "hooks", edits.hooks, [&](const std::vector<std::string>& argv) {
    Field(to, "hookName", "createContainer");
    Field(to, "path", argv[0]);
    to.SharedKey("args");
    WriteTexts(to, argv);
  });
  to.EndObject();
}

std::vector<std::string> TextsOf(const json::Value& list) {
  std::vector<std::string> texts;
  for (const json::Value& item : json::ItemsOf(list)) texts.emplace_back(json::TextOf(item));
  return texts;
}

// Reads what WriteEdits wrote.
ContainerEdits ReadEdits(const json::Value& from) {
  ContainerEdits edits;
  edits.env = TextsOf(from["env"]);
  for (const json::Value& node : json::ItemsOf(from["deviceNodes"])) {
    const json::Value& host = node["hostPath"];
    edits.nodes.emplace_back(json::TextOf(node["path"]), json::TextOf(host.IsNull() ? node["path"] : host));
  }
  for (const json::Value& mount : json::ItemsOf(from["mounts"])) {
    edits.mounts.push_back(
        {std::string(json::TextOf(mount["hostPath"])), std::string(json::TextOf(mount["containerPath"])), TextsOf(mount["options"])});
  }
  for (const json::Value& hook : json::ItemsOf(from["hooks"])) edits.hooks.push_back(TextsOf(hook["args"]));
  return edits;
}

// Returns a name for each share: "<UID>-<device>". If the claim has several shares of one device, the share's index follows. Up to
// Kubernetes 1.35 a single request can have several shares of one device.
std::string DeviceNameOf(const Holding& holding, size_t index) {
  const Share& share = holding.shares[index];
  const auto same =
      std::count_if(holding.shares.begin(), holding.shares.end(), [&](const Share& one) { return one.device == share.device; });
  if (same == 1) return StrCat(holding.uid, "-", share.device);
  return StrCat(holding.uid, "-", share.device, "-", index);
}

}  // namespace

std::string CdiKind(std::string_view driver) { return StrCat("k8s.", driver, "/claim"); }
std::string CdiPrefix(std::string_view driver) { return StrCat("k8s.", driver, "-claim_"); }

std::string Cdi::PathOf(std::string_view uid) const { return StrCat(folder_, "/", prefix_, uid, kSuffix); }

std::string Cdi::DeviceId(const Holding& holding, size_t share) const { return StrCat(kind_, "=", DeviceNameOf(holding, share)); }

std::string Cdi::Spec(const Holding& holding, const ClaimEdits& edits) const {
  CHECK(edits.shares.size() == holding.shares.size());
  json::Arena arena;
  json::Builder to(arena);
  to.StartObject();
  Field(to, "cdiVersion", kVersion);
  Field(to, "kind", kind_);
  // Repair reads these if the journal is lost.
  const std::string json = holding.ToJson();
  to.SharedKey("annotations");
  to.StartObject();
  Field(to, kClaim, holding.ClaimName());
  if (json.size() <= kMaxHolding) Field(to, kHolding, json);
  to.EndObject();
  to.SharedKey("devices");
  to.StartArray();
  for (size_t i = 0; i < holding.shares.size(); ++i) {
    to.StartObject();
    Field(to, "name", DeviceNameOf(holding, i));
    WriteEdits(to, edits.shares[i]);
    to.EndObject();
  }
  to.EndArray();
  WriteEdits(to, edits.common);
  to.EndObject();
  return json::Write(to.Finish(), {.indent = 2}) + "\n";
}

Status Cdi::Write(const Holding& holding, const ClaimEdits& edits) {
  const std::string spec = Spec(holding, edits);
  const std::string path = PathOf(holding.uid);
  if (const Result<std::string> there = files_.ReadFile(path, kMaxSpec); there.ok() && *there == spec) return {};
  if (!files_.Exists(folder_)) TRY(files_.MakeDirs(folder_));
  return files_.ReplaceFile(path, spec);
}

Result<json::Document> Cdi::Read(std::string_view uid) const {
  const std::string path = PathOf(uid);
  ASSIGN_OR_RETURN(const std::string text, files_.ReadFile(path, kMaxSpec));
  return json::Parse(text).Context(path);
}

Result<Holding> Cdi::HoldingOf(std::string_view uid) const {
  ASSIGN_OR_RETURN(const json::Document spec, Read(uid));
  const json::Value& text = spec.root()["annotations"][kHolding];
  if (!text.IsString()) return Invalid(PathOf(uid), ": does not say what its claim holds");
  ASSIGN_OR_RETURN(const json::Document document, json::Parse(text.AsString()));
  ASSIGN_OR_RETURN(Holding holding, Holding::FromJson(document.root()).Context(PathOf(uid)));
  if (holding.uid != uid) return Invalid(PathOf(uid), ": has the holding of claim ", holding.uid);
  return holding;
}

Result<ClaimRef> Cdi::ClaimOf(std::string_view uid) const {
  ASSIGN_OR_RETURN(const json::Document spec, Read(uid));
  const json::Value& claim = spec.root()["annotations"][kClaim];
  const std::string_view name = claim.IsString() ? claim.AsString() : std::string_view();
  const size_t slash = name.find('/');
  if (slash == std::string_view::npos) return Invalid(PathOf(uid), ": does not name its claim");
  return ClaimRef{std::string(name.substr(0, slash)), std::string(name.substr(slash + 1)), std::string(uid)};
}

Result<ClaimEdits> Cdi::EditsOf(const Holding& holding) const {
  const Result<json::Document> spec = Read(holding.uid);
  if (!spec.ok()) return Unavailable(spec.status().message());
  const auto devices = json::ItemsOf(spec->root()["devices"]);
  ClaimEdits edits;
  for (size_t i = 0; i < holding.shares.size(); ++i) {
    const std::string name = DeviceNameOf(holding, i);
    if (i >= devices.size() || json::TextOf(devices[i]["name"]) != name)
      return Unavailable(PathOf(holding.uid), ": device ", i, " is not ", name);
    edits.shares.push_back(ReadEdits(devices[i]["containerEdits"]));
  }
  edits.common = ReadEdits(spec->root()["containerEdits"]);
  return edits;
}

Status Cdi::Remove(std::string_view uid) { return files_.Remove(PathOf(uid)); }

Result<std::vector<std::string>> Cdi::Uids() const {
  if (!files_.Exists(folder_)) return std::vector<std::string>();
  ASSIGN_OR_RETURN(const std::vector<std::string> names, files_.List(folder_));
  std::vector<std::string> uids;
  for (const std::string_view name : names) {
    if (!name.starts_with(prefix_) || !name.ends_with(kSuffix)) continue;
    uids.emplace_back(name.substr(prefix_.size(), name.size() - prefix_.size() - kSuffix.size()));
  }
  return uids;
}

}  // namespace allot::node
