#include "apiserver/controllers/events.h"

#include <algorithm>

namespace allot::apiserver {

namespace {

constexpr std::chrono::hours kKept{1};

// Returns when the object was last written, according to its managedFields.
WallTime LastWrite(const json::Value& event) {
  WallTime last{};
  const auto look = [&](const json::Value& time) { last = std::max(last, TimeOf(time).value_or(WallTime())); };
  look(event["metadata"]["creationTimestamp"]);
  for (const json::Value& manager : json::ItemsOf(event["metadata"]["managedFields"])) look(manager["time"]);
  return last;
}

}  // namespace

void Events::Notice(const Sight& sight) {
  // Updates need no key: Reconcile reads the last write when the first hour is over.
  if (sight.Is("events") && sight.created()) Add(sight.key());
}

Result<Again> Events::Reconcile(const Key& key) {
  const std::optional<Stored> event = Read(store(), key);
  if (!event) return Again();
  const auto left = LastWrite(event->json()) + kKept - Now();
  if (left > std::chrono::seconds(0)) return Again(std::min<std::chrono::nanoseconds>(left, kKept));
  TRY(Delete(TargetOf(key), event->uid()));
  return Again();
}

}  // namespace allot::apiserver
