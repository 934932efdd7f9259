"""A process that outlives `with`, even if that is killed, and then removes its cluster.

It has its own session and the reading end of a pipe; `with` has the only writing end. The pipe closes when `with` ends.
"""
import os
import shutil
import signal
import subprocess
import sys

from .cluster import HERE, SOURCE, Cluster
from .parts import marked

# In the environment of the command and its descendants. Only the keeper ends those that are left; `down` does not.
COMMAND_MARK = "ALLOT_CLUSTER_COMMAND"
SUCCEEDED = b"s"


class Keeper:
    def __init__(self, cluster):
        self.cluster = cluster

    def __enter__(self):
        reading, self.pipe = os.pipe()
        self.result, writing = os.pipe()
        code = f"import sys; sys.path.insert(0, {str(HERE)!r}); from lib.keeper import keep; keep(*sys.argv[1:])"
        # --fork: the keeper must not be a child of `with`, because ctest kills `with` together with its children.
        subprocess.run(["setsid", "--fork", sys.executable, "-B", "-c", code, self.cluster.name], stdin=reading, stdout=writing, check=True)
        os.close(reading)
        os.close(writing)
        return self

    def succeeded(self):
        """Records that the logs are not needed."""
        os.write(self.pipe, SUCCEEDED)

    def __exit__(self, *_):
        # A second signal must not end `with` before the cluster is removed.
        for sign in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(sign, signal.SIG_IGN)
        os.close(self.pipe)
        if os.read(self.result, 1) != SUCCEEDED:
            self.cluster.say("was not removed completely")


def keep(name):
    cluster = Cluster(name)
    success = os.read(0, 1) == SUCCEEDED
    if success:
        os.read(0, 1)  # returns when `with` closes the pipe
    for pid in marked(COMMAND_MARK, cluster.folder):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    if not success:
        _keep_logs(cluster)
    if not cluster.folder.exists() or subprocess.run([HERE / "down", name], stdout=subprocess.DEVNULL, check=False).returncode == 0:
        try:
            os.write(1, SUCCEEDED)
        except BrokenPipeError:  # `with` was killed.
            pass


def _keep_logs(cluster):
    to = SOURCE / "build/cluster-logs" / cluster.name
    shutil.rmtree(to, ignore_errors=True)
    if not (cluster.folder / "log").is_dir():
        return
    shutil.copytree(cluster.folder / "log", to)
    for pods in cluster.folder.glob("n*/pods"):
        shutil.copytree(pods, to / f"pods.{pods.parent.name}")
    cluster.say(f"the logs are in {to.relative_to(SOURCE)}")
