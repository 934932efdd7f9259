#pragma once
// What kubectl explain says about types and fields, in our words. Most fields have names that say enough and are not here.

#include <string_view>

namespace allot::apiserver {

// On the built-in type of that name ("io.k8s.api.core.v1.Pod"); empty: nothing.
std::string_view WordsOn(std::string_view type);
// On a field of it.
std::string_view WordsOn(std::string_view type, std::string_view field);
// On a field that every kind has: metadata, spec, status.
std::string_view WordsOnAnyKind(std::string_view field);

}  // namespace allot::apiserver
