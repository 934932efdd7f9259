// Columns of kinds whose cells are fields of the object, nearly unchanged.

#include "apiserver/kinds/columns/columns.h"

#include "apiserver/kinds/columns/cells.h"
#include "base/strings.h"
#include "kube/timestamp.h"

namespace allot::apiserver {

using namespace cells;  // NOLINT(google-build-using-namespace)

namespace {

int64_t CountOf(const Value& map) { return static_cast<int64_t>(MembersOf(map).size()); }

// "deleted,allocated,reserved", "pending"
std::string ClaimState(const Value& claim) {
  const bool deleted = claim["metadata"]["deletionTimestamp"].IsString();
  const Value& status = claim["status"];
  std::string state = deleted ? "deleted" : "";
  if (status["allocation"].IsNull()) {
    if (!deleted) state = "pending";
    return state;
  }
  state += deleted ? ",allocated" : "allocated";
  if (!ItemsOf(status["reservedFor"]).empty()) state += ",reserved";
  return state;
}

}  // namespace

ColumnsAndRow NameAndAgeColumns() {
  return {{NameColumn(), AgeColumn()},
          [](Editor& edit, const Value& object, WallTime now) { return std::vector<Value>{Name(edit, object), Age(edit, object, now)}; }};
}

ColumnsAndRow NameAndCreationColumns() {
  return {{NameColumn(), TypedColumn("Created At", "date", "When the server stored the object for the first time.")},
          [](Editor& edit, const Value& object, WallTime) {
            return std::vector<Value>{Name(edit, object), TextOr(edit, object["metadata"]["creationTimestamp"], "0001-01-01T00:00:00Z")};
          }};
}

ColumnsAndRow ServiceAccountColumns() { return NameAndAgeColumns(); }
ColumnsAndRow DeviceClassColumns() { return NameAndAgeColumns(); }
ColumnsAndRow ResourceClaimTemplateColumns() { return NameAndAgeColumns(); }
ColumnsAndRow DefinitionColumns() { return NameAndCreationColumns(); }

ColumnsAndRow NamespaceColumns() {
  return {{NameColumn(), TextColumn("Status", "Active, or Terminating while what is in it is being deleted."), AgeColumn()},
          [](Editor& edit, const Value& object, WallTime now) {
            return std::vector<Value>{Name(edit, object), TextOr(edit, object["status"]["phase"]), Age(edit, object, now)};
          }};
}

ColumnsAndRow ConfigMapColumns() {
  return {{NameColumn(), TextColumn("Data", "How many keys it has, those with text and those with bytes."), AgeColumn()},
          [](Editor& edit, const Value& object, WallTime now) {
            return std::vector<Value>{Name(edit, object), edit.Int(CountOf(object["data"]) + CountOf(object["binaryData"])),
                                      Age(edit, object, now)};
          }};
}

ColumnsAndRow SecretColumns() {
  return {{NameColumn(), TextColumn("Type", "What the data is for, which says which keys there must be."),
           TextColumn("Data", "How many keys it has."), AgeColumn()},
          [](Editor& edit, const Value& object, WallTime now) {
            return std::vector<Value>{Name(edit, object), TextOr(edit, object["type"]), edit.Int(CountOf(object["data"])),
                                      Age(edit, object, now)};
          }};
}

ColumnsAndRow LeaseColumns() {
  return {{NameColumn(), TextColumn("Holder", "The current holder of the lease."), AgeColumn()},
          [](Editor& edit, const Value& object, WallTime now) {
            return std::vector<Value>{Name(edit, object), TextOr(edit, object["spec"]["holderIdentity"]), Age(edit, object, now)};
          }};
}

ColumnsAndRow PriorityClassColumns() {
  return {{NameColumn(), TypedColumn("Value", "integer", "The priority that Pods of this class get; the higher one goes first."),
           TypedColumn("Global-Default", "boolean", "Whether Pods that name no class get this one."), AgeColumn(),
           TextColumn("PreemptionPolicy", "Whether Pods of this class may push out those of a lower priority.")},
          [](Editor& edit, const Value& object, WallTime now) {
            return std::vector<Value>{Name(edit, object), edit.Int(IntOf(object["value"])),
                                      edit.Bool(json::IsTrue(object["globalDefault"])), Age(edit, object, now),
                                      TextOr(edit, object["preemptionPolicy"])};
          }};
}

ColumnsAndRow RuntimeClassColumns() {
  return {{NameColumn(), TextColumn("Handler", "The configuration of the container runtime that runs Pods of this class."), AgeColumn()},
          [](Editor& edit, const Value& object, WallTime now) {
            return std::vector<Value>{Name(edit, object), TextOr(edit, object["handler"]), Age(edit, object, now)};
          }};
}

ColumnsAndRow ResourceClaimColumns() {
  return {{NameColumn(), TextColumn("State", "Pending, or allocated, reserved for a Pod, being deleted."), AgeColumn()},
          [](Editor& edit, const Value& object, WallTime now) {
            return std::vector<Value>{Name(edit, object), edit.String(ClaimState(object)), Age(edit, object, now)};
          }};
}

ColumnsAndRow ResourceSliceColumns() {
  return {{NameColumn(), TextColumn("Node", "The node that has the devices; empty where several nodes can reach them."),
           TextColumn("Driver", "The DRA driver that offers the devices."), TextColumn("Pool", "The pool that the devices belong to."),
           AgeColumn()},
          [](Editor& edit, const Value& object, WallTime now) {
            const Value& spec = object["spec"];
            return std::vector<Value>{Name(edit, object), TextOr(edit, spec["nodeName"]), TextOr(edit, spec["driver"]),
                                      TextOr(edit, spec["pool"]["name"]), Age(edit, object, now)};
          }};
}

}  // namespace allot::apiserver
