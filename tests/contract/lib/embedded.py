"""allot's own API server, with a stock kube-scheduler beside it, for as long as the cases run."""

import contextlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/support"))
from builds import program  # pylint: disable=wrong-import-position


class NotStarted(Exception):
    def __init__(self, text, code):
        super().__init__(text)
        self.code = code  # the exit code; negative: the signal


def start(folder, log, *more):
    """Starts the server. Returns it and the path of its kubeconfig."""
    server = subprocess.Popen([program(), "apiserver", "--data", folder, "--port", "0", *more], stdout=subprocess.PIPE, stderr=log, text=True)
    for line in server.stdout:
        found = re.match(r"export KUBECONFIG=(.*)$", line)
        if found:
            return server, found.group(1)
    server.wait()
    raise NotStarted(f"{program()} apiserver exited with {server.returncode}; see {log.name}", server.returncode)


def start_scheduler(folder, config, programs, log):
    settings = pathlib.Path(folder, "scheduler.yaml")
    settings.write_text(f"""apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {{leaderElect: false}}
clientConnection: {{kubeconfig: {config}, qps: 1000, burst: 2000}}
podInitialBackoffSeconds: 1
podMaxBackoffSeconds: 2
""", encoding="utf-8")
    return subprocess.Popen([os.path.join(programs, "kube-scheduler"), "--config", settings, "--secure-port", "0"], stdout=log, stderr=log)


def stop(process):
    process.terminate()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextlib.contextmanager
def running(programs):
    """Runs the server and the scheduler. Yields the path of a kubeconfig."""
    logs = ROOT / "build/contract-logs"
    logs.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="allot-api-") as folder, open(logs / "apiserver.log", "w", encoding="utf-8") as server_log, \
            open(logs / "kube-scheduler.log", "w", encoding="utf-8") as scheduler_log:
        server, config = start(folder, server_log)
        scheduler = start_scheduler(folder, config, programs, scheduler_log)
        try:
            yield config
        finally:
            stop(scheduler)
            stop(server)
