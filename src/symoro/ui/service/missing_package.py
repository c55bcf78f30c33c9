"""The answer where a package is missing: its name comes first, for a page that can load it and ask again.

{"missing": "numpy", "error": {"kind": "MissingDependencyError", ...}}
"""

from __future__ import annotations

from typing import Any

from symoro.errors import MissingDependencyError
from symoro.ui import failure

LOADED_LATE = {"numpy": "NumPy", "scipy": "SciPy", "sympy": "SymPy"}
"""Packages that some calls need, and that a page without a server may lack."""


def answer(error: ModuleNotFoundError | MissingDependencyError) -> dict[str, Any]:
    """An error that tells which package is missing; any other module that is missing is a bug, and is raised."""
    cause = error if isinstance(error, ModuleNotFoundError) else error.__context__
    package = getattr(cause, "name", None)
    package = package.partition(".")[0] if package else None
    if isinstance(error, ModuleNotFoundError):
        if package not in LOADED_LATE:
            raise error
        error = MissingDependencyError(
            f"this needs {LOADED_LATE[package]}, which is not here",
            hint="run symoro on your machine: pip install symoro",
        )
    return {**({"missing": package} if package else {}), "error": failure.as_data(error)}
