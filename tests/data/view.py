"""A case's access to its home: the API, with its Pods, claims and GPUs."""
import collections
import json

from cases import model_name
from homes import SLICES_PATH, borrow

resources = borrow("tests/contract/lib/resources.py")
APPLY = "application/apply-patch+yaml"
DRIVER = "gpu.nvidia.com"


class StepFailed(Exception):
    pass


class View:
    """Paths are short, as in tests/contract: `pods/a` is a Pod of the case's namespace."""

    def __init__(self, home, namespace):
        self._home, self._namespace = home, namespace

    def _request(self, method, path, body=None, kind="application/json"):
        data = None if body is None else json.dumps(body)
        headers = {"Content-Type": kind} if body is not None else {}
        return self._home.api.request(method, resources.full_path(path, self._namespace), headers, data)

    def _write(self, method, path, body, kind=APPLY):
        answer = self._request(method, path + ("?fieldManager=case&force=true" if kind == APPLY else ""), body, kind)
        if answer.code not in (200, 201):
            raise StepFailed(f"{method} {path}: {answer.code} {answer.text}")

    def _get(self, path):
        answer = self._request("GET", path)
        if answer.code not in (200, 404):
            raise StepFailed(f"GET {path}: {answer.code} {answer.text}")
        return answer.body if answer.code == 200 else None

    def _list(self, kind):
        return self._get(kind)["items"]

    @staticmethod
    def _scheduled(pod):
        return next((one for one in pod["status"].get("conditions", []) if one["type"] == "PodScheduled"), {})

    def _told(self, pod):
        return self._scheduled(pod).get("message", "") if pod else ""

    def _log(self, name):
        pod, _, container = name.partition("/")
        answer = self._request("GET", f"pods/{pod}/log" + (f"?container={container}" if container else ""))
        return answer.text if answer.code == 200 else ""

    def _results(self, name):
        """Returns the allocation results of a Pod's claims."""
        pod = self._get(f"pods/{name}")
        if pod is None:
            raise StepFailed(f"{name} is not there")
        made = {one["name"]: one.get("resourceClaimName") for one in pod["status"].get("resourceClaimStatuses", [])}
        names = [use.get("resourceClaimName") or made.get(use["name"]) for use in pod["spec"].get("resourceClaims", [])]
        if extended := pod["status"].get("extendedResourceClaimStatus"):
            names.append(extended["resourceClaimName"])
        results = []
        for name in names:
            claim = self._get(f"resourceclaims/{name}")
            results += (claim or {}).get("status", {}).get("allocation", {}).get("devices", {}).get("results", [])
        return results

    def _offered(self):
        """Returns every GPU by POOL/DEVICE."""
        found = {}
        for one in self._request("GET", SLICES_PATH).body["items"]:
            for device in one["spec"].get("devices", []):
                attributes = device["attributes"]
                found[f"{one['spec']['pool']['name']}/{device['name']}"] = {"model": model_name(attributes["productName"]["string"]), "uuid": attributes["uuid"]["string"]}
        return found

    def _held(self):
        """Returns the held MiB of our nodes' GPUs (NODE-1/gpu-0), for all namespaces. Results with adminAccess hold nothing."""
        held = collections.Counter()
        for claim in self._request("GET", "/apis/resource.k8s.io/v1/resourceclaims").body["items"]:
            for result in claim.get("status", {}).get("allocation", {}).get("devices", {}).get("results", []):
                if result["driver"] == DRIVER and result["pool"] in self._home.nodes and not result.get("adminAccess"):
                    node = self._home.nodes.index(result["pool"]) + 1
                    held[f"NODE-{node}/{result['device']}"] += _mib(result["consumedCapacity"]["memory"])
        return dict(held)

    def what_is_there(self):
        """Returns Pods, claims and events, for the message of a failure."""
        lines = []
        for pod in self._list("pods"):
            lines.append(f"  pod {pod['metadata']['name']}: {pod['status'].get('phase')} on {pod['spec'].get('nodeName')}: {self._told(pod)}")
        for claim in self._list("resourceclaims"):
            results = claim.get("status", {}).get("allocation", {}).get("devices", {}).get("results", [])
            lines.append(f"  claim {claim['metadata']['name']}: {[(place(r), r.get('consumedCapacity')) for r in results] or 'not allocated'}")
        for event in self._list("events"):
            if event.get("type") == "Warning":
                lines.append(f"  event {event['involvedObject']['name']}: {event.get('reason')}: {event.get('message')}")
        return "\n".join(lines)


def place(result):
    return f"{result['pool']}/{result['device']}"


def plain(text):
    """Returns a UUID as it is in names of variables: with _ instead of -."""
    return text.replace("-", "_").upper()


def _mib(quantity):
    for suffix, factor in (("Gi", 1024), ("Mi", 1)):
        if quantity.endswith(suffix):
            return int(quantity.removesuffix(suffix)) * factor
    return int(quantity) / 2**20
