"""A node of a real cluster with a fake NVML, and allot's agent on it."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/support"))
import builds  # pylint: disable=wrong-import-position

BUILD = builds.folder()
BEGIN = time.monotonic()


class Failed(Exception):
    pass


def say(text):
    print(f"{time.monotonic() - BEGIN:6.1f} s  {text}", flush=True)


def check(condition, what):
    if not condition:
        raise Failed(what)


def await_(what, condition, seconds=60, placed=False):
    """Waits until condition() is true and returns its value. With placed, the condition depends on kube-scheduler."""
    deadline, restart = time.monotonic() + seconds, time.monotonic() + 20
    while True:
        result = condition()
        if result:
            return result
        if time.monotonic() > deadline:
            raise Failed(f"not within {seconds} s: {what}")
        if placed and time.monotonic() > restart:
            restart_scheduler()
            restart += 20
        time.sleep(0.1)


def restart_scheduler():
    """Restarts kube-scheduler, so that it computes consumed capacity again.

    kube-scheduler 1.36 has refused a Pod for minutes although the ResourceClaims of the API left room for it: its cached consumed capacity was
    wrong. A new process is right.
    """
    say("kube-scheduler does not place a Pod; restarting it")
    for verb in ("kill", "start"):
        subprocess.run([ROOT / "tests/cluster/part", os.environ["ALLOT_CLUSTER"], verb, "kube-scheduler"], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)


def need_cluster():
    """Skips the test if no cluster with nodes can run."""
    code = subprocess.run(["bash", "-c", ". tests/support/needs.sh; needs root cluster nodes"], cwd=ROOT, check=False).returncode
    if code:
        sys.exit(code)


def kubectl(*argv, stdin=None, ok=True):
    done = subprocess.run(["kubectl", *argv], input=stdin, capture_output=True, text=True, check=False)
    if ok and done.returncode:
        raise Failed(f"kubectl {' '.join(argv)}: {done.stderr.strip()}")
    return done.stdout


def get(*argv):
    return json.loads(kubectl("get", "-o", "json", *argv))


def apply(*objects):
    kubectl("apply", "-f", "-", stdin="\n---\n".join(json.dumps(one) for one in objects))


class Machine:
    """Node number `number` of the cluster in ALLOT_CLUSTER."""

    def __init__(self, number, *models):
        self.cluster, self.number, self.name = os.environ["ALLOT_CLUSTER"], number, f"n{number}"
        self.folder = pathlib.Path(os.environ.get("ALLOT_CLUSTERS", "/run/allot")) / self.cluster / self.name
        self.driver = self.folder / "driver"
        subprocess.run([ROOT / "tests/node/machine", self.driver, BUILD, *models], check=True)
        # Beside the cluster's own logs, which are kept if a test fails.
        self.log = open(self.folder.parent / f"log/agent.{number}.log", "a", encoding="utf-8")
        self.agent = None

    def start(self, *flags):
        argv = [ROOT / "tests/cluster/inside", self.cluster, str(self.number), BUILD / "allot", "node", "--node-name", self.name,
                "--nvidia-driver-root", self.driver, *flags]
        self.agent = subprocess.Popen(argv, stdout=self.log, stderr=self.log)

    def end(self, how=signal.SIGTERM):
        """Returns the exit code."""
        self.agent.send_signal(how)
        code = self.agent.wait(30)
        self.agent = None
        return code

    def lines(self):
        return pathlib.Path(self.log.name).read_text(encoding="utf-8").splitlines()

    def has_said(self, text, since=0):
        return any(text in line for line in self.lines()[since:])

    def drive(self, text):
        """Writes the inventory of the fake NVML."""
        path = self.driver / "usr/lib64/fake_nvml.yaml"
        new = path.with_suffix(".new")
        new.write_text(f"seed: {self.name}\n{text}", encoding="utf-8")
        new.rename(path)

    def part(self, verb, part):
        subprocess.run([ROOT / "tests/cluster/part", self.cluster, verb, part], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)

    def cdi_files(self):
        return sorted(path.name for path in (self.folder / "cdi").glob("k8s.gpu.nvidia.com-claim_*"))

    @property
    def journal(self):
        return self.folder / "kubelet/plugins/gpu.nvidia.com/journal"

    def history(self):
        """Yields the holdings by UID after each line of the node's journal. It is always the same dict."""
        held = {}
        yield held
        lines = self.journal.read_bytes().split(b"\n") if self.journal.exists() else []
        for line in lines[1:]:
            crc, _, text = line.partition(b" ")
            if not text or int(crc, 16) != zlib.crc32(text):
                continue
            change = json.loads(text)
            if "release" in change:
                held.pop(change["release"], None)
            else:
                held[change["hold"]["uid"]] = change["hold"]
            yield held

    def holdings(self):
        """Returns the holdings by the claim's UID."""
        *_, held = self.history()
        return held

    def devices(self):
        """Returns the devices that the node has published, by name."""
        slices = get("resourceslices", "--field-selector", f"spec.nodeName={self.name},spec.driver=gpu.nvidia.com")["items"]
        newest = max((one["spec"]["pool"]["generation"] for one in slices), default=0)
        return {device["name"]: device for one in slices if one["spec"]["pool"]["generation"] == newest
                for device in one["spec"].get("devices", [])}


