#include "cli/describe/description.h"

#include <algorithm>
#include <utility>

#include "cli/age.h"
#include "json/json.h"
#include "model/memory.h"

namespace allot::cli {
namespace {

constexpr size_t kLongAnnotation = 140;

bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }

std::vector<const json::Member*> SortedMembers(const json::Value& object) {
  std::vector<const json::Member*> members;
  for (const json::Member& member : MembersOf(object)) members.push_back(&member);
  std::sort(members.begin(), members.end(), [](const auto* a, const auto* b) { return a->key < b->key; });
  return members;
}

// "creationTimestamp" as "creation", "Timestamp"; "shareID" as "share", "ID"; "OSImage" as "OS", "Image".
std::vector<std::string> CamelParts(std::string_view text) {
  std::vector<std::string> parts;
  const auto kind = [](char c) { return IsLower(c) ? 1 : IsUpper(c) ? 2 : 3; };
  for (size_t i = 0; i < text.size(); ++i) {
    if (i == 0 || kind(text[i]) != kind(text[i - 1])) parts.emplace_back();
    parts.back() += text[i];
  }
  for (size_t i = 0; i + 1 < parts.size(); ++i) {
    if (!IsUpper(parts[i][0]) || !IsLower(parts[i + 1][0])) continue;
    if (parts[i].size() > 1 && parts[i + 1] == "s") {  // "URLs" is one word
      parts[i] += std::exchange(parts[i + 1], "");
      continue;
    }
    parts[i + 1].insert(parts[i + 1].begin(), parts[i].back());
    parts[i].pop_back();
  }
  std::erase(parts, "");
  return parts;
}

// Whether the keys of this member were chosen by a person: nothing but plain values below them, and a name that the API has such maps for.
bool HasOwnKeys(std::string_view name, const json::Value& value) {
  constexpr std::string_view kMaps[] = {
      "allocatable", "annotations",  "binaryData", "capacity",   "consumedCapacity", "data",     "hard",       "labels", "limits",
      "matchLabels", "nodeSelector", "options",    "parameters", "requests",         "selector", "stringData", "used"};
  if (!value.IsObject() || std::find(std::begin(kMaps), std::end(kMaps), name) == std::end(kMaps)) return false;
  return std::none_of(value.Members().begin(), value.Members().end(),
                      [](const json::Member& member) { return member.value.IsObject() || member.value.IsArray(); });
}

std::string Since(const json::Value& event, WallTime now) {
  const std::string first = Age(Text(event["eventTime"].IsString() ? event["eventTime"] : event["firstTimestamp"]), now);
  if (event["series"].IsObject()) {
    return StrCat(Age(Text(event["series"]["lastObservedTime"]), now), " (x", OneLine(event["series"]["count"]), " over ", first, ")");
  }
  if (event["count"].IsNumber() && event["count"].AsInt64().value_or(0) > 1) {
    return StrCat(Age(Text(event["lastTimestamp"]), now), " (x", event["count"].NumberText(), " over ", first, ")");
  }
  return first;
}

}  // namespace

std::string LabelFor(std::string_view field) {
  if (std::any_of(field.begin(), field.end(), [](char c) { return !IsUpper(c) && !IsLower(c) && c != '-'; })) return std::string(field);
  std::string label;
  for (std::string part : CamelParts(field)) {
    std::string upper = part;
    for (char& c : upper) c = IsLower(c) ? static_cast<char>(c & ~0x20) : c;
    if (upper == "API" || upper == "URL" || upper == "UID" || upper == "OSB" || upper == "GUID") part = upper;
    part[0] = upper[0];
    label += StrCat(label.empty() ? "" : " ", part);
  }
  return label;
}

std::string OneLine(const json::Value& value) {
  std::string text;
  switch (value.kind()) {
    case json::Kind::kNull: return "<nil>";
    case json::Kind::kString: return std::string(value.AsString());
    case json::Kind::kArray:
      for (const json::Value& item : value.Items()) text += StrCat(text.empty() ? "" : " ", OneLine(item));
      return StrCat("[", text, "]");
    case json::Kind::kObject:
      for (const json::Member* const member : SortedMembers(value))
        text += StrCat(text.empty() ? "" : " ", member->key, ":", OneLine(member->value));
      return StrCat("map[", text, "]");
    default: return json::Write(value);
  }
}

std::string Amount(const model::Quantity& quantity) {
  const std::string text = quantity.ToString();
  if (quantity.format() != model::Quantity::Format::kBinarySI) return text;
  const std::optional<int64_t> bytes = quantity.Value();
  if (!bytes || *bytes < model::kBytesPerMiB) return text;
  const int64_t tenths = (*bytes % model::kBytesPerMiB) * 10 / model::kBytesPerMiB;
  return StrCat(text, " (", model::MiB::Offered(*bytes).count(), tenths == 0 ? "" : StrCat(".", tenths), " MiB)");
}

std::string Amount(std::string_view quantity) {
  const Result<model::Quantity> parsed = model::Quantity::Parse(quantity);
  return parsed.ok() ? Amount(*parsed) : std::string(quantity);
}

