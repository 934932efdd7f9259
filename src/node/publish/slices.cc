#include "node/publish/slices.h"

#include <algorithm>
#include <vector>

namespace allot::node {

json::Document WriteSlices(size_t count, const std::function<void(size_t, json::Builder&)>& write) {
  auto arena = std::make_unique<json::Arena>();
  json::Builder b(*arena);
  b.StartArray();
  size_t next = 0;
  do {
    b.StartArray();
    for (const size_t end = std::min(count, next + kDevicesPerSlice); next < end; ++next) write(next, b);
    b.EndArray();
  } while (next < count);
  b.EndArray();
  const json::Value root = b.Finish();
  return json::Document(std::move(arena), root);
}

Reduced Reduce(const json::Value& slices, ServerFeatures features) {
  Reduced reduced;
  std::vector<json::Value> kept;
  const auto keeps_away = [](const json::Value& taint) { return taint["effect"].AsString() != "None"; };
  for (const json::Value& slice : slices.Items()) {
    for (const json::Value& device : slice.Items()) {
      const json::Value& taints = device["taints"];
      if (!features.sharing && !device["allowMultipleAllocations"].IsNull()) {
        ++reduced.shared;
      } else if (!features.taints && taints.IsArray() && std::any_of(taints.Items().begin(), taints.Items().end(), keeps_away)) {
        ++reduced.tainted;
      } else {
        kept.push_back(device);
      }
    }
  }
  reduced.slices = WriteSlices(kept.size(), [&](size_t i, json::Builder& b) {
    b.StartObject();
    for (const json::Member& member : kept[i].Members()) {
      const bool filters = member.key == "taints" && !(features.taints && features.notes);
      if (!filters) {
        b.SharedKey(member.key), b.Add(member.value);
        continue;
      }
      if (!features.taints || std::none_of(member.value.Items().begin(), member.value.Items().end(), keeps_away)) continue;
      b.SharedKey(member.key);
      b.StartArray();
      for (const json::Value& taint : member.value.Items()) {
        if (keeps_away(taint)) b.Add(taint);
      }
      b.EndArray();
    }
    b.EndObject();
  });
  return reduced;
}

}  // namespace allot::node
