// What `allot status` says to programs.

#include <memory>

#include "cli/explain/names.h"
#include "cli/status/screen.h"
#include "cli/status/words.h"
#include "json/members.h"

namespace allot::cli {
namespace {

void WriteFlag(std::string_view key, bool value, json::Builder& b) { b.Key(key), b.Bool(value); }

void WriteHolder(const view::Holder& holder, json::Builder& b) {
  b.StartObject();
  WriteNumber("memoryMiB", holder.mib, b);
  WriteText("namespace", holder.namespace_name, b);
  WriteText("claim", holder.claim, b);
  WriteTexts("pods", holder.pods, b);
  WriteText("since", holder.since, b);
  b.EndObject();
}

void WriteDevice(const view::Device& device, json::Builder& b) {
  b.StartObject();
  WriteText("name", device.Name(), b);
  WriteText("node", device.node, b);
  WriteText("driver", device.driver, b);
  WriteText("pool", device.pool, b);
  WriteText("device", device.name, b);
  WriteText("product", device.product, b);
  WriteText("uuid", device.uuid, b);
  WriteNumber("memoryMiB", device.mib, b);
  WriteNumber("usedMiB", device.used, b);
  WriteNumber("freeMiB", device.Free(), b);
  if (device.IsSeen()) WriteFlag("shared", device.shared, b);
  if (device.IsSeen()) WriteFlag("healthy", !device.gone && !device.IsUnhealthy(), b);
  WriteFlag("overCommitted", device.overcommitted, b);
  WriteFlag("gone", device.gone, b);
  WriteTexts("state", StateWords(device), b);
  b.Key("taints"), b.StartArray();
  for (const view::DeviceTaint& taint : device.taints) {
    b.StartObject();
    WriteText("key", taint.key, b);
    WriteText("value", taint.value, b);
    WriteText("effect", taint.effect, b);
    b.EndObject();
  }
  b.EndArray();
  b.Key("holders"), b.StartArray();
  for (const view::Holder& holder : device.holders) WriteHolder(holder, b);
  b.EndArray();
  b.EndObject();
}

void WriteWaiting(const view::WaitingEntry& entry, json::Builder& b) {
  const view::WaitingPod& pod = entry.pod;
  b.StartObject();
  WriteText("namespace", pod.namespace_name, b);
  WriteText("pod", pod.name, b);
  WriteText("node", pod.node, b);
  WriteText("since", pod.since, b);
  if (pod.place > 0) WriteNumber("place", static_cast<int64_t>(pod.place), b);
  WriteTexts("asks", AskWords(pod), b);
  WriteText("reason", pod.reason, b);
  WriteText("message", MessageWords(pod), b);
  WriteText("why", WhyWords(entry), b);
  WriteText("cause", NameOf(pod.cause), b);
  if (entry.brief) WriteHeadline(entry.brief->headline, b);
  b.EndObject();
}

void WriteMissing(const view::Overview& overview, json::Builder& b) {
  b.Key("missing"), b.StartObject();
  WriteText("kind", NameOf(overview.missing), b);
  b.Key("facts"), b.StartObject();
  WriteTextsUnlessEmpty("drivers", overview.drivers, b);
  b.EndObject();
  WriteText("text", MissingWords(overview), b);
  b.EndObject();
}

}  // namespace

std::string_view NameOf(view::Overview::Missing missing) {
  using Missing = view::Overview::Missing;
  switch (missing) {
    case Missing::kNone: return "";
    case Missing::kNotServed: return "NotServed";
    case Missing::kNoSlices: return "NoSlices";
    case Missing::kNoMemory: break;
  }
  return "NoMemory";
}

std::string_view NameOf(view::WaitingPod::Cause cause) {
  using Cause = view::WaitingPod::Cause;
  switch (cause) {
    case Cause::kRefused: return "Refused";
    case Cause::kNoClaim: return "NoClaim";
    case Cause::kNotLookedAt: return "NotLookedAt";
    case Cause::kNotPrepared: return "NotPrepared";
    case Cause::kNoCdiDevice: break;
  }
  return "NoCdiDevice";
}

json::Document StatusJson(const view::Overview& overview) {
  auto arena = std::make_unique<json::Arena>();
  json::Builder b(*arena);
  b.StartObject();
  b.Key("devices"), b.StartArray();
  for (const view::Device& device : overview.devices) WriteDevice(device, b);
  b.EndArray();
  b.Key("waiting"), b.StartArray();
  for (const view::WaitingEntry& entry : overview.waiting) WriteWaiting(entry, b);
  b.EndArray();
  b.Key("notSeen"), b.StartArray();
  for (const view::Note& note : overview.notes) WriteNote(note, NoteWords(note), b);
  b.EndArray();
  if (overview.missing != view::Overview::Missing::kNone) WriteMissing(overview, b);
  b.EndObject();
  const json::Value root = b.Finish();
  return json::Document(std::move(arena), root);
}

}  // namespace allot::cli
