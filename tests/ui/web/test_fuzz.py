"""The service from its own description, by schemathesis: no server error, no hang, and answers as described."""

from __future__ import annotations

import asyncio
import copy
import math
import threading
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import uvicorn
from pydantic import TypeAdapter

from symoro.ui.failure import INTERNAL
from symoro.ui.service import call
from symoro.ui.service.answer_types import LONG, JobData
from symoro.ui.web.guard import Rules
from symoro.ui.web.gui import listening_at
from symoro.ui.web.server import application
from symoro.ui.web.workers import Limits

schemathesis = pytest.importorskip("schemathesis")
from hypothesis import HealthCheck, given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
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
LOOK = 0.05  # seconds between two looks at a job
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
    response = case.call_and_validate(base_url=address, checks=CHECKS, timeout=SECONDS)
    if case.operation.label == "POST /api/jobs" and response.status_code == 200:
        followed(address, response.json()["id"])


def followed(address: str, id: str) -> JobData:
    """A job to its end: it has one, which is as described and no mistake of the server's."""
    for _ in range(int(SECONDS / LOOK)):
        response = httpx.get(f"{address}/api/jobs/{id}", timeout=SECONDS)
        assert response.status_code == 200, response.text[:500]
        job = TypeAdapter(JobData).validate_python(response.json())
        if job.state in ("done", "failed"):
            error = (response.json()["result"] or {}).get("error")
            assert (error is None) == (job.state == "done")
            assert error is None or error["kind"] != INTERNAL, error
            return job
        time.sleep(LOOK)
    raise AssertionError("the job has no end")


common: dict[str, Any] = {"deadline": None, "suppress_health_check": list(HealthCheck), "derandomize": True}


# Half a minute is needed to draw one request from the union of all payloads of a job; test_some_long_calls posts jobs.
@schema.exclude(path="/api/jobs", method="POST").parametrize()
@settings(max_examples=1, **common)
def test_some_requests(case: Any, address: str) -> None:
    ask(case, address)


@pytest.mark.slow
@schema.parametrize()
@settings(max_examples=300, **{**common, "derandomize": False})
def test_many_requests(case: Any, address: str) -> None:
    ask(case, address)


TRAJECTORY = """symoro-trajectory: 1
start: [0.1, 0.2]
parts:
  - {joints: [1, 0.5], duration: 1}
  - {hold: 0.5}
  - {via: [[0.5, 0.4], [0, 0]], times: [0.5, 1]}
"""
LOG = "t,q1,q2,tau1,tau2\n" + "\n".join(
    ",".join(f"{x:.6f}" for x in (t, math.sin(9 * t), math.cos(7 * t), math.sin(5 * t), math.cos(11 * t)))
    for t in (k / 100 for k in range(200))
)
DESCRIBED = (
    "symoro-log: 1\ntime: {column: t}\nposition: {columns: [q1, q2]}\ntorque: {columns: [tau1, tau2]}\n"
)
POSE = [[1.0, 0.0, 0.0, 1.2], [0.0, 1.0, 0.0, 0.5], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
MODEL = {"model": "inverse-dynamics", "options": {"effort": "quick"}}
SOUND: dict[str, dict[str, Any]] = {
    "model": MODEL,
    "explain": MODEL,
    "code": {**MODEL, "language": "c"},
    "export": {**MODEL, "languages": ["c"]},
    "evaluate": {"model": "jacobian", "inputs": {"q": [0.1, 0.2]}, "values": {"D2": 1.0}},
    "variables": {"model": "jacobian", "inputs": {"q": [0.1, 0.2]}, "values": {"D2": 1.0}},
    "base": {"options": {"method": "numeric"}},
    "singularities": {},
    "frames": {"loops": True},
    "solve": {"pose": POSE, "q0": [0.1, 0.2], "values": {}},
    "trajectory": {"text": TRAJECTORY, "step": 0.05, "values": {"G2": 9.81}},
    "excitation": {"harmonics": 2, "frequency": 0.2, "starts": 1},
    "simulate": {
        "duration": 0.2,
        "q": [0.1, 0.2],
        "qd": [0, 1],
        "tau": [0, 1],
        "method": "RK45",
        "stops": 0.5,
    },
    "identify": {
        "files": {"log.csv": LOG},
        "description": DESCRIBED,
        "decimation": 2,
        "cutoff": 20,
        "slow": 0.1,
    },
}
NUMBERS = (None, True, 0, -1, 1, 3, 10**9, 10**40, 1e-300, 1e308, 0.5)
TEXTS = (
    "",
    "nan",
    "1/0",
    "q1",
    "rk4",
    "didim",
    "power",
    "x" * 300,
    "a: [",
    "symoro-log: 1",
    "t,q1\n0,1",
    "\x00",
)
HOLDERS: tuple[Any, ...] = ([], {}, [1], [1, 2, 3], [None], ["x"], {"x": 1})
ODD = st.sampled_from([*NUMBERS, *TEXTS, *HOLDERS])


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [*([at] if at else []), *(path for key, held in inner for path in places(held, (*at, key)))]


@st.composite
def requests(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """A long call that is sound but for a few of its values, or pieces of its texts."""
    name = draw(st.sampled_from(LONG))
    payload = copy.deepcopy({**SOUND[name], "robot": ROBOT})
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.sampled_from(places(payload)))
        held: Any = payload
        for key in at[:-1]:
            held = held[key]
        text = held[at[-1]]
        if isinstance(text, str) and len(text) > 20 and draw(st.booleans()):
            k = draw(st.integers(0, len(text)))
            held[at[-1]] = (
                text[:k] + draw(st.sampled_from(["", "x", "-", "1e999", "\n", "]", ",,"])) + text[k + 1 :]
            )
        else:
            held[at[-1]] = draw(ODD)
    return name, payload


def sent(request: tuple[str, dict[str, Any]], address: str) -> None:
    name, payload = request
    response = httpx.post(f"{address}/api/jobs", json={"call": name, "payload": payload}, timeout=SECONDS)
    assert response.status_code in (200, 413, 422, 429), response.text[:500]
    if response.status_code == 200:
        followed(address, response.json()["id"])


@given(request_=requests())
@settings(max_examples=1, **common)
def test_some_long_calls(address: str, request_: tuple[str, dict[str, Any]]) -> None:
    sent(request_, address)


@pytest.mark.slow
@given(request_=requests())
@settings(max_examples=1500, **{**common, "derandomize": False})
def test_many_long_calls(address: str, request_: tuple[str, dict[str, Any]]) -> None:
    sent(request_, address)


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG)
def test_a_sound_long_call_is_answered(name: str, address: str) -> None:
    response = httpx.post(
        f"{address}/api/jobs",
        json={"call": name, "payload": {"robot": ROBOT, **SOUND[name]}},
        timeout=SECONDS,
    )
    assert response.status_code == 200, response.text
    job = followed(address, response.json()["id"])
    assert job.state == "done" or "StoppedError" in str(job.result), job.result
