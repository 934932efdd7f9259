"""Finds and removes everything that a cluster has on the machine, with two functions for each kind.

The cluster's name is enough to find it, so this works after any crash, and even without the cluster's folder.
"""
import ipaddress
import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

from . import slots
from .cluster import run
from .node import CGROUPS, label
from .parts import MARK, all_parts, born, marked
from .rooms import remove_mount_points


def find(cluster):
    """Returns everything that the cluster has, one line each."""
    found = [f"process {pid} {_command(pid)}" for pid in processes(cluster)]
    for kind, things in (("mount", mounts(cluster)), ("cgroup", _cgroup_tops(cluster)), ("interface", links(cluster)),
                         ("address", addresses(cluster)), ("file", files(cluster))):
        found += [f"{kind} {thing}" for thing in things]
    return found


def remove(cluster):
    _end_processes(cluster)
    for link in links(cluster):
        run("ip", "link", "del", link, quiet=True)
    for address in addresses(cluster):
        run("ip", "addr", "del", f"{address}/32", "dev", "lo", quiet=True)
    _unmount(cluster)
    _remove_cgroups(cluster)
    if not mounts(cluster):  # Through a mount this would delete files of others.
        shutil.rmtree(cluster.folder, ignore_errors=True)
    if not links(cluster):
        # Last, because it keeps other clusters from taking the slot.
        for slot in slots.held(cluster.folder):
            slot.unlink(missing_ok=True)
    remove_mount_points()
    try:
        cluster.folder.parent.rmdir()
    except OSError:  # not empty: there are other clusters
        pass


def processes(cluster):
    contained = set()
    for group in cgroups(cluster):
        try:
            contained.update(int(pid) for pid in Path(group, "cgroup.procs").read_text().split())
        except OSError:
            continue
    return sorted({pid for pid in contained if born(pid) is not None} | set(marked(MARK, cluster.folder)))


def mounts(cluster):
    with open("/proc/self/mounts", encoding="utf-8") as file:
        paths = [line.split()[1] for line in file]
    return [path for path in reversed(paths) if path.startswith(f"{cluster.folder}/")]


def cgroups(cluster):
    """Returns the cluster's cgroups, deepest first."""
    return [folder for top in _cgroup_tops(cluster) for folder, _, _ in os.walk(top, topdown=False)]


def _cgroup_tops(cluster):
    """Returns the cluster's top cgroup with cgroup v2, or one for each controller with v1."""
    return [top for top in (CGROUPS / cluster.id, *sorted(CGROUPS.glob(f"*/{cluster.id}"))) if top.is_dir()]


def addresses(cluster):
    return [a["local"] for link in _ip("addr") if link["ifname"] == "lo" for a in link["addr_info"] if a.get("label") == label(cluster)]


def links(cluster):
    """Returns the host ends of Pod networks. They are known only while the cluster holds its slot."""
    networks = [slots.Slot(int(link.name.rpartition("-")[2])).network for link in slots.held(cluster.folder)]
    return [link["ifname"] for link in _ip("addr") if link["ifname"].startswith("veth")
            for a in link["addr_info"] if any(ipaddress.ip_address(a["local"]) in network for network in networks)]


def files(cluster):
    folder = [str(cluster.folder)] if cluster.folder.exists() else []
    return folder + [str(link) for link in slots.held(cluster.folder)]


def _end_processes(cluster):
    """Kills kubelets first, because they restart containers, then all other processes. Their data is removed, too, so SIGKILL is fine."""
    for part in all_parts(cluster):
        if part.name.startswith("kubelet.") and part.pid() is not None:
            _kill(part.pid())
    deadline = time.monotonic() + 10
    while (pids := processes(cluster)) and time.monotonic() < deadline:
        for pid in pids:
            _kill(pid)
        time.sleep(0.02)


def _unmount(cluster):
    paths = mounts(cluster)
    if paths:
        subprocess.run(["umount", "-l", *paths], stderr=subprocess.DEVNULL, check=False)


def _remove_cgroups(cluster):
    # A cgroup becomes empty a moment after its last process has ended.
    deadline = time.monotonic() + 5
    while (groups := cgroups(cluster)) and time.monotonic() < deadline:
        for group in groups:
            try:
                os.rmdir(group)
            except OSError:
                pass
        time.sleep(0.02)


def _kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def _command(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")[:100]
    except OSError:
        return "(ended)"


def _ip(what):
    done = subprocess.run(["ip", "-j", "-4", what], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return [entry for entry in json.loads(done.stdout or "[]") if "ifname" in entry]
