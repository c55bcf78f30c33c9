"""Optional packages of identification, imported when they are first used."""

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
    "rosbags": "rosbag",
}


def needed(module: str, purpose: str) -> Any:
    """Import and return a module of an optional package.

    Args:
        module: name of the module.
        purpose: what requires the package, for the error.

    Raises:
        MissingDependencyError: the package is not installed.
    """
    try:
        return import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        extra = EXTRAS[package]
        raise MissingDependencyError(
            f"{purpose} needs {package}, which is not installed", hint=f"pip install 'symoro[{extra}]'"
        ) from None
