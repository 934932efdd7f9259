"""The homes in which cases run: `allot up` on this machine, or a real Kubernetes with allot's agents. Both have simulated GPUs."""
import collections
import importlib.util
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from cases import model_name, nodes_of

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
import builds  # pylint: disable=wrong-import-position


def borrow(path):
    """Imports a module of another test, because several tests have a package `lib`."""
    spec = importlib.util.spec_from_file_location("borrowed_" + pathlib.Path(path).stem, ROOT / path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


client = borrow("tests/contract/lib/client.py")
NODES_PATH, SLICES_PATH = "/api/v1/nodes", "/apis/resource.k8s.io/v1/resourceslices"


def await_(what, condition, seconds=60):
    """Waits until condition() is true, and returns its value. Raises TimeoutError."""
    deadline = time.monotonic() + seconds
    while not (result := condition()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {seconds} s: {what}")
        time.sleep(0.05)
    return result


class Home:
    """One lane of a home, which runs cases one after the other. `nodes` has the nodes' names; the first is NODE-1. `api` is a connection as
    admin. `selector` keeps Pods on the nodes of the lane."""

    def __init__(self):
        self.nodes, self.api, self.gpus, self.selector = [], None, None, {}

    def offered(self):
        """Returns the models in the slices of each of our nodes, of the newest generation of each pool."""
        slices = self.api.request("GET", SLICES_PATH).body["items"]
        offered = {name: [] for name in self.nodes}
        newest = {}
        for one in slices:
            newest[one["spec"]["nodeName"]] = max(newest.get(one["spec"]["nodeName"], 0), one["spec"]["pool"]["generation"])
        for one in slices:
            node = one["spec"]["nodeName"]
            if node in offered and one["spec"]["pool"]["generation"] == newest[node]:
                offered[node] += [model_name(device["attributes"]["productName"]["string"]) for device in one["spec"].get("devices", [])]
        return [sorted(offered[name]) for name in self.nodes]

    def await_offered(self):
        wanted = [sorted(models) for models in nodes_of(self.gpus)]
        await_(f"the nodes offer {self.gpus}", lambda: self.offered() == wanted)

    def unstick(self):
        """Called if a Pod that should run has no node for a while."""


class Embedded(Home):
    """`allot up` of the build under test."""

    name = "embedded"

    def __init__(self, lane, keep):
        super().__init__()
        self.program = builds.folder() / "allot"
        if not os.access(self.program, os.X_OK):
            sys.exit(f"error: no program {self.program}; build it (make build), or name its folder with ALLOT_BUILD")
        self.folder, self.process, self.keep = pathlib.Path(tempfile.mkdtemp(prefix=f"allot-data-{lane}-")), None, keep
        self.data = None  # the folder of the running `allot up`
        self.folder.chmod(0o755)

    @classmethod
    def prepare(cls):
        """Does nothing: `allot up` creates the objects that cases use."""

    def use(self, gpus):
        if gpus == self.gpus:
            return
        self._end()
        self.gpus = gpus
        data = self.folder / f"up-{len(list(self.folder.iterdir()))}"
        argv = [self.program, "up", "--gpus", gpus, "--data", data, "--port", "0", "--quiet"]
        environment = {key: value for key, value in os.environ.items() if key not in ("KUBECONFIG", "XDG_DATA_HOME")}
        with open(self.folder / "up.log", "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(argv, stdout=log, stderr=log, env=environment, cwd="/")
        self.data = data
        await_("allot up answers", lambda: self._ended() or self._connect())
        self.nodes = sorted(node["metadata"]["name"] for node in self.api.request("GET", NODES_PATH).body["items"])
        self.await_offered()

    def _ended(self):
        if self.process.poll() is not None:
            sys.exit(f"error: allot up ended with {self.process.returncode}; its log:\n{(self.folder / 'up.log').read_text()}")

    def _connect(self):
        try:
            self.api = client.Client(client.Config(self.data / "admin.conf"))
            answer = self.api.request("GET", NODES_PATH)
            return answer.code == 200 and len(answer.body["items"]) == len(nodes_of(self.gpus))
        except (client.BadConfig, OSError):
            return False

    def prepared(self):
        """Returns the claims that the nodes still have prepared."""
        return sorted(path.name for path in self.data.glob("nodes/*/cdi/*claim*"))

    def give_up(self):
        """Called after a case that could not be cleaned up: ends everything, so that the next case starts anew."""
        self._end()
        self._end_containers()

    def _end_containers(self):
        """Kills containers, which outlive `allot up`: the children of shims, whose arguments contain our folder."""
        children, shims = collections.defaultdict(list), []
        for proc in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                parent = int((proc / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[1])
                children[parent].append(int(proc.name))
                if str(self.data).encode() in (proc / "cmdline").read_bytes():
                    shims.append(int(proc.name))
            except (FileNotFoundError, ProcessLookupError):
                pass
        left = shims
        while left:
            for pid in left:
                try:
                    os.kill(pid, signal.SIGKILL)
                except (ProcessLookupError, PermissionError):
                    pass
            left = [child for pid in left for child in children[pid]]

    def _end(self):
        if self.process is not None:
            self.process.terminate()
            self.process.wait(60)
        self.process, self.gpus = None, None

    def close(self, failed):
        if self.keep and self.process:
            print(f"still running: export KUBECONFIG={self.data}/admin.conf; `kill {self.process.pid}` ends it, its files are in {self.folder}")
            return
        self._end()
        if failed:
            self._end_containers()
            print(f"the log of allot up: {self.folder}/up.log")
        else:
            shutil.rmtree(self.folder)


class Cluster(Home):
    """Two nodes of the cluster in ALLOT_CLUSTER. Its kube-scheduler decides; this class starts an agent for each node."""

    name = "cluster"
    _lock, _restarted = threading.Lock(), 0.0

    def __init__(self, lane, keep):
        super().__init__()
        # tests/node has code for the fake NVML, the agent's log, and known faults of kube-scheduler.
        self.machine = borrow("tests/node/lib/machine.py")
        self.keep, self.first, self.machines = keep, 2 * lane + 1, []
        self.api = client.Client(client.Config(os.environ["KUBECONFIG"]))
        self.selector = {"allot.test/lane": str(lane)}
        for number in range(self.first, self.first + 2):
            self._write(f"{NODES_PATH}/n{number}", {"metadata": {"labels": self.selector}}, "application/merge-patch+json")

    @classmethod
    def prepare(cls):
        """Creates the objects that cases use, once for all lanes."""
        cluster = os.environ["ALLOT_CLUSTER"]
        subprocess.run([ROOT / "tests/cluster/image", "add", cluster, "nvidia/cuda:12.0.0-base-ubuntu22.04"], check=True, stdout=subprocess.DEVNULL)
        home = cls(0, keep=False)
        home._write("/apis/resource.k8s.io/v1/deviceclasses/gpu.nvidia.com?fieldManager=data&force=true", home.machine.device_class(),
                    "application/apply-patch+yaml")

    def _write(self, path, body, kind):
        answer = self.api.request("PATCH", path, {"Content-Type": kind}, json.dumps(body))
        if answer.code not in (200, 201):
            sys.exit(f"error: PATCH {path}: {answer.code} {answer.text}")

    def use(self, gpus):
        if gpus == self.gpus:
            return
        self._end()
        self.gpus, lists = gpus, nodes_of(gpus)
        self.nodes = [f"n{self.first + i}" for i in range(len(lists))]
        for i, models in enumerate(lists):
            one = self.machine.Machine(self.first + i, *models)
            since = len(one.lines())
            one.start()
            self.machines.append(one)
            await_(f"the agent of {one.name} is registered", lambda one=one, since=since: one.has_said("registered with kubelet", since))
        if len(lists) == 1:
            self._forget(f"n{self.first + 1}")
        self.await_offered()

    def _forget(self, node):
        """Removes the slices of a node that the case does not use. (kubelet also does so, some time after the agent has ended.)"""
        for one in self.api.request("GET", SLICES_PATH).body["items"]:
            if one["spec"]["nodeName"] == node:
                self.api.request("DELETE", f"{SLICES_PATH}/{one['metadata']['name']}")

    def prepared(self):
        return sorted(uid for one in self.machines for uid in one.holdings())

    def unstick(self):
        with self._lock:
            if time.monotonic() > Cluster._restarted + 10:
                self.machine.restart_scheduler()
                Cluster._restarted = time.monotonic()

    def give_up(self):
        """Stops the agents, so that the next case starts with new ones."""
        self._end()

    def _end(self):
        for one in self.machines:
            one.end()
        self.machines, self.gpus = [], None

    def close(self, failed):
        del failed  # the process that started the cluster keeps its logs
        if not self.keep:
            self._end()
