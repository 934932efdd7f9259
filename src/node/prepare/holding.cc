#include "node/prepare/holding.h"

#include <algorithm>
#include <array>
#include <deque>

#include "json/builder.h"
#include "json/json.h"
#include "model/reader.h"

namespace allot::node {

namespace {

// The agent's members of a share. All other members are the driver's: the first release wrote the settings of its only driver beside the
// agent's, and during an update an agent of that release may use the same journal.
constexpr std::array<std::string_view, 9> kShareMembers = {"request",   "pool",     "device", "shareID", "uuid",
                                                           "memoryMiB", "wholeMiB", "admin",  "parent"};

bool IsOurs(std::string_view key) { return std::find(kShareMembers.begin(), kShareMembers.end(), key) != kShareMembers.end(); }

void WriteText(json::Builder& to, std::string_view key, std::string_view text) {
  if (text.empty()) return;
  to.SharedKey(key);
  to.String(text);
}

void WriteInt(json::Builder& to, std::string_view key, int64_t value) {
  if (value == 0) return;
  to.SharedKey(key);
  to.Int(value);
}

// `states` keeps the documents that the builder refers to.
void WriteState(json::Builder& to, const std::string& state, std::deque<json::Document>& states) {
  if (state.empty()) return;
  Result<json::Document> parsed = json::Parse(state);
  CHECK(parsed.ok() && parsed->root().IsObject());
  for (const json::Member& member : states.emplace_back(*std::move(parsed)).root().Members()) {
    CHECK(!IsOurs(member.key));
    to.Key(member.key);
    to.Add(member.value);
  }
}

void WriteShare(json::Builder& to, const Share& share, std::deque<json::Document>& states) {
  to.StartObject();
  WriteText(to, "request", share.request);
  WriteText(to, "pool", share.pool);
  WriteText(to, "device", share.device);
  WriteText(to, "shareID", share.share_id);
  WriteText(to, "uuid", share.uuid);
  WriteInt(to, "memoryMiB", share.memory_mib);
  WriteInt(to, "wholeMiB", share.whole_mib);
  if (share.admin) {
    to.SharedKey("admin");
    to.Bool(true);
  }
  if (share.is_part()) WriteText(to, "parent", share.parent);
  WriteState(to, share.state, states);
  to.EndObject();
}

std::string ReadState(const json::Value& share) {
  json::Arena arena;
  json::Builder to(arena);
  bool any = false;
  to.StartObject();
  for (const json::Member& member : share.Members()) {
    if (IsOurs(member.key)) continue;
    any = true;
    to.Key(member.key);
    to.Add(member.value);
  }
  to.EndObject();
  return any ? json::Write(to.Finish()) : std::string();
}

Share ReadShare(const model::Reader& from) {
  const auto number = [&](std::string_view key) {
    const int64_t value = from.OptionalInt(key).value_or(0);
    if (value < 0) from.Fail(key, "is negative");
    return value;
  };
  Share share;
  share.request = from.Text("request");
  share.pool = from.Text("pool");
  share.device = from.Text("device");
  share.share_id = from.Text("shareID");
  share.uuid = from.Text("uuid");
  share.memory_mib = number("memoryMiB");
  share.whole_mib = number("wholeMiB");
  share.admin = from.OptionalBool("admin").value_or(false);
  share.parent = from.OptionalText("parent").value_or(share.uuid);
  if (from.value().IsObject()) share.state = ReadState(from.value());
  return share;
}

void WriteStep(json::Builder& to, const Step& step) {
  to.StartObject();
  WriteText(to, "kind", step.kind);
  WriteText(to, "device", step.device);
  WriteText(to, "record", step.record);
  to.EndObject();
}

}  // namespace

std::string Holding::ToJson() const {
  std::deque<json::Document> states;
  json::Arena arena;
  json::Builder to(arena);
  to.StartObject();
  WriteText(to, "uid", uid);
  WriteText(to, "namespace", name_space);
  WriteText(to, "name", name);
  to.SharedKey("shares");
  to.StartArray();
  for (const Share& share : shares) WriteShare(to, share, states);
  to.EndArray();
  if (!steps.empty()) {
    to.SharedKey("steps");
    to.StartArray();
    for (const Step& step : steps) WriteStep(to, step);
    to.EndArray();
  }
  // A release that does not know this member skips it.
  if (ending) {
    to.SharedKey("ending");
    to.Bool(true);
  }
  to.EndObject();
  return json::Write(to.Finish());
}

Result<Holding> Holding::FromJson(const json::Value& object) {
  const model::Reader from(object);
  Holding holding;
  holding.uid = from.Text("uid");
  holding.name_space = from.Text("namespace");
  holding.name = from.Text("name");
  from.Each("shares", [&](const model::Reader& share) { holding.shares.push_back(ReadShare(share)); });
  from.Each("steps", [&](const model::Reader& step) {
    holding.steps.push_back({std::string(step.Text("kind")), std::string(step.Text("device")), std::string(step.Text("record"))});
  });
  holding.ending = from.OptionalBool("ending").value_or(false);
  TRY(Status(from.status()));
  if (holding.uid.empty()) return Invalid("uid: is missing");
  return holding;
}

}  // namespace allot::node
