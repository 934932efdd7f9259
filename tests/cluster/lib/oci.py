"""Images without a registry: an OCI archive around Debian's static busybox, under any name."""
import os
import subprocess
import sys
import tarfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .cluster import Failure, programs, run

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "deployments/container"))
from oci import Image, add, archive, full_name, tar_of  # pylint: disable=wrong-import-position

BASE = "docker.io/local/busybox:1"
BUSYBOX = "/bin/busybox"


def add_images(cluster, references, nodes, files=()):
    """Imports the image under every reference into the containerd of each node. files: (path here, path inside)."""
    load_archive(cluster, _image([full_name(reference) for reference in references], files), nodes)


def load_archive(cluster, data, nodes):
    """Imports an OCI archive into the containerd of each node."""
    def load(number):
        # Without `--local` the import uses the machine's default snapshotter.
        argv = [str(programs() / "ctr"), "-a", str(cluster.node_folder(number) / "c.sock"), "-n", "k8s.io",
                "images", "import", "--local", "--snapshotter", "native", "-"]
        done = subprocess.run(argv, input=data, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if done.returncode != 0:
            raise Failure(f"n{number} cannot import the image: {done.stdout.decode(errors='replace').strip()}")

    with ThreadPoolExecutor() as pool:
        list(pool.map(load, nodes))


def _root(tar, files):
    for folder in ("bin", "dev", "etc", "proc", "root", "sys", "usr", "var"):
        add(tar, folder, mode=0o755, kind=tarfile.DIRTYPE)
    add(tar, "tmp", mode=0o1777, kind=tarfile.DIRTYPE)
    for link in ("sbin", "usr/bin", "usr/sbin"):
        add(tar, link, kind=tarfile.SYMTYPE, link="/bin")
    with open(BUSYBOX, "rb") as busybox:
        add(tar, "bin/busybox", busybox.read(), 0o755)
    for applet in run(BUSYBOX, "--list").split():
        if applet != "busybox":
            add(tar, f"bin/{applet}", kind=tarfile.SYMTYPE, link="busybox")
    # Manifests may run `bash -c`; any shell will do.
    add(tar, "bin/bash", b'#!/bin/sh\nexec /bin/sh "$@"\n', 0o755)
    add(tar, "etc/passwd", b"root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n")
    add(tar, "etc/group", b"root:x:0:\nnogroup:x:65534:\n")
    for path, inside in files:
        with open(path, "rb") as file:
            add(tar, inside, file.read(), os.stat(path).st_mode & 0o777)


def _image(names, files):
    arch = {"x86_64": "amd64", "aarch64": "arm64"}.get(os.uname().machine, os.uname().machine)
    config = {"Cmd": ["/bin/sleep", "2147483647"], "Env": ["PATH=/bin"]}
    return archive(names, [Image(arch, tar_of(lambda tar: _root(tar, files)), config)])
