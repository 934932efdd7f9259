"""A mount namespace for each node, in which its containerd, kubelet and containers run. Its mounts end with these processes.

Some paths are fixed for the whole machine (the kubelet's device plugin socket, CNI's records, the shims' sockets), and manifests of drivers
use the usual paths of a node. So each node has its own folders at these paths.
"""
import os
import shlex

from . import slots
from .cluster import Failure
from .parts import Part, await_

# The path in the node's namespace, and the folder below the node's folder.
OWN = {"/var/lib/kubelet": "kubelet", "/var/lib/cni": "cni-state", "/var/log/containers": "container-logs",
       "/run/containerd": "shims", "/run/cdi": "cdi"}


def open_room(cluster, number, mounts=()):
    """Starts the process that keeps the namespace alive. `mounts` are commands for more mounts."""
    folder = cluster.node_folder(number)
    binds = []
    for path, own in OWN.items():
        os.makedirs(path, exist_ok=True)
        os.makedirs(folder / own, exist_ok=True)
        binds.append(f"mount --bind {shlex.quote(str(folder / own))} {path}")
    ready = folder / "room"
    # Make the mounts shared at the end, as on machines with systemd, because containers may need to see later mounts.
    part = Part(cluster, f"room.{number}")
    part.start(["/usr/bin/unshare", "--mount", "--propagation", "slave", "sh", "-ec",
                "\n".join([*binds, *mounts, "mount --make-rshared /", f"touch {shlex.quote(str(ready))}", "exec sleep infinity"])])
    await_(part, f"n{number} has no mount namespace", ready.exists, 10)


def inside(cluster, number, *argv):
    """Returns the command line that runs argv in the node's namespace, as the same process."""
    pid = Part(cluster, f"room.{number}").pid()
    if pid is None:
        raise Failure(f"room.{number} of cluster {cluster.name} is not running")
    return ["/usr/bin/nsenter", f"--mount=/proc/{pid}/ns/mnt", *argv]


def remove_mount_points():
    """Removes the empty mount points of the namespaces, with the last cluster.

    Not earlier: removing a mount point removes the mounts of other namespaces on it.
    """
    with slots.locked():
        if any(link.is_symlink() for link in slots.links().values()):
            return
        for path in OWN:
            try:
                os.rmdir(path)
            except OSError:
                pass
