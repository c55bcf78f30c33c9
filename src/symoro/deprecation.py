"""Support deprecated keywords and names: they are accepted for one release, with a DeprecationWarning."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from functools import wraps
from importlib import import_module
from typing import Any, ParamSpec, TypeVar

from symoro.errors import OptionError

FORMER_WARNINGS_KEY = "doubts"  # of JSON output, beside "warnings", for one release

P = ParamSpec("P")
T = TypeVar("T")


def takes_options(option_type: type) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Return a decorator for functions with a keyword `options`, whose value is an instance of a dataclass.

    The decorated function also accepts each field of the dataclass as a separate keyword (the former interface) and
    then issues a DeprecationWarning.

    Args:
        option_type: the dataclass.
    """
    names = {field.name for field in fields(option_type)}

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        moved = names - inspect.signature(function).parameters.keys()

        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> T:
            options = kwargs.get("options")
            if options is not None and not isinstance(options, option_type):
                raise OptionError(
                    f"options: expected {option_type.__name__}, got {type(options).__name__}",
                    hint=f"options=symoro.{option_type.__name__}(...)",
                )
            former = {name: kwargs.pop(name) for name in list(kwargs) if name in moved}
            if former:
                given = ", ".join(f"{name}=..." for name in former)
                warn(
                    f"{function.__name__}({given}) is deprecated: "
                    f"use options=symoro.{option_type.__name__}({given})"
                )
                kwargs["options"] = replace(options or option_type(), **former)  # type: ignore[type-var]
            return function(*args, **kwargs)

        return call

    return decorate


def renamed(**former: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Return a decorator with which a function accepts former names of its keywords.

    Args:
        former: current name by former name, for example `renamed(old="new")`.
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> T:
            return function(*args, **current_names(kwargs, former))

        return call

    return decorate


def current_names(given: Mapping[str, Any], former: Mapping[str, str]) -> dict[str, Any]:
    """Return keyword arguments under their current names; issue a DeprecationWarning for each former name.

    Args:
        given: keyword arguments by name.
        former: current names by former name.
    """
    for name in given.keys() & former.keys():
        warn(f"{name}= is deprecated: use {former[name]}=", stacklevel=4)
    return {former.get(name, name): value for name, value in given.items()}


def moved_name(old: str, new: str) -> Any:
    """Return the object with the name `new`, and warn that its name `old` is deprecated.

    Args:
        old: former name.
        new: current name as 'module.name'.
    """
    warn(f"{old} is deprecated: use {new}", stacklevel=4)
    module, _, name = new.rpartition(".")
    return getattr(import_module(module), name)


def warn(message: str, stacklevel: int = 3) -> None:
    """Issue a DeprecationWarning at the line of the caller."""
    warnings.warn(message, DeprecationWarning, stacklevel=stacklevel)


class FormerWarningsName:
    """Base class of results with the attribute `warnings`, which accepts the former name of this attribute as well."""

    @property
    def doubts(self) -> Any:
        """Former name of the attribute `warnings`."""
        warn(f"'{FORMER_WARNINGS_KEY}' is now called 'warnings'")
        return self.__getattribute__("warnings")
