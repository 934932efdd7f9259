"""Starts, finds and ends the programs of a cluster.

A part has a record parts/NAME.json in the cluster's folder, with its command line and its process. A restart uses this command line.
"""
import json
import os
import signal
import subprocess
import time

from .cluster import Failure, programs, write

# In the environment of every part and its descendants, except containers.
MARK = "ALLOT_CLUSTER_FOLDER"


class Part:
    def __init__(self, cluster, name):
        self.cluster = cluster
        self.name = name
        self.record = cluster.folder / "parts" / f"{name}.json"
        self.log = cluster.folder / "log" / f"{name}.log"

    def start(self, argv=None):
        """Starts the part, by default with its last command line."""
        if argv is None:
            argv = self._read()["argv"]
        argv = [str(a) for a in argv]
        # Use a clean environment, without the user's proxies and KUBECONFIG.
        folder = str(self.cluster.folder)
        env = {"PATH": f"{programs()}:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": folder, MARK: folder}
        self.log.parent.mkdir(exist_ok=True)
        with open(self.log, "a", encoding="utf-8") as log:
            process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=env, cwd=folder, start_new_session=True)
        write(self.record, json.dumps({"argv": argv, "pid": process.pid, "born": born(process.pid)}), 0o600)

    def _read(self):
        try:
            return json.loads(self.record.read_text())
        except FileNotFoundError:
            known = ", ".join(part.name for part in all_parts(self.cluster)) or "none"
            raise Failure(f"cluster {self.cluster.name} has no part {self.name!r}; its parts: {known}") from None

    def pid(self):
        """Returns the PID, or None if the process has ended. Another process with a reused PID does not count."""
        record = self._read()
        return record["pid"] if record["born"] is not None and born(record["pid"]) == record["born"] else None

    def end(self, sign, seconds=20):
        """Sends the signal and waits until the process is gone."""
        pid = self.pid()
        if pid is None:
            raise Failure(f"{self.name} of cluster {self.cluster.name} is not running")
        os.kill(pid, sign)
        deadline = time.monotonic() + seconds
        while self.pid() is not None:
            if time.monotonic() > deadline:
                raise Failure(f"{self.name} of cluster {self.cluster.name} still runs {seconds} s after {signal.Signals(sign).name}")
            time.sleep(0.02)

    def tail(self, lines=20):
        try:
            return "".join(self.log.read_text(errors="replace").splitlines(keepends=True)[-lines:])
        except FileNotFoundError:
            return ""


def all_parts(cluster):
    return [Part(cluster, record.stem) for record in sorted((cluster.folder / "parts").glob("*.json"))]


def born(pid):
    """Returns the start time of the process in clock ticks; None if it does not exist or is a zombie. A process whose first thread has ended
    looks like one, but has its sockets until its other threads have ended, too."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return None
    state, threads, start = fields[0], int(fields[17]), int(fields[19])
    return None if state in "ZX" and threads <= 1 else start


def marked(mark, folder):
    """Returns the processes that have `mark` set to `folder` in their environment."""
    wanted = f"{mark}={folder}".encode()
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit() or int(entry) == os.getpid():
            continue
        try:
            with open(f"/proc/{entry}/environ", "rb") as file:
                if wanted in file.read().split(b"\0"):
                    found.append(int(entry))
        except OSError:
            continue
    return [pid for pid in found if born(pid) is not None]


def await_(part, what, condition, seconds=120, alone=False):
    """Waits until condition() is true. Raises a Failure, with the part's last log lines, at the deadline or if any part ends (with `alone`:
    if this one ends)."""
    deadline = time.monotonic() + seconds
    while True:
        # Check for an ended part before the condition, so that the last try comes after the end.
        ended = [each for each in ([part] if alone else all_parts(part.cluster)) if each.pid() is None]
        if condition():
            return
        if ended or time.monotonic() > deadline:
            guilty = ended[0] if ended else part
            why = f"{guilty.name} ended" if ended else f"timeout after {seconds} s"
            raise Failure(f"{what}: {why}. The last lines of {guilty.log.name}:\n{guilty.tail()}")
        time.sleep(0.05)
