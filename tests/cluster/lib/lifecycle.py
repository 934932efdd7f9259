"""Starts and removes a whole cluster."""
import argparse
import json
import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor

from . import api_nodes, control_plane, gpus, identity, leftovers, node, slots
from .api import Api
from .cluster import HERE, Failure, clusters_folder, programs, write
from .parts import Part

CONTROL_PLANE = ["kube-apiserver", "kubectl", "etcd", "kube-scheduler", "kube-controller-manager"]
NODE = ["kubelet", "containerd", "containerd-shim-runc-v2", "ctr", "cni/ptp", "cni/loopback", "cni/host-local"]


def add_options(parser):
    parser.add_argument("--nodes", type=int, default=0, metavar="N", help="nodes n1 to nN, each with a kubelet and containerd (default: 0)")
    parser.add_argument("--gpus", default="", metavar="MODEL,...", help="GPUs of the nodes, with a fake NVML: "
                        "rtx3090 rtx3060 l4 a100 h100; lists for several nodes are separated by /")
    parser.add_argument("--api-nodes", type=int, default=0, metavar="N", help="nodes api-1 to api-N that are only objects")
    parser.add_argument("--gates", default="", metavar="A=true,B=false", help="feature gates, for all programs")
    parser.add_argument("--runtime-config", default="", metavar="GROUP/VERSION=true", help="API versions to serve")
    parser.add_argument("--emulated-version", default="", metavar="1.35", help="behave as this version of Kubernetes (not the kubelets)")
    parser.add_argument("--fsync", action="store_true", help="etcd syncs its writes, as in production (default: it does not, for quick tests)")
    parser.add_argument("--port", type=int, default=0, metavar="P", help="port of the API server (default: a free one)")


def check(options):
    """Raises a Failure if something is missing, before anything is started."""
    if not 0 <= options.nodes <= 200 or options.api_nodes < 0:
        raise Failure("--nodes must be 0 to 200, and --api-nodes not negative")
    if options.nodes and os.geteuid() != 0:
        raise Failure("nodes need root; without --nodes any user can start a control plane (set ALLOT_CLUSTERS to a short path of yours)")
    gpus.check(options)
    folder = programs()
    missing = [name for name in CONTROL_PLANE + (NODE if options.nodes else []) if not os.access(folder / name, os.X_OK)]
    if missing:
        raise Failure(f"{missing[0]} is not built yet; run `make setup-cluster` (about 13 minutes, once)")
    tools = ["openssl", "ip", "setsid"] + (["runc", "busybox", "umount", "unshare", "nsenter"] if options.nodes else [])
    absent = [tool for tool in tools if not shutil.which(tool, path=os.defpath + ":/usr/sbin:/sbin")]
    if absent:
        raise Failure(f"{', '.join(absent)} not found; run tools/setup")


def reserve(cluster):
    """Creates the cluster's folder. Only the process that creates it may start and remove the cluster."""
    try:
        cluster.folder.mkdir(parents=True)
        cluster.folder.chmod(0o711)
    except FileExistsError:
        raise Failure(f"cluster {cluster.name} exists already; `tests/cluster/down {cluster.name}` removes it") from None
    except PermissionError:
        raise Failure(f"cannot create {cluster.folder}; run as root, or set ALLOT_CLUSTERS to a folder of yours") from None


def is_up(cluster, options):
    """Returns whether the cluster is up with these options. Raises a Failure if it is up with others, or broken."""
    if not cluster.folder.exists():
        return False
    try:
        same, ready = cluster.options()["asked"] == vars(options), Api(cluster.kubeconfig).ready()
    except (OSError, KeyError, ValueError):
        same, ready = False, False
    if not ready:
        raise Failure(f"cluster {cluster.name} exists but does not answer; `tests/cluster/down {cluster.name}` removes it")
    if not same:
        raise Failure(f"cluster {cluster.name} is up with other options; `tests/cluster/down {cluster.name}` removes it")
    return True


def up(cluster, options):
    """Starts the cluster in its reserved folder. On a failure the caller removes the cluster."""
    options = vars(options)
    slot = slots.take(cluster.folder)
    chosen = {**options, "port": options["port"] or slot.port, "slot": slot.number, "asked": options}
    write(cluster.options_file, json.dumps(chosen, indent=1))
    numbers = range(1, options["nodes"] + 1)
    identity.make_certificates(cluster, slot, options["nodes"])
    identity.make_users(cluster, chosen["port"], options["nodes"])
    control_plane.start_store(cluster, chosen, slot)
    for number in numbers:
        node.prepare(cluster, chosen, slot, number)
    control_plane.await_store(cluster)
    cluster.say("API server ready")
    control_plane.start_controllers(cluster, chosen)
    if numbers:
        node.add_address(cluster, slot.api_address)
        Part(cluster, "service").start([sys.executable, HERE / "lib/forward.py", f"{slot.api_address}:443", f"127.0.0.1:{chosen['port']}"])
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: node.start(cluster, number), numbers))
    control_plane.await_controllers(cluster)
    cluster.say("controllers ready")
    if options["api_nodes"]:
        api_nodes.create(cluster, options["api_nodes"])
        cluster.say(f"{options['api_nodes']} API-only nodes created")
    for number in numbers:
        node.await_ready(cluster, number)
        cluster.say(f"node n{number} Ready")


def down(cluster):
    """Removes the cluster. Returns True if nothing of it is left."""
    leftovers.remove(cluster)
    left = leftovers.find(cluster)
    for line in left:
        cluster.say(f"left: {line}")
    return not left


def parser(description, usage=None):
    where = f"Clusters are in {clusters_folder()}; set ALLOT_CLUSTERS to change that."
    return argparse.ArgumentParser(description=description, usage=usage, epilog=where)


def main(function):
    """Runs a command. Prints a Failure as one line, without a stack trace."""
    try:
        sys.exit(function())
    except Failure as failure:
        print(f"cluster: {failure}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
