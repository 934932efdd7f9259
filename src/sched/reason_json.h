#pragma once
// Reasons as JSON for programs. The names of kinds and facts are stable; docs/cli.md lists them.

#include <string_view>

#include "json/builder.h"
#include "sched/node_reason.h"
#include "sched/obstacle.h"
#include "sched/remedy.h"

namespace allot::sched {

// "NotEnough", "Tainted", ...
std::string_view NameOf(alloc::Reason::Kind kind);
std::string_view NameOf(alloc::Reasons::Kind kind);
std::string_view NameOf(NodeReason::Kind kind);
std::string_view NameOf(Obstacle::Kind kind);
std::string_view NameOf(Remedy::Kind kind);
std::string_view NameOf(Remedy::Change change);

// Writes the keys "kind" and "facts" into the object that is open. Facts that the kind does not have are left out.
void WriteReason(const alloc::Reason& reason, json::Builder& b);
// The same, and the key "pools" if pools are incomplete or invalid.
void WriteReason(const NodeReason& reason, json::Builder& b);

// Writes the keys "key", "value" and "effect" into the object that is open.
void WriteTaint(const alloc::Reason::Taint& taint, json::Builder& b);

// Writes the facts of the obstacle into the object that is open.
void WriteFacts(const Obstacle& obstacle, json::Builder& b);

// Writes the keys "kind", "change" and "facts" into the object that is open.
void WriteRemedy(const Remedy& remedy, json::Builder& b);

}  // namespace allot::sched
