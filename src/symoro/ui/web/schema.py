"""Provide the types of the service to FastAPI: pydantic validates requests and describes answers from dataclasses."""

from __future__ import annotations

from dataclasses import is_dataclass, make_dataclass
from typing import Annotated, Any, Literal, Union

from pydantic import Field

from symoro.ui.service.answer_types import LONG, SERVICE
from symoro.ui.service.requests import Request


def _start(name: str) -> type:
    """Return the type of the HTTP request that starts the long call `name` as a job."""
    call: Any = Literal[name]
    entries = [("call", call), ("payload", SERVICE[name].request)]
    return make_dataclass(f"Start_{name}", entries, bases=(Request,), frozen=True, kw_only=True)


Start: Any = Annotated[Union[tuple(_start(name) for name in LONG)], Field(discriminator="call")]  # noqa: UP007


def payload_of(request: Any) -> Any:
    """Convert a validated request to JSON values; defaults are included, fields with the value None are omitted."""
    if is_dataclass(request):
        return {key: payload_of(value) for key, value in vars(request).items() if value is not None}
    return [payload_of(item) for item in request] if isinstance(request, list) else request
