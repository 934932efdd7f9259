"""Runs the steps of one case in one home, in its own namespace."""
import collections
import time

from cases import DEADLINE, completed, named
from view import APPLY, StepFailed, View, place, plain, resources

KINDS = {kind: name for name, (_, kind, _) in resources.RESOURCES.items()}
MERGE = "application/merge-patch+json"
NOT_PLACED_SECONDS = 20


class Session(View):
    def __init__(self, home, case, number):
        super().__init__(home, case.namespace.get("name", f"case-{number}"))
        self._case = case
        self._deadline = DEADLINE
        self._pending = set()  # Pods that a step found waiting
        self._cluster_wide = []  # paths of objects that the case created outside of its namespace
        self._nodes_before = {}
        self._sentinels = 0

    # --- what a case does -------------------------------------------------------------------------------------------------------------

    def open(self):
        metadata = {"name": self._namespace, "labels": self._case.namespace.get("labels", {})}
        path = f"namespaces/{self._namespace}"
        # The namespace of an earlier run may still be terminating.
        self._await(lambda: "the namespace exists already" if self._get(path) else None)
        self._write("PATCH", path, {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})
        # Until it exists Kubernetes refuses Pods.
        self._await(lambda: None if self._get("serviceaccounts/default") else "the namespace has no service account")

    def run(self, step):
        (action, what), = step.items()
        self._deadline = self._case.deadline if step is self._case.steps[-1] else DEADLINE
        getattr(self, "_do_" + action)(what)

    def finish(self):
        """Checks that Pods which a step found waiting, and which no later step expects to run, still wait."""
        for name in sorted(self._pending):
            self._still_waits(name)

    def _do_apply(self, manifests):
        for manifest in manifests:
            manifest = completed(manifest, self._home)
            path = f"{KINDS[manifest['kind']]}/{manifest['metadata']['name']}"
            if not resources.resource_of(path)[2]:
                self._cluster_wide.append(path)
            self._write("PATCH", resources.full_path(path, manifest["metadata"].get("namespace", self._namespace)), manifest)

    def _do_refused(self, attempts):
        """Applies manifests that the API must refuse, and checks its messages."""
        for attempt in attempts:
            manifest = completed(attempt["manifest"], self._home)
            path = f"{KINDS[manifest['kind']]}/{manifest['metadata']['name']}"
            answer = self._request("PATCH", path + "?fieldManager=case", manifest, APPLY)
            said, text = (answer.body or {}).get("message", ""), self._in_this_home(attempt["message"])
            self._check(answer.code in (403, 422) and text in said, f"{path}: {answer.code} {said!r}, without {text!r}")

    def _do_patch(self, patches):
        """Applies merge patches by KIND/NAME. Nodes are restored at the end of the case."""
        for path, patch in named(patches, self._home.nodes).items():
            if path.startswith("nodes/") and path not in self._nodes_before:
                self._nodes_before[path] = self._get(path)
            self._write("PATCH", path, patch, MERGE)

    def _do_delete(self, names):
        """Deletes Pods by name or label, and other objects by KIND/NAME, and waits until they are gone."""
        paths = []
        for name in names:
            if "=" in name:
                paths += [f"pods/{pod['metadata']['name']}" for pod in self._request("GET", f"pods?labelSelector={name}").body["items"]]
            else:
                paths.append(name if "/" in name else f"pods/{name}")
        for path in paths:
            self._request("DELETE", path, {"propagationPolicy": "Background"})
        for path in paths:
            self._pending.discard(path.removeprefix("pods/"))
            self._await(lambda path=path: f"{path} is not gone" if self._get(path) else None)

    def _do_delete_now(self, names):
        """Deletes Pods with a grace period of one second, and waits until they are gone."""
        for name in names:
            self._request("DELETE", f"pods/{name}", {"gracePeriodSeconds": 1})
        self._do_delete(names)

    def _do_ask_to_delete(self, paths):
        """Deletes objects without waiting, because finalizers may keep them."""
        for path in paths:
            self._request("DELETE", path)

    # --- what must be so --------------------------------------------------------------------------------------------------------------

    def _do_running(self, names):
        self._pending -= set(names)
        for name in names:
            self._await(lambda name=name: self._why_not_running(name), placed=True)

    def _why_not_running(self, name):
        pod = self._get(f"pods/{name}")
        if pod is None:
            return f"{name} is not there"
        phase, statuses = pod["status"].get("phase"), pod["status"].get("containerStatuses", [])
        if phase == "Running" and all("running" in one["state"] for one in statuses):
            return None
        return f"{name} is {phase}: {self._told(pod) or [one.get('state') for one in statuses]}"

    def _do_pending(self, names):
        """Checks that the scheduler has tried the Pods, has written a reason, and has not bound them."""
        for name in names:
            self._await(lambda name=name: self._why_not_told(name))
        self._do_held(names)

    def _do_held(self, names):
        """Checks that the Pods are blocked, because an object that they need does not exist. (kube-scheduler writes no status then.)"""
        self._pass_by_scheduler()
        for name in names:
            self._still_waits(name)
        self._pending |= set(names)

    def _why_not_told(self, name):
        pod = self._get(f"pods/{name}")
        if pod is None:
            return f"{name} is not there"
        if "nodeName" in pod["spec"]:
            raise StepFailed(f"{name} should wait and is {pod['status'].get('phase')} on {pod['spec']['nodeName']}")
        condition = self._scheduled(pod)
        return None if condition.get("status") == "False" and condition.get("reason") else f"{name} waits without a reason"

    def _still_waits(self, name):
        pod = self._get(f"pods/{name}")
        if pod is None or "nodeName" in pod["spec"] or pod["status"].get("phase") != "Pending":
            where = pod and (pod["spec"].get("nodeName"), pod["status"].get("phase"))
            raise StepFailed(f"{name} should wait: {where or 'it is gone'}")

    def _pass_by_scheduler(self):
        """Waits until the scheduler has tried all current Pods: until it has tried a Pod that is created now."""
        self._sentinels += 1
        path = f"pods/sentinel-{self._sentinels}"
        spec = {"nodeSelector": {"allot.test/none": "such"}, "containers": [{"name": "c", "image": "none", "command": ["true"]}]}
        self._write("PATCH", path, {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": path[5:]}, "spec": spec})
        self._await(lambda: self._why_not_told(path[5:]))
        self._request("DELETE", path)

    def _do_message(self, messages):
        for name, text in messages.items():
            self._await(lambda name=name, text=self._in_this_home(text): self._why_not_said(name, text))

    def _why_not_said(self, name, text):
        told = self._told(self._get(f"pods/{name}"))
        return None if text in told else f"{name} is told {told!r}, without {text!r}"

    def _in_this_home(self, text):
        """Returns the words for this home, if they differ between homes; empty if the case has none for it."""
        return text.get(self._home.name, "") if isinstance(text, dict) else text

    def _do_completed(self, codes):
        """Checks exit codes: of all containers, or by container."""
        for name, wanted in codes.items():
            self._await(lambda name=name, wanted=wanted: self._why_not_completed(name, wanted), placed=True)

    def _why_not_completed(self, name, wanted):
        status = (self._get(f"pods/{name}") or {"status": {"phase": "gone"}})["status"]
        statuses = status.get("initContainerStatuses", []) + status.get("containerStatuses", [])
        found = {one["name"]: one["state"].get("terminated", {}).get("exitCode") for one in statuses}
        wanted = wanted if isinstance(wanted, dict) else {one["name"]: wanted for one in status.get("containerStatuses", [])}
        phase = "Failed" if any(wanted.values()) else "Succeeded"
        same = bool(wanted) and all(found.get(container, "none") == code for container, code in wanted.items())
        return None if same and status["phase"] == phase else f"{name} is {status['phase']} with exit codes {found}; wanted: {phase} with {wanted}"

    def _do_restarts(self, least):
        for name, count in least.items():
            self._await(lambda name=name, count=count: self._why_not_restarted(name, count), placed=True)

    def _why_not_restarted(self, name, count):
        status = (self._get(f"pods/{name}") or {"status": {}})["status"]
        seen = sum(one["restartCount"] for one in status.get("containerStatuses", []) + status.get("initContainerStatuses", []))
        return None if seen >= count else f"{name} was restarted {seen} times, not {count}"

    def _do_output(self, texts):
        """Checks the output of a Pod's only container, or of POD/CONTAINER."""
        for name, text in texts.items():
            self._await(lambda name=name, text=text: None if text in self._log(name) else f"{name} prints {self._log(name)!r}, without {text!r}",
                        placed=True)

    def _do_order(self, containers):
        """Checks that each container (POD/CONTAINER) started after the one before had ended. Kubernetes records whole seconds."""
        last = ""
        for one in containers:
            pod, _, container = one.partition("/")
            status = self._get(f"pods/{pod}")["status"]
            states = {s["name"]: s for s in status.get("initContainerStatuses", []) + status.get("containerStatuses", [])}
            state = states[container]["state"]
            begun = (state.get("terminated") or state.get("running") or {}).get("startedAt", "")
            if not begun or begun < last:
                raise StepFailed(f"{one} started at {begun or 'never'}, but the one before it ended at {last}")
            last = state.get("terminated", {}).get("finishedAt", begun)

    def _do_nodes(self, wanted):
        for name, node in wanted.items():
            node = self._home.nodes[int(node.removeprefix("NODE-")) - 1]
            found = self._get(f"pods/{name}")["spec"].get("nodeName")
            self._check(found == node, f"{name} is on {found}, and not on {node}")

    def _do_devices(self, wanted):
        for name, devices in wanted.items():
            devices = devices if isinstance(devices, list) else [devices]
            found = [result["device"] for result in self._results(name)]
            self._check(sorted(found) == sorted(devices), f"{name} has {found}, and not {devices}")

    def _do_models(self, wanted):
        offered = self._offered()
        for name, models in wanted.items():
            models = models if isinstance(models, list) else [models]
            found = [offered[place(result)]["model"] for result in self._results(name)]
            self._check(sorted(found) == sorted(models), f"{name} has {found}, and not {models}")

    def _do_same(self, names):
        places = [place(result) for name in names for result in self._results(name)]
        self._check(len(places) > 1 and len(set(places)) == 1, f"{', '.join(names)} should be on one device, and have {places}")

    def _do_different(self, names):
        places = [place(result) for name in names for result in self._results(name)]
        self._check(len(places) > 1 and len(set(places)) == len(places), f"{', '.join(names)} should have a device each, and have {places}")

    def _do_memory(self, wanted):
        """Checks the MiB of each share in the environment of a Pod's only container, or of POD/CONTAINER, and their GPUs."""
        for name, amounts in wanted.items():
            amounts = amounts if isinstance(amounts, list) else [amounts]
            self._await(lambda name=name: None if "shown" in self._log(name).splitlines() else f"{name} does not show its environment", placed=True)
            lines = [line for line in self._log(name).splitlines() if line.startswith("ALLOT_GPU_MEMORY_")]
            found = sorted(int(line.partition("=")[2]) for line in lines)
            self._check(found == sorted(amounts), f"{name} has {found} MiB in its environment, and not {amounts}")
            uuids = {plain(device["uuid"]) for device in self._offered().values()}
            own = {plain(self._offered()[place(result)]["uuid"]) for result in self._results(name.partition("/")[0])}
            shown = {uuid for uuid in uuids for line in lines if uuid in plain(line)}
            self._check(shown <= own, f"the environment of {name} names {shown}, but {own} are allocated")

    def _do_claims(self, wanted):
        """Checks claims by name: allocated, free (it exists, but is not allocated) or gone."""
        for name, state in wanted.items():
            self._await(lambda name=name, state=state: self._why_not_claim(name, state))

    def _why_not_claim(self, name, state):
        claim = self._get(f"resourceclaims/{name}")
        found = "gone" if claim is None else "allocated" if "allocation" in claim.get("status", {}) else "free"
        return None if found == state else f"claim {name} is {found}, and not {state}"

    def _do_status(self, wanted):
        """Checks fields of the status of KIND/NAME."""
        for path, fields in wanted.items():
            self._await(lambda path=path, fields=fields: self._why_not_status(path, fields), placed=True)

    def _why_not_status(self, path, fields):
        status = (self._get(path) or {}).get("status", {})
        found = {key: status.get(key) for key in fields}
        return None if found == fields else f"the status of {path} has {found}, and not {fields}"

    def _do_count(self, wanted):
        """Checks how many Pods with a label are in each phase: {app=web: {Running: 2}}."""
        for selector, phases in wanted.items():
            self._await(lambda selector=selector, phases=phases: self._why_not_count(selector, phases), placed=True)

    def _why_not_count(self, selector, phases):
        pods = self._request("GET", f"pods?labelSelector={selector}").body["items"]
        found = dict(collections.Counter(pod["status"].get("phase") for pod in pods))
        return None if found == phases else f"Pods with {selector} are {found}, and not {phases}"

    def _do_used(self, wanted):
        """Checks the MiB that claims of all namespaces hold, by GPU (gpu-0: of NODE-1). Other GPUs must be free."""
        wanted = {gpu if "/" in gpu else f"NODE-1/{gpu}": amount for gpu, amount in wanted.items()}
        self._await(lambda: None if self._held() == wanted else f"claims hold {self._held()}, and not {wanted}")

    # --- the end ----------------------------------------------------------------------------------------------------------------------

    def clean(self):
        """Deletes the case's objects. Then every GPU must be free, for the claims and for the nodes; otherwise raises StepFailed."""
        self._deadline = DEADLINE
        for path, before in self._nodes_before.items():
            self._restore(path, before)
        self._do_delete([path for path in self._cluster_wide if path.startswith("namespaces/")])
        for kind in ("deployments", "jobs", "replicasets", "pods"):
            self._do_delete([f"{kind}/{item['metadata']['name']}" for item in self._list(kind)])
        self._await(lambda: None if not self._list("pods") else "Pods are not gone")
        own = [claim["metadata"]["name"] for claim in self._list("resourceclaims") if not claim["metadata"].get("ownerReferences")]
        self._await(lambda: (held := self._held()) and f"claims hold {held}" or None)
        self._await(lambda: (left := self._home.prepared()) and f"prepared at the end: {left}" or None)
        self._await(lambda: None if len(self._list("resourceclaims")) == len(own) else "claims of templates are not gone")
        self._do_delete([f"resourceclaims/{name}" for name in own] + self._cluster_wide)
        self._request("DELETE", f"namespaces/{self._namespace}")

    def _restore(self, path, before):
        now = self._get(path)
        labels = {**{key: None for key in now["metadata"].get("labels", {})}, **before["metadata"].get("labels", {})}
        spec = {key: before["spec"].get(key) for key in ("taints", "unschedulable")}
        self._write("PATCH", path, {"metadata": {"labels": labels}, "spec": spec}, MERGE)

    def _await(self, why_not, placed=False):
        """Waits until why_not() is None. With `placed` this needs a decision of the scheduler."""
        begin = time.monotonic()
        unstick = begin + NOT_PLACED_SECONDS
        while (reason := why_not()) is not None:
            now = time.monotonic()
            if now > begin + self._deadline:
                raise StepFailed(reason)
            if placed and now > unstick:
                self._home.unstick()
                unstick += NOT_PLACED_SECONDS
            time.sleep(0.05)

    @staticmethod
    def _check(condition, text):
        if not condition:
            raise StepFailed(text)
