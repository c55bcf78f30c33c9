"""Answer calls that need a missing package; the answer names it, so that the page can load it and repeat the call.

{"missing": "numpy", "error": {"kind": "MissingDependencyError", ...}}
"""

from __future__ import annotations

from typing import Any

from symoro.errors import MissingDependencyError
from symoro.ui import failure

LOADED_LATE = {"numpy": "NumPy", "scipy": "SciPy", "sympy": "SymPy"}
"""Packages that some calls need and that a page without a server loads on demand."""


def answer(error: ModuleNotFoundError | MissingDependencyError) -> dict[str, Any]:
    """Return an error answer that names the missing package.

    A missing module that does not belong to an optional package is a bug and is raised again.
    """
    cause = error if isinstance(error, ModuleNotFoundError) else error.__context__
    package = getattr(cause, "name", None)
    package = package.partition(".")[0] if package else None
    if isinstance(error, ModuleNotFoundError):
        if package not in LOADED_LATE:
            raise error
        error = MissingDependencyError(
            f"this needs {LOADED_LATE[package]}, which is not installed",
            hint="run symoro on your machine: pip install symoro",
        )
    return {**({"missing": package} if package else {}), "error": failure.as_data(error, failure.on_the_page)}
