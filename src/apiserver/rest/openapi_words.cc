#include "apiserver/rest/openapi_words.h"

#include <algorithm>
#include <iterator>

#include "base/strings.h"

namespace allot::apiserver {

namespace {

struct Words {
  std::string_view of;  // a type without its package, or "Type.field"; ".field" applies to any kind
  std::string_view text;
};

// Sorted by `of`.
constexpr Words kWords[] = {
    {".apiVersion", "The group and version of the schema that this object is written in."},
    {".kind", "The kind of the object."},
    {".metadata", "The object's name, labels, owners and other metadata."},
    {".spec", "The desired state."},
    {".status", "The observed state; written by controllers, not by users."},
    {"AllocationResult.devices", "The devices that the claim got."},
    {"AllocationResult.nodeSelector", "The nodes on which the devices can be used; without it, all nodes."},
    {"CELDeviceSelector.expression", "A CEL expression over `device`: true for devices that match."},
    {"CapacityRequestPolicy.default", "How much a request that names no amount consumes."},
    {"CapacityRequestPolicy.validRange", "Requests are rounded up to a step within this range."},
    {"CapacityRequestPolicy.validValues", "Requests are rounded up to the next of these amounts."},
    {"CapacityRequirements", "How much of a shared device a request needs."},
    {"CapacityRequirements.requests", "The amount of each capacity that the request consumes, such as memory: 6Gi."},
    {"ConfigMap", "Text and small files for Pods to read, none of it secret."},
    {"ConfigMap.binaryData", "Values that are not text, in base64."},
    {"ConfigMap.data", "Values that are text."},
    {"ConfigMap.immutable", "If true, the data can no longer change."},
    {"Container", "One program that runs in a Pod."},
    {"Container.args", "Arguments for the command; without them, those of the image."},
    {"Container.command", "The program to run instead of the image's entry point; not run in a shell."},
    {"Container.env", "Environment variables."},
    {"Container.image", "The image to run."},
    {"Container.name", "The container's name, unique in its Pod."},
    {"Container.resources", "What the container may use, and what is set aside for it."},
    {"Container.volumeMounts", "Where the Pod's volumes appear in the container."},
    {"Deployment", "Keeps a number of Pods of one template running, and replaces them step by step when the template changes."},
    {"DeploymentSpec.replicas", "How many Pods there should be; 1 if not set."},
    {"DeploymentSpec.selector", "Which Pods belong to the Deployment. Must match the template's labels and cannot change."},
    {"DeploymentSpec.template", "The Pods to make."},
    {"Device", "One device of a pool, such as a GPU."},
    {"Device.allowMultipleAllocations", "If true, several requests may share the device, each with a part of its capacity."},
    {"Device.attributes", "What the device is like; selectors compare these."},
    {"Device.capacity", "How much the device has of what can be consumed, such as memory."},
    {"Device.consumesCounters", "What the device takes from counters that it shares with others, such as slices of one GPU."},
    {"Device.taints", "Keeps requests without a matching toleration away from the device."},
    {"DeviceCapacity.requestPolicy", "Which amounts can be requested of a device that is shared."},
    {"DeviceCapacity.value", "The total amount that the device has."},
    {"DeviceClaim", "The devices that a claim asks for."},
    {"DeviceClaim.config", "Settings for the devices, passed to their driver."},
    {"DeviceClaim.constraints", "What the devices of several requests must have in common."},
    {"DeviceClaim.requests", "The devices that are needed; all requests must be satisfied."},
    {"DeviceClass", "A kind of device that an administrator offers: selectors and settings under a name that claims refer to."},
    {"DeviceClassSpec.config", "Settings that apply to each device that is allocated through the class."},
    {"DeviceClassSpec.extendedResourceName", "An extended resource; Pods that ask for it get devices of this class."},
    {"DeviceClassSpec.selectors", "Which devices belong to the class; all of them must be true."},
    {"DeviceConstraint.distinctAttribute", "The devices must all differ in this attribute."},
    {"DeviceConstraint.matchAttribute", "The devices must all have the same value of this attribute."},
    {"DeviceRequest", "A request for devices: exactly these, or the first of several alternatives that is available."},
    {"DeviceRequest.exactly", "The one way to satisfy the request."},
    {"DeviceRequest.firstAvailable", "Several ways to satisfy the request, the preferred ones first."},
    {"DeviceRequest.name", "A name for the request, unique in the claim; containers refer to it."},
    {"DeviceRequestAllocationResult.consumedCapacity", "How much of the device's capacity the request has, rounded as its policy says."},
    {"DeviceRequestAllocationResult.device", "The device's name in its pool."},
    {"DeviceRequestAllocationResult.driver", "The driver that prepares the device."},
    {"DeviceRequestAllocationResult.pool", "The pool that the device is in."},
    {"DeviceRequestAllocationResult.request", "The request that the device was allocated for."},
    {"DeviceRequestAllocationResult.shareID", "Identifies this share among the shares of the device."},
    {"DeviceSelector.cel", "Selects devices with a CEL expression."},
    {"DeviceSubRequest.allocationMode", "ExactCount (the default) for as many devices as count says, All for every device that matches."},
    {"DeviceSubRequest.capacity", "How much of each device is needed, where devices are shared."},
    {"DeviceSubRequest.count", "How many devices, with allocationMode ExactCount; 1 if not set."},
    {"DeviceSubRequest.deviceClassName", "The class that the devices must belong to."},
    {"Event", "Something that happened to an object, kept for a while."},
    {"ExactDeviceRequest.adminAccess", "If true, for monitoring devices that may be in use by others. Needs a namespace with permission."},
    {"ExactDeviceRequest.allocationMode", "ExactCount (the default) for as many devices as count says, All for every device that matches."},
    {"ExactDeviceRequest.capacity", "How much of each device is needed, where devices are shared."},
    {"ExactDeviceRequest.count", "How many devices, with allocationMode ExactCount; 1 if not set."},
    {"ExactDeviceRequest.deviceClassName", "The class that the devices must belong to."},
    {"ExactDeviceRequest.selectors", "Further conditions on the devices; all of them must be true."},
    {"ExactDeviceRequest.tolerations", "Taints of devices that this request tolerates."},
    {"IntOrString", "A number, or text such as 50%."},
    {"Job", "Runs Pods until a number of them have succeeded."},
    {"JobSpec.backoffLimit", "How many failures make the Job fail; 6 if not set."},
    {"JobSpec.completions", "How many Pods have to succeed."},
    {"JobSpec.parallelism", "How many Pods run at the same time."},
    {"JobSpec.ttlSecondsAfterFinished", "After how many seconds a finished Job is deleted."},
    {"Lease", "Records which process holds something, such as the lead among replicas, and for how long."},
    {"Namespace", "A scope for names."},
    {"Node", "A machine that runs Pods."},
    {"NodeSpec.taints", "Keeps Pods without a matching toleration away from the node."},
    {"NodeSpec.unschedulable", "If true, no new Pods are placed on the node."},
    {"NodeStatus.allocatable", "What Pods can have of the node's resources."},
    {"NodeStatus.capacity", "All resources of the node."},
    {"ObjectMeta.annotations", "Unstructured data for programs; cannot be selected by."},
    {"ObjectMeta.creationTimestamp", "When the object was made; set by the server."},
    {"ObjectMeta.deletionTimestamp", "Since when the object is being deleted; set by the server."},
    {"ObjectMeta.finalizers", "Controllers that must clean up before the object is removed."},
    {"ObjectMeta.generateName", "The beginning of a name that the server completes if no name is given."},
    {"ObjectMeta.generation", "Rises with each change of the desired state; set by the server."},
    {"ObjectMeta.labels", "Names and values to select objects by."},
    {"ObjectMeta.managedFields", "Which writer set which fields; kept by the server."},
    {"ObjectMeta.name", "The name, unique in its namespace among objects of a kind; cannot change."},
    {"ObjectMeta.namespace", "The namespace; empty for kinds that have none."},
    {"ObjectMeta.ownerReferences", "Objects that this one belongs to: it is deleted when all of them are gone."},
    {"ObjectMeta.resourceVersion", "Changes with each write; an update that sends it fails if the object was written since."},
    {"ObjectMeta.uid", "Identifies this object, also among later ones of the same name; set by the server."},
    {"Pod", "Containers that run together on one node."},
    {"PodResourceClaim", "A claim that the Pod uses; containers refer to it by name."},
    {"PodResourceClaim.name", "A name for the claim within the Pod."},
    {"PodResourceClaim.resourceClaimName", "A ResourceClaim in the Pod's namespace, which several Pods may share."},
    {"PodResourceClaim.resourceClaimTemplateName",
     "A ResourceClaimTemplate in the Pod's namespace; the Pod gets a claim of its own from it."},
    {"PodSpec.containers", "The programs that run side by side in the Pod; at least one."},
    {"PodSpec.initContainers", "Programs that run before the others, one after the other."},
    {"PodSpec.nodeName", "The node that the Pod runs on; set by the scheduler."},
    {"PodSpec.nodeSelector", "Labels that the node must have."},
    {"PodSpec.resourceClaims", "The ResourceClaims that must be allocated before the Pod starts, such as shares of a GPU."},
    {"PodSpec.restartPolicy", "Whether containers that ended start again: Always (the default), OnFailure or Never."},
    {"PodSpec.schedulerName", "The scheduler that places the Pod."},
    {"PodSpec.tolerations", "Taints of nodes that this Pod tolerates."},
    {"PodSpec.volumes", "Storage for the containers to mount."},
    {"PodStatus.conditions", "How far the Pod has come."},
    {"PodStatus.phase", "Pending, Running, Succeeded, Failed or Unknown."},
    {"PodStatus.resourceClaimStatuses", "The claims that were made for the Pod from templates."},
    {"PriorityClass", "A name for a priority: Pods of a higher one are scheduled first."},
    {"Quantity", "An amount such as 500m, 6Gi or 1e3."},
    {"ReplicaSet", "Keeps a number of Pods of one template running."},
    {"ResourceClaim", "A request for devices such as GPUs or shares of them, and what was allocated for it."},
    {"ResourceClaimSpec.devices", "The devices that are needed."},
    {"ResourceClaimStatus.allocation", "The allocated devices; absent while there are none."},
    {"ResourceClaimStatus.devices", "What drivers report about the devices."},
    {"ResourceClaimStatus.reservedFor", "The objects that may use the devices now, usually Pods."},
    {"ResourceClaimTemplate", "A ResourceClaim to be made for each Pod that refers to it."},
    {"ResourcePool.generation", "Rises when the slices of the pool change; only those of the highest one count."},
    {"ResourcePool.resourceSliceCount", "How many slices the pool has; until all exist, the pool is incomplete."},
    {"ResourceRequirements.claims", "Which of the Pod's resource claims the container uses."},
    {"ResourceRequirements.limits", "The most that the container may use."},
    {"ResourceRequirements.requests", "What is set aside for the container; the limits, if not set."},
    {"ResourceSlice", "Devices that a driver offers, on one node or for several."},
    {"ResourceSliceSpec.devices", "The devices."},
    {"ResourceSliceSpec.driver", "The driver that the devices belong to."},
    {"ResourceSliceSpec.nodeName", "The node that the devices are on."},
    {"ResourceSliceSpec.pool", "The pool that the slice is a part of."},
    {"ResourceSliceSpec.sharedCounters", "Amounts that devices of the slice take from together."},
    {"RuntimeClass", "A way of running containers that nodes offer."},
    {"Secret", "Small pieces of confidential data."},
    {"Secret.data", "The values, in base64."},
    {"Secret.stringData", "Values as plain text, only for writing; the server moves them to data."},
    {"ServiceAccount", "The identity of a Pod's programs in the API."},
};

static_assert(std::ranges::is_sorted(kWords, {}, &Words::of));

std::string_view Find(std::string_view of) {
  const auto* found = std::ranges::lower_bound(kWords, of, {}, &Words::of);
  return found != std::end(kWords) && found->of == of ? found->text : std::string_view();
}

std::string_view ShortName(std::string_view type) { return type.substr(type.rfind('.') + 1); }

}  // namespace

std::string_view WordsOn(std::string_view type) { return type.starts_with("io.k8s.") ? Find(ShortName(type)) : std::string_view(); }

std::string_view WordsOn(std::string_view type, std::string_view field) {
  return type.starts_with("io.k8s.") ? Find(StrCat(ShortName(type), ".", field)) : std::string_view();
}

std::string_view WordsOnAnyKind(std::string_view field) { return Find(StrCat(".", field)); }

}  // namespace allot::apiserver
