"""Helpers of the tests of image and chart."""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/node"))

CHART = ROOT / "deployments/helm/nvidia-dra-driver-gpu"
NAMESPACE = "nvidia-dra-driver-gpu"
IMAGE, TAG = "registry.example.com/gpu/allot", "test"
CUDA = "docker.io/nvidia/cuda:12.0.0-base-ubuntu22.04"


def build_image(output, image=IMAGE, tag=TAG):
    """Builds the image as the guide does, but without a container tool."""
    subprocess.run(["make", "-C", ROOT / "deployments/container", "build", f"IMAGE_NAME={image}", f"IMAGE_TAG={tag}", "BUILDER=none",
                    f"OCI_OUTPUT={output}"], check=True)


def rootfs_folder():
    """Returns the folder of the image's files, for this machine's architecture."""
    return ROOT / "build/image" / {"x86_64": "amd64", "aarch64": "arm64"}[os.uname().machine] / "rootfs"


def helm(*argv):
    """Runs helm. Returns its exit code and its output."""
    done = subprocess.run(["helm", *map(str, argv)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


def install(*more, verb="install", image=IMAGE, tag=TAG):
    """Runs the guide's command."""
    create = ["--create-namespace"] if verb == "install" else []
    return helm(verb, "nvidia-dra-driver-gpu", CHART, "--namespace", NAMESPACE, *create, "--set", f"image.repository={image}",
                "--set", f"image.tag={tag}", "--set", "resources.gpus.enabled=true", *more)