def device_class():
    expression = "device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'gpu'"
    return {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "gpu.nvidia.com"},
            "spec": {"selectors": [{"cel": {"expression": expression}}], "extendedResourceName": "nvidia.com/gpu"}}


def claim_spec(memory=None, model=None, **more):
    request = {"deviceClassName": "gpu.nvidia.com"}
    if memory:
        request["capacity"] = {"requests": {"memory": memory}}
    if model:
        expression = f"device.attributes['gpu.nvidia.com'].productName == '{model}'"
        request["selectors"] = [{"cel": {"expression": expression}}]
    return {"devices": {"requests": [{"name": "gpu", "exactly": request}], **more}}


def template(name, *args, **more):
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate", "metadata": {"name": name},
            "spec": {"spec": claim_spec(*args, **more)}}


SHOW = "env | grep -E 'ALLOT|NVIDIA' | sort; ls /dev | grep nvidia; sleep 3600"


def pod(name, template_name=None, claim=None, containers=1, **spec):
    source = {"resourceClaimTemplateName": template_name} if template_name else {"resourceClaimName": claim}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
            "spec": {"terminationGracePeriodSeconds": 0, "resourceClaims": [{"name": "gpu", **source}],
                     "containers": [{"name": f"c{i}", "image": "local/busybox:1", "command": ["sh", "-c", SHOW],
                                     "resources": {"claims": [{"name": "gpu"}]}} for i in range(containers)], **spec}}


def phase(name):
    return get("pod", name)["status"]["phase"]


def await_running(*names, seconds=60):
    for name in names:
        try:
            await_(f"{name} runs", lambda name=name: phase(name) == "Running", seconds, placed=True)
        except Failed:
            print(kubectl("describe", "pod", name), kubectl("get", "resourceclaims", "-o", "wide"), flush=True)
            raise


def shown(name, container="c0"):
    """Returns what a Pod's container sees: its environment and its device nodes."""
    return await_(f"output of {name}", lambda: kubectl("logs", name, "-c", container, ok=False), 20)


def delete_pods(*names):
    kubectl("delete", "pod", *names, "--wait", "--timeout=60s")


def main(scenarios):
    """Runs every scenario until one fails."""
    try:
        for scenario in scenarios:
            say(scenario.__doc__)
            scenario()
    except (Failed, subprocess.SubprocessError) as failed:
        say(f"FAILED: {failed}")
        sys.exit(1)
    say(f"{len(scenarios)} scenarios passed")
