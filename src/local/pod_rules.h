#pragma once
// What becomes of each field of a Pod on one machine: nothing is passed over in silence.
//
// A field is honoured (by the scheduler or by the runtime), has no effect here and needs none, is left out with a warning, or is refused
// with a sentence that says what to do. A test holds the table to all fields of Kubernetes 1.36.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/field_errors.h"
#include "base/status.h"
#include "json/value.h"

namespace allot::local {

// What a Pod's containers are.
enum class Runtime {
  kProcess,  // programs of the machine
  kPodman,   // images
};

enum class Verdict {
  kScheduler,  // honoured, by who chooses the node
  kRuntime,    // honoured, by who runs the Pod
  kLook,       // the fields within have rules of their own
  kNoEffect,   // a process needs none of it
  kWarned,     // accepted, not done, and said so
  kRefused,
};

struct PodRule {
  std::string_view field;  // "Container.image": the type of Kubernetes' API, and its field. All that is within, unless kLook
  Verdict verdict;
  std::string_view sentence;  // of kWarned and kRefused: why, and what to do
  std::string_view harmless;  // values, with a comma between them, that are neither; besides "", what is empty, and false (or true instead)
};

// Sorted by field. Of kPodman: those that are others than a process's.
std::span<const PodRule> AllPodRules(Runtime runtime);
// nullptr: there is none.
const PodRule* FindPodRule(Runtime runtime, std::string_view type, std::string_view field);

// An error for each field of the Pod, or of the template, that is refused, and a warning for each that is left out. `place` is where the
// Pod is within the object.
void CheckPod(Runtime runtime, const apiserver::FieldPath& place, const json::Value& pod, apiserver::FieldErrors& errors,
              std::vector<std::string>& warnings);

// The same for one who cannot refuse any more: kUnsupported names the fields.
Status CheckPodSpec(Runtime runtime, const json::Value& pod, std::vector<std::string>& warnings);

}  // namespace allot::local
