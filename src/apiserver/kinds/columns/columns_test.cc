#include "apiserver/kinds/columns/columns.h"

#include <algorithm>

#include "base/test_util.h"
#include "json/json.h"
#include "json/yaml.h"
#include "kube/timestamp.h"

namespace allot::apiserver {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

const WallTime kNow = *kube::ParseTime("2026-03-01T12:00:00Z");

// Cells as text; other values as their JSON.
std::vector<std::string> Cells(const ColumnsAndRow& columns, std::string_view yaml) {
  const auto documents = json::ParseYaml(yaml);
  EXPECT_OK(documents);
  if (!documents.ok() || documents->size() != 1) return {};
  json::Arena arena;
  json::Editor edit(arena);
  std::vector<std::string> cells;
  for (const json::Value& cell : columns.row(edit, documents->front().root(), kNow)) {
    cells.push_back(cell.IsString() ? std::string(cell.AsString()) : json::Write(cell));
  }
  EXPECT_THAT(cells, SizeIs(columns.columns.size()));
  return cells;
}

std::vector<std::string> Names(const ColumnsAndRow& columns) {
  std::vector<std::string> names;
  for (const Column& column : columns.columns) names.push_back(column.name);
  return names;
}

std::vector<ColumnsAndRow> All() {
  return {PodColumns(),
          NodeColumns(),
          NamespaceColumns(),
          ConfigMapColumns(),
          SecretColumns(),
          ServiceAccountColumns(),
          EventColumns(),
          DeploymentColumns(),
          ReplicaSetColumns(),
          JobColumns(),
          DeviceClassColumns(),
          ResourceClaimColumns(),
          ResourceClaimTemplateColumns(),
          ResourceSliceColumns(),
          LeaseColumns(),
          PriorityClassColumns(),
          RuntimeClassColumns(),
          DefinitionColumns()};
}

TEST(Columns, EveryKindHasACellForEachColumnOfAnObjectWithoutFields) {
  for (const ColumnsAndRow& columns : All()) {
    const auto cells = Cells(columns, "{}");
    EXPECT_THAT(cells, SizeIs(columns.columns.size()));
    for (const Column& column : columns.columns) EXPECT_FALSE(column.description.empty()) << column.name;
  }
}

TEST(Columns, SurviveFieldsOfTheWrongType) {
  for (const ColumnsAndRow& columns : All()) {
    Cells(columns, "{metadata: [], spec: 5, status: x, involvedObject: true, data: [1], series: 3}");
    Cells(columns,
          "{metadata: {name: 5, creationTimestamp: 7, labels: 3}, spec: {containers: {}, initContainers: [1], selector: []},"
          " status: {conditions: [5, x], containerStatuses: [[], {state: 5}], initContainerStatuses: [7], podIPs: [1]}}");
  }
}

TEST(Columns, ExactlyOneColumnIsTheName) {
  for (const ColumnsAndRow& columns : All()) {
    EXPECT_EQ(std::count_if(columns.columns.begin(), columns.columns.end(), [](const Column& c) { return c.format == "name"; }), 1);
  }
}

TEST(Columns, NamesAreThoseOfKubernetes) {
  EXPECT_THAT(Names(PodColumns()),
              ElementsAre("Name", "Ready", "Status", "Restarts", "Age", "IP", "Node", "Nominated Node", "Readiness Gates"));
  EXPECT_THAT(Names(NodeColumns()), ElementsAre("Name", "Status", "Roles", "Age", "Version", "Internal-IP", "External-IP", "OS-Image",
                                                "Kernel-Version", "Container-Runtime"));
  EXPECT_THAT(Names(EventColumns()),
              ElementsAre("Last Seen", "Type", "Reason", "Object", "Subobject", "Source", "Message", "First Seen", "Count", "Name"));
  EXPECT_THAT(Names(DefinitionColumns()), ElementsAre("Name", "Created At"));
}

TEST(Node, ShowsItsConditionRolesAndSystem) {
  EXPECT_THAT(Cells(NodeColumns(), R"(
metadata:
  name: n1
  creationTimestamp: "2026-02-28T12:00:00Z"
  labels: {node-role.kubernetes.io/worker: "", kubernetes.io/role: control, node-role.kubernetes.io/: "", kubernetes.io/os: linux}
spec: {unschedulable: true}
status:
  conditions: [{type: MemoryPressure, status: "False"}, {type: Ready, status: "True"}]
  addresses: [{type: Hostname, address: h}, {type: InternalIP, address: 10.0.0.1}, {type: InternalIP, address: 10.0.0.2}]
  nodeInfo: {kubeletVersion: v1.36.4, osImage: Debian, kernelVersion: "6.1", architecture: amd64, containerRuntimeVersion: cri-o://1})"),
              ElementsAre("n1", "Ready,SchedulingDisabled", "control,worker", "24h", "v1.36.4", "10.0.0.1", "<none>", "Debian",
                          "6.1 (amd64)", "cri-o://1"));
}

TEST(Node, IsUnknownWithoutCondition) {
  EXPECT_THAT(Cells(NodeColumns(), "{metadata: {name: n1}}"),
              ElementsAre("n1", "Unknown", "<none>", "<unknown>", "", "<none>", "<none>", "<unknown>", "<unknown>", "<unknown>"));
  EXPECT_EQ(Cells(NodeColumns(), R"({status: {conditions: [{type: Ready, status: "Unknown"}]}})")[1], "NotReady");
}

TEST(ConfigMapAndSecret, CountTheirKeys) {
  EXPECT_THAT(Cells(ConfigMapColumns(), "{metadata: {name: a}, data: {a: b, c: d}, binaryData: {e: Zg==}}"),
              ElementsAre("a", "3", "<unknown>"));
  EXPECT_THAT(Cells(SecretColumns(), "{metadata: {name: a}, type: Opaque, data: {a: Yg==}}"), ElementsAre("a", "Opaque", "1", "<unknown>"));
}

TEST(Event, OfTheOlderWayHasItsCountAndTimes) {
  EXPECT_THAT(Cells(EventColumns(), R"(
metadata: {name: e}
type: Warning
reason: Because
message: "  of that\n"
count: 4
firstTimestamp: "2026-03-01T11:00:00Z"
lastTimestamp: "2026-03-01T11:59:00Z"
involvedObject: {kind: Pod, name: p, fieldPath: "spec.containers{c}"}
source: {component: kubelet, host: n1})"),
              ElementsAre("60s", "Warning", "Because", "pod/p", "spec.containers{c}", "kubelet, n1", "of that", "60m", "4", "e"));
}

TEST(Event, OfTheNewerWayHasItsSeriesAndReporter) {
  EXPECT_THAT(Cells(EventColumns(), R"(
metadata: {name: e}
eventTime: "2026-03-01T11:00:00.000000Z"
series: {count: 7, lastObservedTime: "2026-03-01T11:59:55.000000Z"}
reportingComponent: scheduler
involvedObject: {kind: ResourceClaim})"),
              ElementsAre("5s", "", "", "resourceclaim", "", "scheduler", "", "60m", "7", "e"));
}

TEST(Event, ThatHappenedOnceCountsAsOne) {
  const auto cells = Cells(EventColumns(), R"({eventTime: "2026-03-01T11:59:00Z"})");
  EXPECT_EQ(cells[0], "60s");
  EXPECT_EQ(cells[8], "1");
}

TEST(Deployment, ShowsItsReplicasAndTemplate) {
  constexpr std::string_view kYaml = R"(
metadata: {name: d, creationTimestamp: "2026-03-01T11:50:00Z"}
spec:
  replicas: 3
  selector:
    matchLabels: {tier: web, app: x}
    matchExpressions:
    - {key: old, operator: DoesNotExist}
    - {key: env, operator: In, values: [q, p]}
    - {key: zone, operator: NotIn, values: [z]}
    - {key: has, operator: Exists}
  template: {spec: {containers: [{name: a, image: "i:1"}, {name: b, image: "j:2"}]}}
status: {replicas: 3, readyReplicas: 1, updatedReplicas: 2, availableReplicas: 1})";
  EXPECT_THAT(Cells(DeploymentColumns(), kYaml),
              ElementsAre("d", "1/3", "2", "1", "10m", "a,b", "i:1,j:2", "app=x,env in (p,q),has,!old,tier=web,zone notin (z)"));
  EXPECT_THAT(Cells(ReplicaSetColumns(), kYaml),
              ElementsAre("d", "3", "3", "1", "10m", "a,b", "i:1,j:2", "app=x,env in (p,q),has,!old,tier=web,zone notin (z)"));
}

TEST(Selector, AnEmptyOneIsShownAsNoneExceptForADeployment) {
  EXPECT_EQ(Cells(ReplicaSetColumns(), "{}")[7], "<none>");
  EXPECT_EQ(Cells(DeploymentColumns(), "{}")[7], "");
  EXPECT_EQ(Cells(ReplicaSetColumns(), "{spec: {selector: {matchExpressions: [{key: a, operator: Bad}]}}}")[7], "<error>");
  EXPECT_EQ(Cells(DeploymentColumns(), "{spec: {selector: {matchExpressions: [{key: a, operator: Bad}]}}}")[7], "<invalid>");
}

TEST(Job, ShowsHowFarItIs) {
  EXPECT_THAT(Cells(JobColumns(), R"(
metadata: {name: j}
spec: {completions: 3, template: {spec: {containers: [{name: c, image: i}]}}}
status: {succeeded: 1, startTime: "2026-03-01T11:58:00Z"})"),
              ElementsAre("j", "Running", "1/3", "2m", "<unknown>", "c", "i", "<none>"));
  EXPECT_THAT(Cells(JobColumns(), R"(
metadata: {name: j}
spec: {parallelism: 4}
status:
  startTime: "2026-03-01T11:00:00Z"
  completionTime: "2026-03-01T11:01:30Z"
  conditions: [{type: SuccessCriteriaMet, status: "True"}, {type: Complete, status: "True"}])"),
              ElementsAre("j", "Complete", "0/1 of 4", "90s", "<unknown>", "", "", "<none>"));
}

TEST(Job, StatusIsTheConditionThatMattersMost) {
  const auto status = [](std::string_view conditions, std::string_view metadata = "{}") {
    return Cells(JobColumns(), StrCat("{metadata: ", metadata, ", status: {conditions: [", conditions, "]}}"))[1];
  };
  EXPECT_EQ(status("{type: Suspended, status: 'True'}"), "Suspended");
  EXPECT_EQ(status("{type: Suspended, status: 'False'}"), "Running");
  EXPECT_EQ(status("{type: FailureTarget, status: 'True'}, {type: Failed, status: 'True'}"), "Failed");
  EXPECT_EQ(status("{type: FailureTarget, status: 'True'}"), "FailureTarget");
  EXPECT_EQ(status("{type: SuccessCriteriaMet, status: 'True'}"), "SuccessCriteriaMet");
  EXPECT_EQ(status("{type: Suspended, status: 'True'}", "{deletionTimestamp: '2026-03-01T11:00:00Z'}"), "Terminating");
}

TEST(ResourceClaim, StateNamesWhatHappenedToIt) {
  const auto state = [](std::string_view yaml) { return Cells(ResourceClaimColumns(), yaml)[1]; };
  EXPECT_EQ(state("{}"), "pending");
  EXPECT_EQ(state("{status: {allocation: {}}}"), "allocated");
  EXPECT_EQ(state("{status: {allocation: {}, reservedFor: [{name: p}]}}"), "allocated,reserved");
  EXPECT_EQ(state("{metadata: {deletionTimestamp: x}}"), "deleted");
  EXPECT_EQ(state("{metadata: {deletionTimestamp: x}, status: {allocation: {}, reservedFor: [{name: p}]}}"), "deleted,allocated,reserved");
}

TEST(OtherKinds, ShowTheirFields) {
  EXPECT_THAT(Cells(ResourceSliceColumns(), "{metadata: {name: s}, spec: {nodeName: n1, driver: d, pool: {name: p}}}"),
              ElementsAre("s", "n1", "d", "p", "<unknown>"));
  EXPECT_THAT(Cells(LeaseColumns(), "{metadata: {name: l}, spec: {holderIdentity: me}}"), ElementsAre("l", "me", "<unknown>"));
  EXPECT_THAT(Cells(PriorityClassColumns(), "{metadata: {name: p}, value: 2000000000, globalDefault: true, preemptionPolicy: Never}"),
              ElementsAre("p", "2000000000", "true", "<unknown>", "Never"));
  EXPECT_THAT(Cells(RuntimeClassColumns(), "{metadata: {name: r}, handler: h}"), ElementsAre("r", "h", "<unknown>"));
  EXPECT_THAT(Cells(NamespaceColumns(), "{metadata: {name: n1}, status: {phase: Active}}"), ElementsAre("n1", "Active", "<unknown>"));
  EXPECT_THAT(Cells(DefinitionColumns(), "{metadata: {name: c, creationTimestamp: '2026-03-01T11:00:00Z'}}"),
              ElementsAre("c", "2026-03-01T11:00:00Z"));
}

}  // namespace
}  // namespace allot::apiserver
