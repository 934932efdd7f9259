"""`allot up` for tests: start it as root or as an unprivileged user, kill it, start it again, and query it with allot's own client."""

import json
import os
import pathlib
import queue
import shutil
import subprocess
import sys
import threading
import time
import zlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
from builds import program  # pylint: disable=wrong-import-position
NOBODY = 65534
START_SECONDS = 30


def install(prefix):
    """Installs the program and its fake driver where every user may run them. Returns the program's path."""
    build = program().parent
    for place, file, name in (("bin", program(), "allot"), ("lib/allot", build / "fake_nvml/libnvidia-ml.so.1", "libnvidia-ml.so.1"),
                              ("lib/allot", build / "fake_smi/nvidia-smi", "nvidia-smi")):
        folder = pathlib.Path(prefix, place)
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, folder / name)
    subprocess.run(["chmod", "-R", "a+rX", prefix], check=True)
    return pathlib.Path(prefix, "bin/allot")


def write_holding(node_folder, claim, share):
    """Writes a holding to a node's journal, as its agent would. `up` must not be running."""
    holding = {"uid": claim["metadata"]["uid"], "namespace": claim["metadata"]["namespace"], "name": claim["metadata"]["name"],
               "shares": [share]}
    line = json.dumps({"hold": holding}, separators=(",", ":"))
    path = node_folder / "state/journal"
    path.write_text(f"allot-journal 1\n{zlib.crc32(line.encode()):08x} {line}\n", encoding="utf-8")
    owner = path.parent.stat()
    os.chown(path, owner.st_uid, owner.st_gid)
    return path


def await_file(path, seconds=20):
    deadline = time.monotonic() + seconds
    while not path.exists():
        assert time.monotonic() < deadline, f"{path} did not come within {seconds} s"
        time.sleep(0.05)


class Up:
    """An `allot up` with one folder. `user`: the user ID that it runs as; None: our own."""

    def __init__(self, allot, folder, *flags, user=None):
        self.allot, self.folder, self.flags, self.user = pathlib.Path(allot), pathlib.Path(folder), flags, user
        self.process, self.greeting, self._lines = None, [], None

    def command(self, *flags):
        return [self.allot, "up", "--data", self.folder, "--port", "0", *(flags or self.flags)]

    def as_user(self):
        return {} if self.user is None else {"user": self.user, "group": self.user, "extra_groups": []}

    def start(self):
        """Waits for the greeting. AssertionError, with the output, if it does not come."""
        environment = {key: value for key, value in os.environ.items() if key not in ("KUBECONFIG", "XDG_DATA_HOME")}
        self.process = subprocess.Popen(self.command(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
                                        cwd="/", **self.as_user())
        self._lines = queue.Queue()
        threading.Thread(target=self._read, args=(self.process, self._lines), daemon=True).start()
        self.greeting = []
        while not self.greeting or not self.greeting[-1].startswith("# paste"):
            line = self._lines.get(timeout=START_SECONDS)
            if line is None:
                raise AssertionError(f"allot up ended with {self.process.wait()}: {self.process.stderr.read()}")
            self.greeting.append(line)
        return self

    @staticmethod
    def _read(process, lines):
        for line in process.stdout:
            lines.put(line.rstrip("\n"))
        lines.put(None)

    def stop(self):
        """Stops it. Returns the exit code and the last line."""
        self.process.terminate()
        code, last = self.process.wait(30), ""
        while (line := self._lines.get(timeout=5)) is not None:
            last = line
        self.process.stderr.close()
        return code, last

    def kill(self):
        self.process.kill()
        self.process.wait(30)
        self.process.stderr.close()

    def run(self, *arguments, text=None):
        """Runs allot with the admin's kubeconfig. Returns its standard output."""
        done = subprocess.run([self.allot, *arguments, "--kubeconfig", self.folder / "admin.conf"], input=text, capture_output=True, text=True,
                              timeout=30, check=False)
        assert done.returncode == 0, f"allot {' '.join(arguments)}: {done.stderr}"
        return done.stdout

    def get(self, *arguments):
        return json.loads(self.run("get", *arguments, "-o", "json"))

    def uuids(self):
        return [line.split()[-1] for line in self.greeting if line.startswith("#   gpu-")]

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        if self.process and self.process.poll() is None:
            self.kill()
