"""The service from its own description, by schemathesis: no server error, no hang, and answers as described."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import uvicorn

from symoro.ui.bench import call
from symoro.ui.web.guard import Rules
from symoro.ui.web.gui import listening_at
from symoro.ui.web.server import application
from symoro.ui.web.workers import Limits

schemathesis = pytest.importorskip("schemathesis")
from hypothesis import HealthCheck, settings  # noqa: E402
from schemathesis.checks import not_a_server_error  # noqa: E402
from schemathesis.specs.openapi import checks  # noqa: E402

DOCUMENT = application(Rules(frozenset())).openapi()
CHECKS = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
]
SECONDS = 120.0  # in which even a busy machine answers: the limits of calls are far below
ROBOT = call("robot_open", {"id": "planar2r"})["robot"]
schema = schemathesis.openapi.from_dict(DOCUMENT)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A server of its own."""
    listener = listening_at("127.0.0.1", 0)
    host = f"127.0.0.1:{listener.getsockname()[1]}"
    short = Limits(seconds=5)
    app = application(Rules(frozenset({host})), jobs=2, quick=short, long=Limits(seconds=5, nice=5))
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=lambda: asyncio.run(server.serve([listener])), daemon=True)
    thread.start()
    yield f"http://{host}"
    server.should_exit = True
    thread.join(60)
    assert not thread.is_alive()


def with_robot(body: Any) -> Any:
    """Half of the requests come with a robot that is one: what follows is worth a try too."""
    held = body.get("payload", body) if isinstance(body, dict) else None
    if (
        isinstance(held, dict)
        and "robot" in held
        and isinstance(held["robot"], dict)
        and len(held["robot"]) % 2 == 0
    ):
        held["robot"] = ROBOT
    return body


def ask(case: Any, address: str) -> None:
    case.body = with_robot(case.body)
    case.call_and_validate(base_url=address, checks=CHECKS, timeout=SECONDS)


common: dict[str, Any] = {"deadline": None, "suppress_health_check": list(HealthCheck), "derandomize": True}


@schema.parametrize()
@settings(max_examples=8, **common)
def test_some_requests(case: Any, address: str) -> None:
    ask(case, address)


@pytest.mark.slow
@schema.parametrize()
@settings(max_examples=300, **{**common, "derandomize": False})
def test_many_requests(case: Any, address: str) -> None:
    ask(case, address)
