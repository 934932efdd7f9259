"""The programs of a cluster as processes: start, find, end.

A part is a record parts/NAME.json in the cluster's folder: its command line, and which process it is. It is started again from there.
"""
import json
import os
import signal
import subprocess
import time

from .cluster import Failure, programs, write

# In the environment of every part and of what it starts, except for containers.
MARK = "ALLOT_CLUSTER_FOLDER"


class Part:
    def __init__(self, cluster, name):
        self.cluster = cluster
        self.name = name
        self.record = cluster.folder / "parts" / f"{name}.json"
        self.log = cluster.folder / "log" / f"{name}.log"

    def start(self, argv=None):
        """Starts the part, with the command line of the last time unless one is given."""
        if argv is None:
            argv = self._read()["argv"]
        argv = [str(a) for a in argv]
        # A clean environment: proxies and the user's KUBECONFIG are not for the parts.
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
        """The process, or None where it has ended. A process that got the same number later does not count."""
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
                raise Failure(f"{self.name} of cluster {self.cluster.name} is still there {seconds} s after {signal.Signals(sign).name}")
            time.sleep(0.02)

    def tail(self, lines=20):
        try:
            return "".join(self.log.read_text(errors="replace").splitlines(keepends=True)[-lines:])
        except FileNotFoundError:
            return ""


def all_parts(cluster):
    return [Part(cluster, record.stem) for record in sorted((cluster.folder / "parts").glob("*.json"))]


def born(pid):
    """When the process began, in the kernel's ticks; None where there is none, or only a zombie is left of it."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else int(fields[19])


def marked(mark, folder):
    """The processes that have `mark` set to `folder` in their environment."""
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
    """Waits until condition() is true. The deadline, or the end of any part (`alone`: of this one), is a failure that shows the guilty one's
    last words."""
    deadline = time.monotonic() + seconds
    while True:
        # Asked before the condition, so that the last try comes after the end.
        ended = [each for each in ([part] if alone else all_parts(part.cluster)) if each.pid() is None]
        if condition():
            return
        if ended or time.monotonic() > deadline:
            guilty = ended[0] if ended else part
            why = f"{guilty.name} ended" if ended else f"not after {seconds} s"
            raise Failure(f"{what}: {why}. The last lines of {guilty.log.name}:\n{guilty.tail()}")
        time.sleep(0.05)
