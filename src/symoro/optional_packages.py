"""Optional packages, imported when they are first used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from symoro.errors import MissingDependencyError

EXTRAS = {
    "pyarrow": "identify",
    "cvxpy": "identify",
    "clarabel": "identify",
    "dask": "cluster",
    "distributed": "cluster",
    "zarr": "sweep",
    "pymoo": "study",
    "rosbags": "rosbag",
}


def needed(module: str, purpose: str, extra: str | None = None) -> Any:
    """Import and return a module of an optional package.

    Args:
        module: name of the module.
        purpose: what requires the package, for the error.
        extra: extra of symoro with which the package is installed, if several extras contain it.

    Raises:
        MissingDependencyError: the package is not installed.
    """
    try:
        return import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise MissingDependencyError(
            f"{purpose} requires the package {package}, which is not installed",
            hint=f"pip install 'symoro[{extra or EXTRAS[package]}]'",
        ) from None
