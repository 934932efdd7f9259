// Columns of Events, in the older form (firstTimestamp, count) and the newer one (eventTime, series).

#include "apiserver/kinds/columns/cells.h"
#include "apiserver/kinds/columns/columns.h"
#include "base/strings.h"

namespace allot::apiserver {

using namespace cells;  // NOLINT(google-build-using-namespace)

namespace {

struct Seen {
  Value first, last;
  int64_t count = 0;
};

Seen SeenOf(Editor& edit, const Value& event, WallTime now) {
  Seen seen;
  const bool has_first = !TextOf(event["firstTimestamp"]).empty();
  seen.first = Since(edit, has_first ? event["firstTimestamp"] : event["eventTime"], now);
  const Value& series = event["series"];
  if (series.IsObject()) {
    seen.last = Since(edit, series["lastObservedTime"], now);
    seen.count = IntOf(series["count"]);
    return seen;
  }
  seen.last = TextOf(event["lastTimestamp"]).empty() ? seen.first : Since(edit, event["lastTimestamp"], now);
  seen.count = IntOf(event["count"]);
  if (seen.count == 0) seen.count = 1;  // the newer form has no count for a single event
  return seen;
}

// "pod/web"
std::string TargetOf(const Value& involved) {
  std::string kind(TextOf(involved["kind"]));
  for (char& c : kind) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  const std::string_view name = TextOf(involved["name"]);
  return name.empty() ? kind : StrCat(kind, "/", name);
}

// "kubelet, node-1"
std::string SourceOf(const Value& event) {
  const auto first_of = [](const Value& a, const Value& b) { return TextOf(a).empty() ? TextOf(b) : TextOf(a); };
  const std::string_view component = first_of(event["source"]["component"], event["reportingComponent"]);
  const std::string_view instance = first_of(event["source"]["host"], event["reportingInstance"]);
  return instance.empty() ? std::string(component) : StrCat(component, ", ", instance);
}

std::vector<Value> EventRow(Editor& edit, const Value& event, WallTime now) {
  const Seen seen = SeenOf(edit, event, now);
  const Value& involved = event["involvedObject"];
  return {seen.last,
          TextOr(edit, event["type"]),
          TextOr(edit, event["reason"]),
          edit.String(TargetOf(involved)),
          TextOr(edit, involved["fieldPath"]),
          edit.String(SourceOf(event)),
          edit.String(Trim(TextOf(event["message"]))),
          seen.first,
          edit.Int(seen.count),
          Name(edit, event)};
}

}  // namespace

ColumnsAndRow EventColumns() {
  return {{TextColumn("Last Seen", "How long ago it happened last."), TextColumn("Type", "Normal or Warning."),
           TextColumn("Reason", "Why it was reported, in one word."), TextColumn("Object", "What it happened to."),
           TextColumn("Subobject", "Which part of that object.", 1), TextColumn("Source", "The component that reported it.", 1),
           TextColumn("Message", "What happened, for people."), TextColumn("First Seen", "How long ago it happened first.", 1),
           TextColumn("Count", "How often it happened.", 1), NameColumn(1)},
          EventRow};
}

}  // namespace allot::apiserver
