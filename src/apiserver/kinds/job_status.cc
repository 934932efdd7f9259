#include <set>

#include "apiserver/json_names.h"
#include "apiserver/kinds/job_checks.h"

namespace allot::apiserver {

namespace {

// Compares the Job before and after a write. Most rules apply only if the write changes the fields they concern.
class StatusRules {
 public:
  StatusRules(const Value& job, const Value& old, FieldErrors& errors)
      : job_(job), old_(old), now_(job["status"]), before_(old["status"]), errors_(errors) {}

  void Check() {
    CheckNonnegativeMembers(field_, now_, {"active", "succeeded", "failed", "ready", "terminating"}, errors_);
    CheckUncounted();
    CheckConditions();
    CheckFinished();
    CheckTimes();
    CheckCounters();
    CheckIndexes();
  }

 private:
  bool Is(std::string_view condition) const { return HasTrueCondition(job_, condition); }
  bool Was(std::string_view condition) const { return HasTrueCondition(old_, condition); }
  bool Changed(std::string_view condition) const { return Is(condition) != Was(condition); }
  bool ChangedField(std::string_view name) const { return !json::Equal(now_[name], before_[name]); }
  bool Finished() const { return Is("Complete") || Is("Failed"); }
  bool FinishedChanged() const { return Finished() != (Was("Complete") || Was("Failed")); }
  bool Indexed() const { return TextOf(job_["spec"]["completionMode"]) == "Indexed"; }

  void Refuse(std::string_view name, std::string_view why) {
    errors_.Add("FieldValueInvalid", field_.Child(name), StrCat("Invalid value: ", why));
  }

  void CheckUncounted() {
    const FieldPath field = field_.Child("uncountedTerminatedPods");
    std::set<std::string_view> seen;
    for (const std::string_view list : {"succeeded", "failed"}) {
      Each(field.Child(list), now_["uncountedTerminatedPods"][list], [&](const FieldPath& path, const Value& uid) {
        if (TextOf(uid).empty()) return errors_.Invalid(path, "", "must not be empty");
        if (!seen.insert(TextOf(uid)).second) errors_.Duplicate(path, uid);
      });
    }
  }

  void CheckConditions() {
    constexpr std::string_view kName = "conditions";
    const bool complete = Changed("Complete");
    if ((complete || Changed("Failed")) && Is("Complete") && Is("Failed")) {
      Refuse(kName, "cannot set Complete=True and Failed=true conditions");
    }
    if ((complete || Changed("FailureTarget")) && Is("Complete") && Is("FailureTarget")) {
      Refuse(kName, "cannot set Complete=True and FailureTarget=true conditions");
    }
    if ((Changed("Failed") || ChangedField("failedIndexes")) && Is("Failed") && !Is("FailureTarget")) {
      Refuse(kName, "cannot set Failed=True condition without the FailureTarget=true condition");
    }
    if ((complete || Changed("SuccessCriteriaMet")) && Is("Complete") && !Is("SuccessCriteriaMet")) {
      Refuse(kName, "cannot set Complete=True condition without the SuccessCriteriaMet=true condition");
    }
    if (Is("SuccessCriteriaMet") && Is("Failed")) Refuse(kName, "cannot set SuccessCriteriaMet=True and Failed=true conditions");
    if (Is("SuccessCriteriaMet") && Is("FailureTarget")) {
      Refuse(kName, "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions");
    }
    if (IsSet(job_["spec"]["successPolicy"]) && !Is("SuccessCriteriaMet") && Is("Complete")) {
      Refuse(kName, "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True");
    }
    if (Was("Complete") && !Was("SuccessCriteriaMet") && Is("SuccessCriteriaMet")) {
      Refuse(kName, "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions");
    }
    for (const std::string_view type : {"Failed", "Complete", "FailureTarget"}) {
      if (Was(type) && !Is(type)) Refuse(kName, StrCat("cannot disable the terminal ", type, "=True condition"));
    }
    if (Was("SuccessCriteriaMet") && !Is("SuccessCriteriaMet")) Refuse(kName, "cannot disable the SuccessCriteriaMet=True condition");
  }

  void CheckFinished() {
    if (!Finished()) return;
    if ((FinishedChanged() || ChangedField("active")) && IntOf(now_["active"]) > 0) {
      errors_.Invalid(field_.Child("active"), IntOf(now_["active"]), "active>0 is invalid for finished job");
    }
    if ((FinishedChanged() || ChangedField("terminating")) && IntOf(now_["terminating"]) > 0) {
      errors_.Invalid(field_.Child("terminating"), IntOf(now_["terminating"]), "terminating>0 is invalid for finished job");
    }
    const Value& completions = job_["spec"]["completions"];
    const bool never_started = json::IsTrue(job_["spec"]["suspend"]) && IsSet(completions) && IntOf(completions) == 0;
    if ((FinishedChanged() || ChangedField("startTime")) && !never_started && !IsSet(now_["startTime"])) {
      errors_.Required(field_.Child("startTime"), "startTime is required for finished job");
    }
    const Value& uncounted = now_["uncountedTerminatedPods"];
    if ((FinishedChanged() || ChangedField("uncountedTerminatedPods")) &&
        !(ItemsOf(uncounted["succeeded"]).empty() && ItemsOf(uncounted["failed"]).empty())) {
      errors_.Invalid(field_.Child("uncountedTerminatedPods"), uncounted, "must be empty for finished job");
    }
  }

