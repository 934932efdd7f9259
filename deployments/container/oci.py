"""OCI images without a container tool: archives that `ctr images import`, podman, skopeo and docker read."""
import dataclasses
import gzip
import hashlib
import io
import json
import os
import tarfile


@dataclasses.dataclass
class Image:
    arch: str  # amd64, arm64
    layer: bytes  # a tar archive, not compressed
    config: dict  # Entrypoint, Cmd, Env, Labels


def add(tar, name, data=b"", mode=0o644, kind=tarfile.REGTYPE, link=""):
    """Adds a file of root's, without a date."""
    info = tarfile.TarInfo(name.lstrip("/"))
    info.size, info.mode, info.type, info.linkname = len(data), mode, kind, link
    tar.addfile(info, io.BytesIO(data))


def blob_path(descriptor):
    return "blobs/" + descriptor["digest"].replace(":", "/")


def tar_of(fill):
    """The bytes of a tar archive; fill(tar) puts files into it."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        fill(tar)
    return out.getvalue()


def layer(folder):
    """A folder as a layer: root owns everything, and nothing has a date."""
    def fill(tar):
        for path, folders, files in os.walk(folder):
            folders.sort()
            for name in sorted(folders + files):
                full = os.path.join(path, name)
                inside, mode = os.path.relpath(full, folder), os.lstat(full).st_mode & 0o7777
                if os.path.islink(full):
                    add(tar, inside, kind=tarfile.SYMTYPE, link=os.readlink(full), mode=0o777)
                elif os.path.isdir(full):
                    add(tar, inside, kind=tarfile.DIRTYPE, mode=mode)
                else:
                    with open(full, "rb") as file:
                        add(tar, inside, file.read(), mode)

    return tar_of(fill)


def full_name(reference):
    """The reference as containerd and kubelet name it: with its registry and tag."""
    first, slash, _ = reference.partition("/")
    if not slash:
        reference = "docker.io/library/" + reference
    elif not ("." in first or ":" in first or first == "localhost"):
        reference = "docker.io/" + reference
    return reference if ":" in reference.rpartition("/")[2] or "@" in reference else reference + ":latest"


def archive(names, images):
    """An archive of one image for several architectures, under every one of the names."""
    blobs = {}

    def blob(kind, data, **more):
        digest = hashlib.sha256(data).hexdigest()
        blobs[digest] = data
        return {"mediaType": f"application/vnd.oci.image.{kind}", "digest": f"sha256:{digest}", "size": len(data), **more}

    def manifest(image):
        config = {"architecture": image.arch, "os": "linux", "config": image.config,
                  "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(image.layer).hexdigest()}"]}}
        return blob("manifest.v1+json", json.dumps({
            "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
            "config": blob("config.v1+json", json.dumps(config).encode()),
            "layers": [blob("layer.v1.tar+gzip", gzip.compress(image.layer, mtime=0))]}).encode(),
                    platform={"os": "linux", "architecture": image.arch})

    manifests = [manifest(image) for image in images]
    if len(manifests) == 1:
        top = manifests[0]
    else:
        top = blob("index.v1+json", json.dumps({"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json",
                                                "manifests": manifests}).encode())
    index = {"schemaVersion": 2, "manifests": [
        {**top, "annotations": {"io.containerd.image.name": full_name(name), "org.opencontainers.image.ref.name": name}} for name in names]}
    # For docker, whose own store holds images of one architecture.
    docker = [{"Config": blob_path(manifest["config"]), "RepoTags": names, "Layers": [blob_path(one) for one in manifest["layers"]]}
              for manifest in (json.loads(blobs[top["digest"].partition(":")[2]]),) if "config" in manifest]

    def fill(tar):
        add(tar, "oci-layout", b'{"imageLayoutVersion":"1.0.0"}')
        add(tar, "index.json", json.dumps(index).encode())
        if docker:
            add(tar, "manifest.json", json.dumps(docker).encode())
        for digest, data in blobs.items():
            add(tar, f"blobs/sha256/{digest}", data)

    return tar_of(fill)
