"""The ports and addresses of clusters on one machine. Each cluster holds one slot, whose number determines all of them.

A slot is a symbolic link to the cluster's folder. It is free when the folder is gone.
"""
import contextlib
import fcntl
import ipaddress
import json
import os
import socket
import subprocess
from pathlib import Path

from .cluster import Failure

COUNT = 100
PORTS = 21000  # below the kernel's ephemeral ports


def _place():
    return Path("/run/lock" if os.path.isdir("/run/lock") else "/tmp")


def links():
    return {number: _place() / f"allot-cluster-{number}" for number in range(COUNT)}


@contextlib.contextmanager
def locked():
    """Holds a lock, so that no other process of this machine takes a slot meanwhile."""
    folder = os.open(_place(), os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


class Slot:
    def __init__(self, number):
        self.number = number
        self.port = PORTS + number
        self.network = ipaddress.ip_network(f"10.{100 + number}.0.0/16")
        self.services = f"10.{100 + number}.0.0/24"
        self.api_address = f"10.{100 + number}.0.1"

    def node_address(self, node):
        return f"10.{100 + self.number}.255.{node}"

    def pods(self, node):
        return f"10.{100 + self.number}.{node}.0/24"


def routes():
    done = subprocess.run(["ip", "-j", "-4", "route"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return json.loads(done.stdout or "[]")


def _is_held(link):
    # Use readlink: in a sticky folder the kernel refuses to follow links of other users.
    return link.is_symlink() and os.path.exists(os.readlink(link))


def _is_free(slot):
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", slot.port))
        except OSError:
            return False
    used = [ipaddress.ip_network(route["dst"]) for route in routes() if route["dst"] != "default"]
    return not any(network.overlaps(slot.network) for network in used)


def take(folder):
    """Takes the first free slot for the cluster in `folder`, which must exist."""
    with locked():
        for number, link in links().items():
            slot = Slot(number)
            if _is_held(link) or not _is_free(slot):
                continue
            try:
                link.unlink(missing_ok=True)
                link.symlink_to(folder)
            except PermissionError:  # a slot of another user
                continue
            return slot
    raise Failure(f"all {COUNT} slots for clusters on this machine are taken; `tests/cluster/down --all` removes the running clusters")


def held(folder):
    """Returns the links of the slots that `folder` holds."""
    return [link for link in links().values() if link.is_symlink() and os.readlink(link) == str(folder)]
