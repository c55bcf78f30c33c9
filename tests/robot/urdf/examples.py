"""Robots of the PyPI package example-robot-data, if it is installed."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

BROKEN = {
    "falcon_description/falcon.urdf": "which does not exist",
    "ur_description/ur3.urdf": "has no links",
    "hector_description/quadrotor_base.urdf": "has no joints",
}


def example_robots() -> dict[str, Path]:
    """Return the URDFs of example-robot-data by a short name; empty if the package is not installed."""
    try:
        package = distribution("example-robot-data")
    except PackageNotFoundError:
        return {}
    files = [Path(str(package.locate_file(f))) for f in package.files or () if f.suffix == ".urdf"]
    return {f"{path.parts[-3]}/{path.name}": path for path in sorted(files)}


def whole_robots() -> list[str]:
    """Return the names of those that describe a robot."""
    return [name for name in example_robots() if name not in BROKEN]
