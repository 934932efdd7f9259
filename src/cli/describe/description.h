#pragma once
// The text of describe: kubectl's layout, written line by line.

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/strings.h"
#include "cli/get/tabs.h"
#include "cli/session.h"
#include "json/value.h"
#include "kube/object.h"
#include "model/quantity.h"

namespace allot::cli {

class Description {
 public:
  // A line at `level`, two spaces each. Tabs between the parts make columns.
  template <typename... Parts>
  void Line(int level, const Parts&... parts) {
    text_ += std::string(static_cast<size_t>(level) * 2, ' ');
    text_ += StrCat(parts..., "\n");
  }
  // "Label:<tab>value"
  template <typename Value>
  void Field(int level, std::string_view label, const Value& value) {
    Line(level, label, ":\t", value);
  }
  // One below the other behind the label; "<none>" for none.
  void Lines(int level, std::string_view label, const std::vector<std::string>& lines);
  // "key=value" of each, sorted.
  void Labels(std::string_view label, const json::Value& labels);
  void Annotations(const json::Value& annotations);

  // Members as kubectl shows those of kinds that it does not know, except those in `without`. Keys that a person chose (of labels, data,
  // requests) stay as they are, where kubectl writes "App" for "app".
  void Generic(int level, const json::Value& object, std::initializer_list<std::string_view> without = {});
  // One member of that form.
  void GenericMember(int level, std::string_view name, const json::Value& value);

  // Name, Namespace, Labels, Annotations, API Version, Kind, Metadata: the beginning of most kinds.
  void Head(const json::Value& object);

  // The text, in which nothing can control the terminal.
  std::string Take() const;

 private:
  std::string text_;
};

// "Creation Timestamp" for "creationTimestamp", "API Version" for "apiVersion"; names with digits or dots stay as they are.
std::string LabelFor(std::string_view field);

// The value in one line, as Go prints it.
std::string OneLine(const json::Value& value);

inline std::string_view Text(const json::Value& value) { return kube::Object::Text(value); }
// "6Gi (6144 MiB)" for amounts of bytes (binary suffix), else as it is written.
std::string Amount(std::string_view quantity);
std::string Amount(const model::Quantity& quantity);

// The events of the object, as a table at the end.
Status DescribeEvents(Session& session, const kube::Object& object, Description& description);

// Each writes everything except the events.
Status DescribePod(Session& session, const kube::Object& pod, Description& description);
Status DescribeNode(Session& session, const kube::Object& node, Description& description);
Status DescribeClaim(Session& session, const kube::Object& claim, Description& description);
Status DescribeTemplate(Session& session, const kube::Object& object, Description& description);
Status DescribeSlice(Session& session, const kube::Object& slice, Description& description);
Status DescribeSecret(Session& session, const kube::Object& secret, Description& description);
Status DescribeConfigMap(Session& session, const kube::Object& map, Description& description);
Status DescribeClass(Session& session, const kube::Object& object, Description& description);

// The part of a Pod that is long. `statuses`: of status.
void DescribeContainers(std::string_view label, const json::Value& containers, const json::Value& statuses, Description& description);
void DescribeVolumes(const json::Value& volumes, Description& description);
// The devices of a node's slices, and their holders.
Status DescribeDevices(Session& session, std::string_view node, Description& description);

// "driver/pool/device" of an allocation's result.
std::string DeviceName(const json::Value& result);

// "allocated,reserved", "pending", as the API server's tables say it.
std::string ClaimState(const json::Value& claim);

}  // namespace allot::cli
