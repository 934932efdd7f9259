"""Which build the tests test."""

import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]


def folder():
    """The folder of the programs under test: ALLOT_BUILD, which ctest sets; else build/dev, or build/release if only that is built."""
    named = os.environ.get("ALLOT_BUILD")
    if named:
        return ROOT / named
    dev, release = ROOT / "build/dev", ROOT / "build/release"
    return release if (release / "allot").exists() and not (dev / "allot").exists() else dev


def program():
    """The program allot: ALLOT, else that of the build."""
    return pathlib.Path(os.environ.get("ALLOT") or folder() / "allot")
