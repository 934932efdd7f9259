"""An NVIDIA driver with a fake NVML library for a node, in the usual place: the node's own /usr and /dev."""
import os
import shlex
import subprocess
import sys
from pathlib import Path

from .cluster import Failure

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/support"))
import builds  # pylint: disable=wrong-import-position
MODELS = ("rtx3090", "rtx3060", "l4", "a100", "h100")


def check(options):
    if not options.gpus:
        return
    lists = _lists(options.gpus)
    unknown = [model for models in lists for model in models if model not in MODELS]
    if unknown:
        raise Failure(f"--gpus: unknown model {unknown[0]!r}; use {', '.join(MODELS)}")
    if len(lists) not in (1, options.nodes):
        raise Failure(f"--gpus has {len(lists)} lists for {options.nodes} nodes; give one for all, or one for each")
    if not (builds.folder() / "fake_nvml/libnvidia-ml.so.1").exists():
        raise Failure("--gpus needs the fake NVML; run `make build`")


def of_node(options, number):
    """Returns the models of node `number`."""
    lists = _lists(options["gpus"])
    return lists[number - 1 if len(lists) > 1 else 0]


def install(folder, models):
    """Writes the driver's files to folder/driver. Returns commands that mount them in the node's namespace."""
    if not models:
        return []
    subprocess.run([ROOT / "tests/node/machine", folder / "driver", builds.folder(), *models], check=True)
    mounts = []
    for name in ("usr", "dev"):
        upper, work = folder / "driver" / name, folder / f"driver.{name}"
        os.makedirs(work, exist_ok=True)
        mounts.append(f"mount -t overlay overlay -o {shlex.quote(f'lowerdir=/{name},upperdir={upper},workdir={work}')} /{name}")
    # An overlay shows one file system, without the mounts in it.
    dev = folder / "dev"
    os.makedirs(dev, exist_ok=True)
    again = f"for name in pts shm mqueue; do [ ! -d {dev}/$name ] || mount --rbind {dev}/$name /dev/$name; done"
    return [f"mount --rbind /dev {dev}", *mounts, again, f"umount -l {dev}"]


def _lists(text):
    return [[model for model in models.split(",") if model] for models in text.split("/")]
