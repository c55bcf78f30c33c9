"""Emitted Python code as a module of the running interpreter, without a file."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.abc import InspectLoader
from importlib.util import module_from_spec, spec_from_loader
from typing import Any

from symoro.emit import emit
from symoro.errors import ArgumentError, NotApplicableError, ProgramError
from symoro.program.program import Program


class _Emitted(InspectLoader):
    """Loader of a module from its text, which tracebacks can show."""

    def __init__(self, text: str) -> None:
        self._text = text

    def get_source(self, fullname: str) -> str:
        return self._text


def emitted_module(program: Program, library: str) -> Any:
    """Return the module with `call` and, if the program has parameters, `setup` and `PARAMETERS`.

    Args:
        library: "jax" or "torch".

    Raises:
        NotApplicableError: the program calls a kernel that does not exist for the library.
    """
    try:
        ((_, text),) = emit(program, "python", library=library).items()
    except ProgramError as error:
        raise NotApplicableError(error.message, hint=error.hint) from None
    name = f"symoro_emitted_{library}"
    loader = _Emitted(text)
    spec = spec_from_loader(name, loader)
    if spec is None:
        raise AssertionError("a loader was given")
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


def parameter_list(program: Program, values: Mapping[str, Any]) -> list[Any]:
    """Return the values of the parameters in the order of the emitted code.

    Raises:
        ArgumentError: a parameter has no value.
    """
    missing = [name for name in program.used_parameters if name not in values]
    if missing:
        raise ArgumentError(
            f"{program.name} requires values for {len(missing)} parameter(s): {', '.join(missing[:20])}",
            hint="give them as values={...}, or bind them in the robot",
        )
    return [values[name] for name in program.used_parameters]
