// Describes Secrets and ConfigMaps in kubectl's lines. Of a Secret nothing but the sizes is ever shown.

#include <algorithm>

#include "cli/describe/description.h"
#include "kube/config/credentials.h"

namespace allot::cli {
namespace {

void DescribeOwner(const json::Value& json, Description& description) {
  const json::Value& metadata = json["metadata"];
  description.Field(0, "Name", Text(metadata["name"]));
  description.Field(0, "Namespace", Text(metadata["namespace"]));
  description.Labels("Labels", metadata["labels"]);
  description.Annotations(metadata["annotations"]);
}

// Sorted by key.
std::vector<json::Member> Entries(const json::Value& data) {
  std::vector<json::Member> entries(MembersOf(data).begin(), MembersOf(data).end());
  std::sort(entries.begin(), entries.end(), [](const json::Member& a, const json::Member& b) { return a.key < b.key; });
  return entries;
}

// "7 bytes" of what stands there in base64.
std::string SizeText(const json::Value& value) {
  const Result<std::string> bytes = kube::DecodeBase64(Text(value));
  return bytes.ok() ? StrCat(bytes->size(), " bytes") : "<unknown>";
}

}  // namespace

Status DescribeSecret(Session&, const kube::Object& secret, Description& description) {
  const json::Value& json = secret.json();
  DescribeOwner(json, description);
  description.Line(0);
  description.Field(0, "Type", Text(json["type"]));
  description.Line(0);
  description.Line(0, "Data");
  description.Line(0, "====");
  for (const json::Member& entry : Entries(json["data"])) description.Field(0, entry.key, SizeText(entry.value));
  return Status();
}

Status DescribeConfigMap(Session&, const kube::Object& map, Description& description) {
  const json::Value& json = map.json();
  DescribeOwner(json, description);
  description.Line(0);
  description.Line(0, "Data");
  description.Line(0, "====");
  for (const json::Member& entry : Entries(json["data"])) {
    description.Line(0, entry.key, ":");
    description.Line(0, "----");
    description.Line(0, Text(entry.value));
    description.Line(0);
  }
  description.Line(0);
  description.Line(0, "BinaryData");
  description.Line(0, "====");
  for (const json::Member& entry : Entries(json["binaryData"])) description.Line(0, entry.key, ": ", SizeText(entry.value));
  description.Line(0);
  return Status();
}

}  // namespace allot::cli
