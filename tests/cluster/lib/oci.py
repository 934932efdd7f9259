"""Images without a registry: an OCI archive around Debian's static busybox, under any name."""
import hashlib
import io
import json
import os
import subprocess
import tarfile
from concurrent.futures import ThreadPoolExecutor

from .cluster import Failure, programs, run

BASE = "docker.io/local/busybox:1"
BUSYBOX = "/bin/busybox"


def full_name(reference):
    """The reference as containerd keeps it: with its registry and tag."""
    first, slash, _ = reference.partition("/")
    if not slash:
        reference = "docker.io/library/" + reference
    elif not ("." in first or ":" in first or first == "localhost"):
        reference = "docker.io/" + reference
    return reference if ":" in reference.rpartition("/")[2] or "@" in reference else reference + ":latest"


def add_images(cluster, references, nodes, files=()):
    """Imports the image under every reference into the containerd of each node. files: (path here, path inside)."""
    archive = _image([full_name(reference) for reference in references], files)

    def load(number):
        # `--local`: the other way asks for the snapshotter of the machine's defaults.
        argv = [str(programs() / "ctr"), "-a", str(cluster.node_folder(number) / "c.sock"), "-n", "k8s.io",
                "images", "import", "--local", "--snapshotter", "native", "-"]
        done = subprocess.run(argv, input=archive, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if done.returncode != 0:
            raise Failure(f"n{number} does not take the image: {done.stdout.decode(errors='replace').strip()}")

    with ThreadPoolExecutor() as pool:
        list(pool.map(load, nodes))


def _add(tar, name, data=b"", mode=0o644, kind=tarfile.REGTYPE, link=""):
    info = tarfile.TarInfo(name.lstrip("/"))
    info.size, info.mode, info.type, info.linkname = len(data), mode, kind, link
    tar.addfile(info, io.BytesIO(data))


def _archive(fill):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        fill(tar)
    return out.getvalue()


def _root(tar, files):
    for folder in ("bin", "dev", "etc", "proc", "root", "sys", "usr", "var"):
        _add(tar, folder, mode=0o755, kind=tarfile.DIRTYPE)
    _add(tar, "tmp", mode=0o1777, kind=tarfile.DIRTYPE)
    for link in ("sbin", "usr/bin", "usr/sbin"):
        _add(tar, link, kind=tarfile.SYMTYPE, link="/bin")
    with open(BUSYBOX, "rb") as busybox:
        _add(tar, "bin/busybox", busybox.read(), 0o755)
    for applet in run(BUSYBOX, "--list").split():
        if applet != "busybox":
            _add(tar, f"bin/{applet}", kind=tarfile.SYMTYPE, link="busybox")
    # Manifests that say `bash -c` mean a shell.
    _add(tar, "bin/bash", b'#!/bin/sh\nexec /bin/sh "$@"\n', 0o755)
    _add(tar, "etc/passwd", b"root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n")
    _add(tar, "etc/group", b"root:x:0:\nnogroup:x:65534:\n")
    for path, inside in files:
        with open(path, "rb") as file:
            _add(tar, inside, file.read(), os.stat(path).st_mode & 0o777)


def _image(names, files):
    def entry(kind, blob, **more):
        return {"mediaType": f"application/vnd.oci.image.{kind}", "digest": f"sha256:{_sha(blob)}", "size": len(blob), **more}

    layer = _archive(lambda tar: _root(tar, files))
    arch = {"x86_64": "amd64", "aarch64": "arm64"}.get(os.uname().machine, os.uname().machine)
    config = json.dumps({"architecture": arch, "os": "linux", "config": {"Cmd": ["/bin/sleep", "2147483647"], "Env": ["PATH=/bin"]},
                         "rootfs": {"type": "layers", "diff_ids": [f"sha256:{_sha(layer)}"]}}).encode()
    manifest = json.dumps({"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
                           "config": entry("config.v1+json", config), "layers": [entry("layer.v1.tar", layer)]}).encode()
    index = json.dumps({"schemaVersion": 2, "manifests": [
        entry("manifest.v1+json", manifest, annotations={"io.containerd.image.name": name}) for name in names]}).encode()

    def fill(tar):
        _add(tar, "oci-layout", b'{"imageLayoutVersion":"1.0.0"}')
        _add(tar, "index.json", index)
        for blob in (layer, config, manifest):
            _add(tar, f"blobs/sha256/{_sha(blob)}", blob)

    return _archive(fill)


def _sha(data):
    return hashlib.sha256(data).hexdigest()