std::string Description::Take() const {
  std::string text;
  for (const char c : SetTabs(text_, kDescribeTabs)) {
    if (c == '\x1B') {
      text += "^[";
    } else if (c == '\r') {
      text += "\\r";
    } else {
      text += c;
    }
  }
  return text;
}

void Description::Lines(int level, std::string_view label, const std::vector<std::string>& lines) {
  if (lines.empty()) return Field(level, label, "<none>");
  for (size_t i = 0; i < lines.size(); ++i) Line(level, i == 0 ? StrCat(label, ":") : "", "\t", lines[i]);
}

void Description::Labels(std::string_view label, const json::Value& labels) {
  std::vector<std::string> lines;
  for (const json::Member* const member : SortedMembers(labels)) lines.push_back(StrCat(member->key, "=", OneLine(member->value)));
  Lines(0, label, lines);
}

void Description::Annotations(const json::Value& annotations) {
  std::vector<std::string> lines;
  for (const json::Member* const member : SortedMembers(annotations)) {
    if (member->key == "kubectl.kubernetes.io/last-applied-configuration") continue;
    std::string value = OneLine(member->value);
    if (value.ends_with('\n')) value.pop_back();
    if (value.size() + member->key.size() + 2 <= kLongAnnotation && value.find('\n') == std::string::npos) {
      lines.push_back(StrCat(member->key, ": ", value));
      continue;
    }
    lines.push_back(StrCat(member->key, ":"));
    for (const std::string_view line : Split(value, '\n')) {
      const bool cut = line.size() > kLongAnnotation - 2;
      lines.push_back(StrCat("  ", line.substr(0, kLongAnnotation - 2), cut ? "..." : ""));
    }
  }
  Lines(0, "Annotations", lines);
}

void Description::GenericMember(int level, std::string_view name, const json::Value& value) {
  if (HasOwnKeys(name, value)) {
    Line(level, LabelFor(name), ":");
    for (const json::Member* const member : SortedMembers(value)) Field(level + 1, member->key, OneLine(member->value));
  } else if (value.IsObject()) {
    Line(level, LabelFor(name), ":");
    Generic(level + 1, value);
  } else if (value.IsArray()) {
    Line(level, LabelFor(name), ":");
    for (const json::Value& item : value.Items()) {
      if (item.IsObject()) {
        Generic(level + 1, item);
      } else {
        Line(level + 1, OneLine(item));
      }
    }
  } else {
    Field(level, LabelFor(name), OneLine(value));
  }
}

void Description::Generic(int level, const json::Value& object, std::initializer_list<std::string_view> without) {
  for (const json::Member* const member : SortedMembers(object)) {
    if (std::find(without.begin(), without.end(), member->key) == without.end()) GenericMember(level, member->key, member->value);
  }
}

void Description::Head(const json::Value& object) {
  const json::Value& metadata = object["metadata"];
  Field(0, "Name", Text(metadata["name"]));
  Field(0, "Namespace", Text(metadata["namespace"]));
  Labels("Labels", metadata["labels"]);
  Annotations(metadata["annotations"]);
  Field(0, "API Version", Text(object["apiVersion"]));
  Field(0, "Kind", Text(object["kind"]));
  Line(0, "Metadata:");
  Generic(1, metadata, {"name", "namespace", "labels", "annotations", "managedFields"});
}

Status DescribeEvents(Session& session, const kube::Object& object, Description& description) {
  kube::ListOptions options;
  options.field_selector = StrCat("involvedObject.kind=", object.kind(), ",involvedObject.name=", object.name());
  if (!object.namespace_name().empty()) options.field_selector += StrCat(",involvedObject.uid=", object.uid());
  std::vector<kube::ObjectPtr> events;
  const Result<std::string> version = session.client().List(kube::types::kEvents, object.namespace_name(), options,
                                                            [&](kube::ObjectPtr event) { events.push_back(std::move(event)); });
  if (!version.ok()) {
    description.Field(0, "Events", StrCat("<unknown>: ", version.status().message()));
    return Status();
  }
  if (events.empty()) {
    description.Field(0, "Events", "<none>");
    return Status();
  }
  std::stable_sort(events.begin(), events.end(),
                   [](const auto& a, const auto& b) { return Text(a->json()["lastTimestamp"]) < Text(b->json()["lastTimestamp"]); });
  description.Line(0, "Events:");
  description.Line(1, "Type\tReason\tAge\tFrom\tMessage");
  description.Line(1, "----\t------\t----\t----\t-------");
  for (const kube::ObjectPtr& event : events) {
    const json::Value& json = event->json();
    std::string_view from = Text(json["source"]["component"]);
    if (from.empty()) from = Text(json["reportingComponent"]);
    const std::string_view part = Text(json["involvedObject"]["fieldPath"]);  // spec.containers{main}
    description.Line(1, Text(json["type"]), "\t", Text(json["reason"]), "\t", Since(json, session.Now()), "\t", from, "\t", part,
                     part.empty() ? "" : ": ", Trim(Text(json["message"])));
  }
  return Status();
}

}  // namespace allot::cli
