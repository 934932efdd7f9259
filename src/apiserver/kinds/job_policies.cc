#include <charconv>
#include <set>

#include "apiserver/json_names.h"
#include "apiserver/kinds/job_checks.h"

namespace allot::apiserver {

namespace {

constexpr size_t kMaxRules = 20;
constexpr size_t kMaxPatterns = 20;
constexpr size_t kMaxExitCodes = 255;
constexpr size_t kMaxIndexBytes = 64 * 1024;

void CheckExitCodes(const FieldPath& field, const Value& codes, const std::set<std::string_view>& containers, FieldErrors& errors) {
  const std::string_view op = TextOf(codes["operator"]);
  if (op.empty()) {
    errors.Required(field.Child("operator"), "valid values: [\"In\" \"NotIn\"]");
  } else {
    CheckSupported(field.Child("operator"), op, {"In", "NotIn"}, errors);
  }
  if (const Value& name = codes["containerName"]; IsSet(name) && !containers.contains(TextOf(name))) {
    errors.Invalid(field.Child("containerName"), TextOf(name), "must be one of the container or initContainer names in the pod template");
  }
  const Value& values = codes["values"];
  const FieldPath path = field.Child("values");
  const size_t count = ItemsOf(values).size();
  if (count == 0) errors.Invalid(path, values, "at least one value is required");
  if (count > kMaxExitCodes) errors.TooMany(path, count, kMaxExitCodes);
  std::set<int64_t> seen;
  bool ordered = true;
  Each(path, values, [&](const FieldPath& at, const Value& value) {
    const int64_t code = IntOf(value);
    if (op == "In" && code == 0) errors.Invalid(at, code, "must not be 0 for the In operator");
    ordered &= seen.empty() || code >= *seen.rbegin();
    if (!seen.insert(code).second) errors.Duplicate(at, value);
  });
  if (!ordered) errors.Invalid(path, values, "must be ordered");
}

void CheckPatterns(const FieldPath& field, const Value& patterns, FieldErrors& errors) {
  if (ItemsOf(patterns).size() > kMaxPatterns) errors.TooMany(field, ItemsOf(patterns).size(), kMaxPatterns);
  Each(field, patterns, [&](const FieldPath& path, const Value& pattern) {
    CheckLabelKey(path.Child("type"), TextOf(pattern["type"]), errors);
    CheckEnum(path.Child("status"), TextOf(pattern["status"]), {"False", "True", "Unknown"}, errors);
  });
}

void CheckFailurePolicy(const FieldPath& field, const Value& spec, FieldErrors& errors) {
  const Value& rules = spec["podFailurePolicy"]["rules"];
  const FieldPath list = field.Child("rules");
  if (ItemsOf(rules).size() > kMaxRules) errors.TooMany(list, ItemsOf(rules).size(), kMaxRules);
  std::set<std::string_view> containers;
  for (const std::string_view name : {"containers", "initContainers"}) {
    for (const Value& container : ItemsOf(spec["template"]["spec"][name])) containers.insert(TextOf(container["name"]));
  }
  Each(list, rules, [&](const FieldPath& path, const Value& rule) {
    const std::string_view action = TextOf(rule["action"]);
    CheckEnum(path.Child("action"), action, {"Count", "FailIndex", "FailJob", "Ignore"}, errors);
    if (action == "FailIndex" && !IsSet(spec["backoffLimitPerIndex"])) {
      errors.Invalid(path.Child("action"), action, "requires the backoffLimitPerIndex to be set");
    }
    const bool by_code = IsSet(rule["onExitCodes"]);
    const bool by_condition = !ItemsOf(rule["onPodConditions"]).empty();
    if (by_code) CheckExitCodes(path.Child("onExitCodes"), rule["onExitCodes"], containers, errors);
    if (by_condition) CheckPatterns(path.Child("onPodConditions"), rule["onPodConditions"], errors);
    if (by_code == by_condition) {
      errors.Add("FieldValueInvalid", path,
                 by_code ? "Invalid value: specifying both OnExitCodes and OnPodConditions is not supported"
                         : "Invalid value: specifying one of OnExitCodes and OnPodConditions is required");
    }
  });
}

void CheckSuccessRule(const FieldPath& field, const Value& rule, int64_t completions, FieldErrors& errors) {
  const Value& indexes = rule["succeededIndexes"];
  const Value& count = rule["succeededCount"];
  if (!IsSet(indexes) && !IsSet(count)) {
    errors.Required(field, "at least one of succeededCount or succeededIndexes must be specified");
  }
  int64_t total = 0;
  if (IsSet(indexes)) {
    const FieldPath path = field.Child("succeededIndexes");
    if (TextOf(indexes).size() > kMaxIndexBytes) errors.TooLong(path, kMaxIndexBytes);
    const Indexes read = ReadIndexes(TextOf(indexes), completions);
    if (!read.problem.empty()) errors.Invalid(path, TextOf(indexes), StrCat("error parsing succeededIndexes: ", read.problem));
    total = read.count;
  }
  const FieldPath path = field.Child("succeededCount");
  CheckNonnegative(path, count, errors);
  if (IntOf(count) > completions) {
    errors.Invalid(path, IntOf(count), StrCat("must be less than or equal to ", completions, " (the number of specified completions)"));
  }
  if (IsSet(count) && IsSet(indexes) && IntOf(count) > total) {
    errors.Invalid(path, IntOf(count),
                   StrCat("must be less than or equal to ", total, " (the number of indexes in the specified succeededIndexes field)"));
  }
}

void CheckSuccessPolicy(const FieldPath& field, const Value& spec, FieldErrors& errors) {
  const Value& policy = spec["successPolicy"];
  if (TextOf(spec["completionMode"]) != "Indexed") return errors.Invalid(field, policy, "requires indexed completion mode");
  const FieldPath list = field.Child("rules");
  const size_t count = ItemsOf(policy["rules"]).size();
  if (count == 0) errors.Required(list, "at least one rules must be specified when the successPolicy is specified");
  if (count > kMaxRules) errors.TooMany(list, count, kMaxRules);
  if (!IsSet(spec["completions"])) return;
  Each(list, policy["rules"],
       [&](const FieldPath& path, const Value& rule) { CheckSuccessRule(path, rule, IntOf(spec["completions"]), errors); });
}

// Reads a whole number without a sign or spaces.
bool ReadIndex(std::string_view text, int64_t completions, int64_t& index, std::string& problem) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size()) {
    problem = StrCat("cannot convert string to integer for index: ", Quoted(text));
  } else if (index >= completions) {
    problem = StrCat("too large index: ", Quoted(text));
  }
  return problem.empty();
}

}  // namespace

