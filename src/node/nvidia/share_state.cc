#include "node/nvidia/share_state.h"

#include "json/builder.h"
#include "json/json.h"
#include "model/reader.h"

namespace allot::node::nvidia {

std::string ShareState::ToJson() const {
  if (*this == ShareState()) return {};
  json::Arena arena;
  json::Builder to(arena);
  const auto text = [&](std::string_view key, std::string_view value) {
    if (!value.empty()) to.SharedKey(key), to.String(value);
  };
  const auto number = [&](std::string_view key, int64_t value) {
    if (value != 0) to.SharedKey(key), to.Int(value);
  };
  to.StartObject();
  if (toolkit) to.SharedKey("toolkit"), to.Bool(true);
  text("strategy", sharing.strategy);
  text("interval", sharing.interval);
  number("threadPercentage", sharing.thread_percentage);
  number("pinnedMemoryMiB", sharing.pinned_memory_mib);
  to.EndObject();
  return json::Write(to.Finish());
}

Result<ShareState> ShareState::FromJson(const std::string& text) {
  ShareState state;
  if (text.empty()) return state;
  ASSIGN_OR_RETURN(const json::Document document, json::Parse(text));
  const model::Reader from(document.root());
  state.toolkit = from.OptionalBool("toolkit").value_or(false);
  state.sharing.strategy = from.Text("strategy");
  state.sharing.interval = from.Text("interval");
  state.sharing.thread_percentage = static_cast<int>(from.OptionalInt("threadPercentage").value_or(0));
  state.sharing.pinned_memory_mib = from.OptionalInt("pinnedMemoryMiB").value_or(0);
  TRY(Status(from.status()));
  return state;
}

}  // namespace allot::node::nvidia
