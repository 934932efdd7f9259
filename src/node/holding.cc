#include "node/holding.h"

#include "json/builder.h"
#include "json/json.h"
#include "model/reader.h"

namespace allot::node {

namespace {

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

void WriteFlag(json::Builder& to, std::string_view key, bool value) {
  if (!value) return;
  to.SharedKey(key);
  to.Bool(true);
}

void WriteShare(json::Builder& to, const HeldShare& share) {
  to.StartObject();
  WriteText(to, "request", share.request);
  WriteText(to, "pool", share.pool);
  WriteText(to, "device", share.device);
  WriteText(to, "shareID", share.share_id);
  WriteText(to, "uuid", share.uuid);
  WriteInt(to, "memoryMiB", share.memory_mib);
  WriteInt(to, "wholeMiB", share.whole_mib);
  WriteFlag(to, "admin", share.admin);
  WriteFlag(to, "toolkit", share.toolkit);
  if (share.is_mig()) WriteText(to, "parent", share.parent);
  WriteText(to, "strategy", share.sharing.strategy);
  WriteText(to, "interval", share.sharing.interval);
  WriteInt(to, "threadPercentage", share.sharing.thread_percentage);
  WriteInt(to, "pinnedMemoryMiB", share.sharing.pinned_memory_mib);
  to.EndObject();
}

HeldShare ReadShare(const model::Reader& from) {
  const auto number = [&](std::string_view key) {
    const int64_t value = from.OptionalInt(key).value_or(0);
    if (value < 0) from.Fail(key, "is negative");
    return value;
  };
  HeldShare share;
  share.request = from.Text("request");
  share.pool = from.Text("pool");
  share.device = from.Text("device");
  share.share_id = from.Text("shareID");
  share.uuid = from.Text("uuid");
  share.memory_mib = number("memoryMiB");
  share.whole_mib = number("wholeMiB");
  share.admin = from.OptionalBool("admin").value_or(false);
  share.toolkit = from.OptionalBool("toolkit").value_or(false);
  share.parent = from.OptionalText("parent").value_or(share.uuid);
  share.sharing.strategy = from.Text("strategy");
  share.sharing.interval = from.Text("interval");
  share.sharing.thread_percentage = static_cast<int>(number("threadPercentage"));
  share.sharing.pinned_memory_mib = number("pinnedMemoryMiB");
  return share;
}

}  // namespace

std::string Holding::ToJson() const {
  json::Arena arena;
  json::Builder to(arena);
  to.StartObject();
  WriteText(to, "uid", uid);
  WriteText(to, "namespace", name_space);
  WriteText(to, "name", name);
  to.SharedKey("shares");
  to.StartArray();
  for (const HeldShare& share : shares) WriteShare(to, share);
  to.EndArray();
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
  TRY(Status(from.status()));
  if (holding.uid.empty()) return Invalid("uid: is missing");
  return holding;
}

}  // namespace allot::node
