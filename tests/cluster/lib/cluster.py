"""A cluster's identity and its folder.

The folder's path is enough to find everything that belongs to a cluster, even after a crash: its processes have the folder in their
environment, its cgroups and networks have `id` in their names, and its mounts are below the folder.
"""
import functools
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[3]
HERE = SOURCE / "tests/cluster"


class Failure(Exception):
    """An error that is printed without a stack trace."""


class Cluster:
    def __init__(self, name):
        if not re.fullmatch(r"[a-z0-9]([a-z0-9-]{0,18}[a-z0-9])?", name):
            raise Failure(f"cluster name {name!r}: use 1 to 20 characters of a-z and 0-9, with '-' in between")
        self.name = name
        self.folder = clusters_folder() / name
        # The path of a unix socket has at most 107 bytes. The longest one is a driver's registration socket below a node's folder.
        if len(str(self.folder)) > 45:
            raise Failure(f"{self.folder} is too long for the sockets below it; set ALLOT_CLUSTERS to a shorter path")
        self.digest = hashlib.sha256(str(self.folder).encode()).hexdigest()[:8]
        self.id = f"allot-{name}-{self.digest[:4]}"
        self.began = time.monotonic()

    @property
    def kubeconfig(self):
        return self.folder / "admin.conf"

    @property
    def options_file(self):
        return self.folder / "options.json"

    def options(self):
        return json.loads(self.options_file.read_text())

    def node_folder(self, number):
        return self.folder / f"n{number}"

    def say(self, text):
        print(f"cluster {self.name}: {time.monotonic() - self.began:5.1f} s  {text}", file=sys.stderr, flush=True)


def clusters_folder():
    return Path(os.environ.get("ALLOT_CLUSTERS") or "/run/allot").absolute()


def all_clusters():
    folder = clusters_folder()
    return [Cluster(entry.name) for entry in sorted(folder.iterdir()) if entry.is_dir()] if folder.is_dir() else []


@functools.cache
def programs():
    """Returns the folder of the programs. Some may still be missing, because a build makes those of the control plane first."""
    return Path(subprocess.run([HERE / "build", "--path"], stdout=subprocess.PIPE, text=True, check=False).stdout.strip())


def write(path, text, mode=0o644):
    """Writes a file atomically, never with wider permissions than `mode`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(path.name + ".new")
    new.unlink(missing_ok=True)
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "w") as file:
        file.write(text)
    os.replace(new, path)


def run(*argv, quiet=False):
    """Runs a program to its end, and returns its output."""
    done = subprocess.run([str(a) for a in argv], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0 and not quiet:
        raise Failure(f"{Path(str(argv[0])).name} {argv[1]} failed: {done.stdout.strip()}")
    return done.stdout
