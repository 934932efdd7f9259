// Columns of Deployment, ReplicaSet and Job.

#include "apiserver/kinds/columns/cells.h"
#include "apiserver/kinds/columns/columns.h"
#include "base/strings.h"
#include "kube/age.h"
#include "kube/timestamp.h"

namespace allot::apiserver {

using namespace cells;  // NOLINT(google-build-using-namespace)

namespace {

std::vector<Column> WithTemplate(std::vector<Column> columns) {
  columns.push_back(TextColumn("Containers", "The names of the containers of each Pod.", 1));
  columns.push_back(TextColumn("Images", "The images of these containers.", 1));
  columns.push_back(TextColumn("Selector", "The labels by which its Pods are known.", 1));
  return columns;
}

std::vector<Value> WithTemplate(Editor& edit, std::vector<Value> cells, const Value& spec, std::string_view selector) {
  const Value& containers = spec["template"]["spec"]["containers"];
  cells.push_back(Joined(edit, containers, "name"));
  cells.push_back(Joined(edit, containers, "image"));
  cells.push_back(edit.String(selector));
  return cells;
}

std::string ShownSelector(const Value& spec) {
  std::string text = SelectorText(spec["selector"]).value_or("<error>");
  return text.empty() ? "<none>" : text;
}

std::string CompletionsOf(const Value& job) {
  const Value& spec = job["spec"];
  const int64_t succeeded = IntOf(job["status"]["succeeded"]);
  if (!spec["completions"].IsNull()) return StrCat(succeeded, "/", IntOf(spec["completions"]));
  const int64_t parallelism = IntOf(spec["parallelism"]);
  return parallelism > 1 ? StrCat(succeeded, "/1 of ", parallelism) : StrCat(succeeded, "/1");
}

std::string DurationOf(const Value& status, WallTime now) {
  const std::optional<WallTime> start = kube::ParseTime(TextOf(status["startTime"]));
  if (!start) return "";
  return kube::HumanDuration(kube::ParseTime(TextOf(status["completionTime"])).value_or(now) - *start);
}

std::string_view JobStatus(const Value& job) {
  const Value& status = job["status"];
  if (HasTrueCondition(status, "Complete")) return "Complete";
  if (HasTrueCondition(status, "Failed")) return "Failed";
  if (job["metadata"]["deletionTimestamp"].IsString()) return "Terminating";
  if (HasTrueCondition(status, "Suspended")) return "Suspended";
  if (HasTrueCondition(status, "FailureTarget")) return "FailureTarget";
  if (HasTrueCondition(status, "SuccessCriteriaMet")) return "SuccessCriteriaMet";
  return "Running";
}

}  // namespace

ColumnsAndRow DeploymentColumns() {
  return {WithTemplate({NameColumn(), TextColumn("Ready", "How many Pods are ready, of how many that are asked for."),
                        TextColumn("Up-to-date", "How many Pods have the latest template."),
                        TextColumn("Available", "How many Pods have been ready for long enough."), AgeColumn()}),
          [](Editor& edit, const Value& object, WallTime now) {
            const Value& spec = object["spec"];
            const Value& status = object["status"];
            return WithTemplate(
                edit,
                {Name(edit, object), Ratio(edit, IntOf(status["readyReplicas"]), IntOf(spec["replicas"])),
                 edit.Int(IntOf(status["updatedReplicas"])), edit.Int(IntOf(status["availableReplicas"])), Age(edit, object, now)},
                spec, SelectorText(spec["selector"]).value_or("<invalid>"));
          }};
}

ColumnsAndRow ReplicaSetColumns() {
  return {WithTemplate({NameColumn(), TypedColumn("Desired", "integer", "How many Pods are asked for."),
                        TypedColumn("Current", "integer", "How many Pods there are."),
                        TypedColumn("Ready", "integer", "How many of them are ready."), AgeColumn()}),
          [](Editor& edit, const Value& object, WallTime now) {
            const Value& spec = object["spec"];
            const Value& status = object["status"];
            return WithTemplate(edit,
                                {Name(edit, object), edit.Int(IntOf(spec["replicas"])), edit.Int(IntOf(status["replicas"])),
                                 edit.Int(IntOf(status["readyReplicas"])), Age(edit, object, now)},
                                spec, ShownSelector(spec));
          }};
}

ColumnsAndRow JobColumns() {
  return {WithTemplate({NameColumn(), TextColumn("Status", "Whether it is running, suspended, complete or has failed."),
                        TextColumn("Completions", "How many Pods have succeeded, of how many that must."),
                        TextColumn("Duration", "How long it took, or is taking."), AgeColumn()}),
          [](Editor& edit, const Value& object, WallTime now) {
            return WithTemplate(edit,
                                {Name(edit, object), edit.Literal(JobStatus(object)), edit.String(CompletionsOf(object)),
                                 edit.String(DurationOf(object["status"], now)), Age(edit, object, now)},
                                object["spec"], ShownSelector(object["spec"]));
          }};
}

}  // namespace allot::apiserver
