#include "view/events.h"

#include "json/editor.h"

namespace allot::view {

std::string_view TimeOf(const json::Value& event) {
  for (const json::Value* time : {&event["series"]["lastObservedTime"], &event["lastTimestamp"], &event["eventTime"]}) {
    if (time->IsString()) return json::TextOf(*time);
  }
  return "";
}

}  // namespace allot::view
