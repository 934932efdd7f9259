"""One node: a kubelet with its own containerd, addresses, Pod subnet and cgroups. All of its files are below the cluster's folder."""
import json
import os
import socket
from pathlib import Path

from . import gpus
from .api import Api
from .cluster import Failure, programs, run, write
from .control_plane import listens
from .oci import BASE, add_images
from .parts import Part, await_
from .rooms import inside, open_room

CGROUPS = Path("/sys/fs/cgroup")


def prepare(cluster, options, slot, number):
    """Starts containerd and writes the kubelet's configuration. Needs no API server yet."""
    folder = cluster.node_folder(number)
    write(folder / "cni/10-ptp.conflist", json.dumps({
        "cniVersion": "1.0.0", "name": f"{cluster.id}-n{number}",
        # Pods can reach each other, the nodes and the API server, but nothing outside of the machine.
        "plugins": [{"type": "ptp", "ipam": {"type": "host-local", "dataDir": str(folder / "addresses"), "subnet": slot.pods(number),
                                             "routes": [{"dst": str(slot.network)}]}}]}))
    # Pulling an image fails at once, without a request to the network.
    write(folder / "registries/_default/hosts.toml", 'server = "http://127.0.0.1:1"\n')
    write(folder / "containerd.toml", _containerd(folder))
    write(folder / "kubelet.yaml", json.dumps(_kubelet(cluster, options, slot, number), indent=1))
    _make_cgroup(f"{cluster.id}/n{number}")
    add_address(cluster, slot.node_address(number))
    open_room(cluster, number, gpus.install(folder, gpus.of_node(options, number)))
    Part(cluster, f"containerd.{number}").start(inside(cluster, number, programs() / "containerd", "-c", folder / "containerd.toml"))


def start(cluster, number):
    """Starts the kubelet. The API server must be ready."""
    folder = cluster.node_folder(number)
    await_containerd(cluster, number)
    add_images(cluster, [BASE], [number])
    Part(cluster, f"kubelet.{number}").start(inside(
        cluster, number, programs() / "kubelet", "--config", folder / "kubelet.yaml", "--kubeconfig", cluster.folder / f"n{number}.conf",
        "--root-dir", "/var/lib/kubelet", "--cert-dir", folder / "certs", "--hostname-override", f"n{number}", "--node-ip", _address(folder)))


def await_containerd(cluster, number, alone=False):
    await_(Part(cluster, f"containerd.{number}"), f"containerd of n{number} does not answer", alone=alone,
           condition=lambda: "Server:" in run(programs() / "ctr", "-a", cluster.node_folder(number) / "c.sock", "version", quiet=True))


def await_kubelet(cluster, number):
    address = (_address(cluster.node_folder(number)), 10250)
    await_(Part(cluster, f"kubelet.{number}"), f"the kubelet of n{number} does not listen", lambda: listens(socket.AF_INET, address), alone=True)


def _address(folder):
    return json.loads((folder / "kubelet.yaml").read_text())["address"]


def await_ready(cluster, number):
    api = Api(cluster.kubeconfig)

    def ready():
        node = api.get(f"/api/v1/nodes/n{number}") or {"status": {}, "spec": {}}
        conditions = {c["type"]: c["status"] for c in node["status"].get("conditions", [])}
        # The taint is removed a moment after Ready, and Pods are scheduled only after that.
        return conditions.get("Ready") == "True" and not node["spec"].get("taints")

    await_(Part(cluster, f"kubelet.{number}"), f"node n{number} is not Ready", ready)


def add_address(cluster, address):
    """Adds an address that only this machine can reach. The label names the cluster."""
    run("ip", "addr", "add", f"{address}/32", "dev", "lo", "label", label(cluster))


def label(cluster):
    return f"lo:{cluster.digest}"


