#pragma once
// The descriptions of types and fields for `kubectl explain`, in allot's words. Most fields have self-explanatory names and are omitted.

#include <string_view>

namespace allot::apiserver {

// The description of the built-in type of that name ("io.k8s.api.core.v1.Pod"), or empty.
std::string_view WordsOn(std::string_view type);
// The description of a field of it.
std::string_view WordsOn(std::string_view type, std::string_view field);
// The description of a field of every kind: metadata, spec, status.
std::string_view WordsOnAnyKind(std::string_view field);

}  // namespace allot::apiserver