  void CheckTimes() {
    const Value& start = now_["startTime"];
    const Value& end = now_["completionTime"];
    const FieldPath end_field = field_.Child("completionTime");
    if (Changed("Complete") || ChangedField("completionTime")) {
      if (IsSet(end) && !Is("Complete")) {
        errors_.Invalid(end_field, end, "cannot set completionTime when there is no Complete=True condition");
      }
      if (!IsSet(end) && Is("Complete")) errors_.Required(end_field, "completionTime is required for Complete jobs");
    }
    // All times have the same format, so comparing the texts compares the times.
    if ((ChangedField("startTime") || ChangedField("completionTime")) && IsSet(start) && IsSet(end) && TextOf(end) < TextOf(start)) {
      errors_.Invalid(end_field, end, "must be equal to or after `startTime`");
    }
    if (IsSet(end) && IsSet(before_["completionTime"]) && ChangedField("completionTime")) {
      errors_.Invalid(end_field, end, "field is immutable");
    }
    const bool resuming = Was("Suspended") && !Is("Suspended");
    if (IsSet(before_["startTime"]) && ChangedField("startTime") && !resuming && !json::IsTrue(job_["spec"]["suspend"])) {
      errors_.Invalid(field_.Child("startTime"), start, "field is immutable for unsuspended job once set");
    }
  }

  void CheckCounters() {
    const auto falls = [&](std::string_view name) { return IntOf(now_[name]) < IntOf(before_[name]); };
    if (falls("failed")) errors_.Invalid(field_.Child("failed"), IntOf(now_["failed"]), "cannot decrease the failed counter");
    // An indexed Job whose completions equal its parallelism may shrink.
    const bool may_shrink = Indexed() && json::Equal(job_["spec"]["completions"], job_["spec"]["parallelism"]);
    if (falls("succeeded") && !may_shrink) {
      errors_.Invalid(field_.Child("succeeded"), IntOf(now_["succeeded"]), "cannot decrease the succeeded counter");
    }
    if ((ChangedField("ready") || ChangedField("active")) && IntOf(now_["ready"]) > IntOf(now_["active"])) {
      errors_.Invalid(field_.Child("ready"), IntOf(now_["ready"]), "cannot set more ready pods than active");
    }
  }

  void CheckIndexes() {
    const Value& completions = job_["spec"]["completions"];
    const Value& per_index = job_["spec"]["backoffLimitPerIndex"];
    const auto check_format = [&](std::string_view name) {
      if (!ChangedField(name) || !IsSet(completions)) return;
      const Indexes read = ReadIndexes(TextOf(now_[name]), IntOf(completions));
      if (!read.problem.empty()) {
        errors_.Invalid(field_.Child(name), TextOf(now_[name]), StrCat("error parsing ", name, ": ", read.problem));
      }
    };
    check_format("completedIndexes");
    if (IsSet(per_index)) check_format("failedIndexes");
    CheckOverlap(IntOf(completions));
    if (ChangedField("completedIndexes") && !TextOf(now_["completedIndexes"]).empty() && !Indexed()) {
      errors_.Invalid(field_.Child("completedIndexes"), TextOf(now_["completedIndexes"]),
                      "cannot set non-empty completedIndexes when non-indexed completion mode");
    }
    if (ChangedField("failedIndexes") && IsSet(now_["failedIndexes"]) && !IsSet(per_index)) {
      errors_.Invalid(field_.Child("failedIndexes"), TextOf(now_["failedIndexes"]),
                      "cannot set non-null failedIndexes when backoffLimitPerIndex is null");
    }
  }

  // No index may be both failed and completed.
  void CheckOverlap(int64_t completions) {
    if (!ChangedField("failedIndexes") && !ChangedField("completedIndexes")) return;
    const Indexes done = ReadIndexes(TextOf(now_["completedIndexes"]), completions);
    const Indexes failed = ReadIndexes(TextOf(now_["failedIndexes"]), completions);
    if (!done.problem.empty() || !failed.problem.empty()) return;
    auto one = done.ranges.begin();
    for (const auto& [first, last] : failed.ranges) {
      while (one != done.ranges.end() && one->second < first) ++one;
      if (one == done.ranges.end()) return;
      if (one->first > last) continue;
      return errors_.Invalid(field_.Child("failedIndexes"), TextOf(now_["failedIndexes"]), "failedIndexes and completedIndexes overlap");
    }
  }

  const FieldPath field_{"status"};
  const Value& job_;
  const Value& old_;
  const Value& now_;
  const Value& before_;
  FieldErrors& errors_;
};

}  // namespace

bool HasTrueCondition(const Value& job, std::string_view type) {
  for (const Value& condition : ItemsOf(job["status"]["conditions"])) {
    if (TextOf(condition["type"]) == type && TextOf(condition["status"]) == "True") return true;
  }
  return false;
}

void CheckJobStatus(const Value& job, const Value& old, FieldErrors& errors) { StatusRules(job, old, errors).Check(); }

}  // namespace allot::apiserver