def _make_cgroup(name):
    """Creates the kubelet's root cgroup, which it needs in every controller."""
    if (CGROUPS / "cgroup.controllers").exists():
        for parent in (CGROUPS, CGROUPS / Path(name).parent):
            parent.mkdir(exist_ok=True)
            for controller in (parent / "cgroup.controllers").read_text().split():
                try:
                    (parent / "cgroup.subtree_control").write_text(f"+{controller}")
                except OSError:  # Not every controller can be delegated; the kubelet reports missing ones.
                    pass
        (CGROUPS / name).mkdir()
        return
    for hierarchy in {path.resolve() for path in CGROUPS.iterdir() if path.is_dir()}:
        try:
            (hierarchy / name).mkdir(parents=True)
        except OSError as error:
            raise Failure(f"cannot create the cgroup {hierarchy / name}: {error.strerror}") from None
        # A new cpuset is empty, and an empty one accepts no process.
        for file in ("cpuset.cpus", "cpuset.mems"):
            if (hierarchy / file).exists():
                for level in (hierarchy / Path(name).parent, hierarchy / name):
                    (level / file).write_text((hierarchy / file).read_text())


def _containerd(folder):
    return f"""version = 3
root = "{folder}/c/root"
state = "{folder}/c/state"
[grpc]
  address = "{folder}/c.sock"
[ttrpc]
  address = "{folder}/c.ttrpc"
[plugins.'io.containerd.internal.v1.opt']
  path = "{folder}/opt"
# Its socket has one path for the whole machine.
[plugins.'io.containerd.nri.v1.nri']
  disable = true
[plugins.'io.containerd.cri.v1.images']
  # Works on every file system; the images are small.
  snapshotter = "native"
  [plugins.'io.containerd.cri.v1.images'.registry]
    config_path = "{folder}/registries"
  [plugins.'io.containerd.cri.v1.images'.pinned_images]
    sandbox = "{BASE}"
[plugins.'io.containerd.cri.v1.runtime']
  enable_cdi = true
  cdi_spec_dirs = ["{folder}/cdi"]
  # Without this runc fails if a process may not lower its oom_score_adj.
  restrict_oom_score_adj = true
  disable_apparmor = {str(not os.path.isdir("/sys/kernel/security/apparmor")).lower()}
  # Below the node's folder, so that `down` finds them.
  netns_mounts_under_state_dir = true
  [plugins.'io.containerd.cri.v1.runtime'.cni]
    bin_dirs = ["{programs()}/cni"]
    conf_dir = "{folder}/cni"
  [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]
      Root = "{folder}/runc"
"""


def _kubelet(cluster, options, slot, number):
    folder, pki = cluster.node_folder(number), cluster.folder / "pki"
    gates = dict(gate.split("=") for gate in options["gates"].split(",")) if options["gates"] else {}
    return {
        "apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration",
        "featureGates": {name: value.lower() == "true" for name, value in gates.items()},
        "containerRuntimeEndpoint": f"unix://{folder}/c.sock",
        "address": slot.node_address(number), "readOnlyPort": 0, "healthzPort": 0,
        "tlsCertFile": str(pki / "serving.crt"), "tlsPrivateKeyFile": str(pki / "serving.key"),
        "authentication": {"anonymous": {"enabled": False}, "webhook": {"enabled": False}, "x509": {"clientCAFile": str(pki / "ca.crt")}},
        "authorization": {"mode": "AlwaysAllow"},
        "cgroupDriver": "cgroupfs", "cgroupRoot": f"/{cluster.id}/n{number}", "failCgroupV1": False,
        "failSwapOn": False, "enforceNodeAllocatable": [],
        "evictionHard": {"memory.available": "10Mi", "nodefs.available": "1%", "imagefs.available": "1%"},
        # Tests wait for changes that the kubelet notices; the default of a minute is too long.
        "syncFrequency": "5s", "nodeStatusUpdateFrequency": "5s", "imageMinimumGCAge": "1h", "serializeImagePulls": False,
        "podLogsDir": str(folder / "pods"), "volumePluginDir": str(folder / "volume-plugins"),
        # There is no DNS. With this address a Pod's query fails at once, and the kubelet does not warn about every Pod.
        "makeIPTablesUtilChains": False, "resolvConf": "", "clusterDNS": ["127.0.0.1"],
    }