Indexes ReadIndexes(std::string_view text, int64_t completions) {
  Indexes result;
  if (text.empty()) return result;
  int64_t last = -1;
  for (const std::string_view part : Split(text, ',')) {
    const auto ends = Split(part, '-');
    int64_t first = 0;
    if (ends.size() > 2) {
      result.problem = StrCat("the fragment ", Quoted(part),
                              " violates the requirement that an index interval can have at most two parts separated by '-'");
      return result;
    }
    if (!ReadIndex(ends[0], completions, first, result.problem)) return result;
    int64_t end = first;
    if (ends.size() == 2 && !ReadIndex(ends[1], completions, end, result.problem)) return result;
    const int64_t previous = ends.size() == 2 && first >= end ? first : last;
    if (first <= last || (ends.size() == 2 && first >= end)) {
      result.problem = StrCat("non-increasing order, previous: ", previous, ", current: ", first <= last ? first : end);
      return result;
    }
    result.count += end - first + 1;
    result.ranges.emplace_back(first, end);
    last = end;
  }
  return result;
}

void CheckJobPolicies(const FieldPath& field, const Value& spec, FieldErrors& errors) {
  const bool has_failure_policy = IsSet(spec["podFailurePolicy"]);
  if (has_failure_policy) CheckFailurePolicy(field.Child("podFailurePolicy"), spec, errors);
  if (IsSet(spec["successPolicy"])) CheckSuccessPolicy(field.Child("successPolicy"), spec, errors);
  const Value& replacement = spec["podReplacementPolicy"];
  const FieldPath path = field.Child("podReplacementPolicy");
  if (!IsSet(replacement)) return;
  if (has_failure_policy) {
    CheckSupported(path, TextOf(replacement), {"Failed"}, errors);
  } else {
    CheckSupported(path, TextOf(replacement), {"Failed", "TerminatingOrFailed"}, errors);
  }
}

}  // namespace allot::apiserver
