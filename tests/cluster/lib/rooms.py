"""A mount namespace for each node: its containerd, kubelet and containers live in it, and its mounts go with them.

Some programs have one place for the whole machine built in (the kubelet's device plugin socket, CNI's records, the shims' sockets), and
drivers' manifests name the usual paths of a node. Each node therefore sees its own folders there.
"""
import os
import shlex

from . import slots
from .cluster import Failure
from .parts import Part, await_

# Path in the node's view: folder below the node's folder.
OWN = {"/var/lib/kubelet": "kubelet", "/var/lib/cni": "cni-state", "/var/log/containers": "container-logs",
       "/run/containerd": "shims", "/run/cdi": "cdi"}


def open_room(cluster, number, mounts=()):
    """Starts the process that holds the namespace open. mounts: commands that mount more."""
    folder = cluster.node_folder(number)
    binds = []
    for path, own in OWN.items():
        os.makedirs(path, exist_ok=True)
        os.makedirs(folder / own, exist_ok=True)
        binds.append(f"mount --bind {shlex.quote(str(folder / own))} {path}")
    ready = folder / "room"
    # At last shared, as on machines with systemd: containers may ask to see later mounts.
    part = Part(cluster, f"room.{number}")
    part.start(["/usr/bin/unshare", "--mount", "--propagation", "slave", "sh", "-ec",
                "\n".join([*binds, *mounts, "mount --make-rshared /", f"touch {shlex.quote(str(ready))}", "exec sleep infinity"])])
    await_(part, f"n{number} has no mount namespace", ready.exists, 10)


def inside(cluster, number, *argv):
    """The command line that runs argv in the node's namespace, as the same process."""
    pid = Part(cluster, f"room.{number}").pid()
    if pid is None:
        raise Failure(f"room.{number} of cluster {cluster.name} is not running")
    return ["/usr/bin/nsenter", f"--mount=/proc/{pid}/ns/mnt", *argv]


def remove_mount_points():
    """Removes the empty folders that the namespaces were mounted on, with the last cluster.

    Not before: removing a folder takes away what other namespaces have mounted on it.
    """
    with slots.locked():
        if any(link.is_symlink() for link in slots.links().values()):
            return
        for path in OWN:
            try:
                os.rmdir(path)
            except OSError:
                pass
