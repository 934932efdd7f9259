#pragma once
// How each field of a Pod is handled on one machine. No field is ignored silently.
//
// A field is honoured (by the scheduler or by the runtime), needs no effect here, is ignored with a warning, or is refused with a message
// that says what to do. A test checks that the table has every field of Kubernetes 1.36.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/field_errors.h"
#include "base/status.h"
#include "json/value.h"

namespace allot::local {

// What runs a Pod's containers.
enum class Runtime {
  kProcess,  // as programs of the machine
  kPodman,   // as images
};

enum class Verdict {
  kScheduler,  // honoured by the scheduler
  kRuntime,    // honoured by the runtime
  kLook,       // its own fields have rules
  kNoEffect,   // a process does not need it
  kWarned,     // ignored with a warning
  kRefused,
};

struct PodRule {
  std::string_view field;  // "Container.image": the type of the Kubernetes API, and its field. Unless kLook, the rule covers nested fields
  Verdict verdict;
  std::string_view sentence;  // if kWarned or kRefused: why, and what to do
  std::string_view harmless;  // comma-separated values that are accepted silently, besides empty ones and false ("true": instead of false)
};

// Sorted by field. For kPodman only the rules that differ from those of kProcess.
std::span<const PodRule> AllPodRules(Runtime runtime);
// nullptr if there is no rule.
const PodRule* FindPodRule(Runtime runtime, std::string_view type, std::string_view field);

// Adds an error for each refused field of the Pod or Pod template, and a warning for each ignored one. `place` is the path of the Pod in
// its object.
void CheckPod(Runtime runtime, const apiserver::FieldPath& place, const json::Value& pod, apiserver::FieldErrors& errors,
              std::vector<std::string>& warnings);

// The same for a Pod that exists already: kUnsupported names the refused fields.
Status CheckPodSpec(Runtime runtime, const json::Value& pod, std::vector<std::string>& warnings);

}  // namespace allot::local
