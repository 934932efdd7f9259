"""allot's API server for fault tests: start it, kill it, restart it on the same port; and persistent connections to it."""

import http.client
import json
import os
import pathlib
import signal
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/contract"))

from lib import client, embedded  # noqa: E402


class Server:
    """A server with one folder and one port. `log` gets its standard error."""

    def __init__(self, folder, port=0):
        self.folder = pathlib.Path(folder)
        self.log = self.folder.with_name(self.folder.name + ".log")
        self.process, self.config, self._port = None, None, port

    def start(self):
        """Raises embedded.NotStarted, with the exit code, if it does not start."""
        with open(self.log, "a", encoding="utf-8") as log:
            self.process, config = embedded.start(str(self.folder), log, "--port", str(self._port))
        self.config = client.Config(config)
        self._port = self.config.port

    def kill(self):
        self.process.kill()
        self._reap()

    def stop(self):
        """Stops it. Returns the exit code."""
        self.process.terminate()
        return self._reap()

    def kill_while_it_starts(self, seconds):
        """Starts it and kills it so soon that it may not have answered yet."""
        arguments = [embedded.program(), "apiserver", "--data", self.folder, "--port", str(self._port)]
        with open(self.log, "a", encoding="utf-8") as log, subprocess.Popen(arguments, stdout=log, stderr=log) as early:
            try:
                early.wait(seconds)
            except subprocess.TimeoutExpired:
                pass
            early.kill()

    def _reap(self):
        code = self.process.wait(60)
        self.process.stdout.close()
        self.process = None
        return code

    def last_words(self):
        return self.log.read_text(encoding="utf-8", errors="replace").strip()

    def resident_bytes(self):
        return memory(self.process.pid)["VmRSS"]

    def connect(self):
        return Connection(self.config)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        if self.process:
            self.process.kill()
            self._reap()


class Connection:
    """One HTTP connection. It never repeats a request by itself, so that the caller knows what was sent."""

    def __init__(self, config, timeout=60):
        kind = http.client.HTTPSConnection if config.secure else http.client.HTTPConnection
        more = {"context": config.tls} if config.secure else {}
        self._http = kind(config.host, config.port, timeout=timeout, **more)
        self._headers = {"Authorization": f"Bearer {config.token}"}

    def request(self, method, path, body=None, kind="application/json"):
        """Returns status and body. Raises OSError or HTTPException if the answer is not complete."""
        headers = dict(self._headers, **({"Content-Type": kind} if body is not None else {}))
        self._http.request(method, path, None if body is None else json.dumps(body), headers)
        answer = self._http.getresponse()
        return answer.status, json.loads(answer.read())

    def done(self, method, path, body=None, kind="application/json"):
        """Returns the body of an answer, which must be a success."""
        status, answer = self.request(method, path, body, kind)
        if not 200 <= status < 300:
            sys.exit(f"error: {method} {path}: {status} {answer.get('message')}")
        return answer

    def close(self):
        self._http.close()


def memory(pid):
    """The sizes of a process in bytes: VmRSS, RssAnon, ..."""
    sizes = {}
    for line in pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
        name, _, value = line.partition(":")
        if value.endswith(" kB"):
            sizes[name] = int(value.split()[0]) * 1024
    return sizes


def require_program():
    """Exits with 1 and a hint if there is no program to test. From then on SIGTERM also ends the servers."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if not os.access(embedded.program(), os.X_OK):
        sys.exit(f"error: no program {embedded.program()}; build it (make build), or name one with ALLOT")
