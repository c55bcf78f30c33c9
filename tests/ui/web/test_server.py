"""The server: calls and jobs over HTTP, who is let in, and jobs that end when they are told to."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

from symoro.ui.bench import CALLS, call
from symoro.ui.web.guard import Rules
from symoro.ui.web.schema import LONG, PAYLOADS
from symoro.ui.web.server import application
from symoro.ui.web.workers import Limits

HOST = "127.0.0.1:8000"
RULES = Rules(frozenset({HOST}), largest=200_000)
LONG_WORK = {"robot": call("robot_open", {"id": "humanoid_torso"})["robot"], "model": "lagrange"}


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(application(RULES, jobs=2), base_url=f"http://{HOST}") as made:
        yield made


def until_over(client: TestClient, id: str) -> dict[str, Any]:
    for _ in range(6000):
        job: dict[str, Any] = client.get(f"/api/jobs/{id}").json()
        if job["state"] not in ("queued", "running"):
            return job
        time.sleep(0.01)
    raise AssertionError("the job does not end")


def test_every_call_has_its_payload_and_its_address(client: TestClient) -> None:
    assert set(PAYLOADS) == set(CALLS) and set(LONG) < set(CALLS)
    paths = client.get("/openapi.json").json()["paths"]
    assert {f"/api/{name}" for name in CALLS if name not in LONG} < set(paths)


def test_a_short_call(client: TestClient) -> None:
    answer = client.post("/api/robot_open", json={"id": "rx90"})
    assert answer.status_code == 200
    assert answer.json() == json.loads(json.dumps(call("robot_open", {"id": "rx90"})))


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/robot_open", {"id": 3}),
        ("/api/robot_open", {"id": "nobody"}),
        ("/api/robot_open", {"unknown": 1}),
        ("/api/robot_view", {"robot": {"frames": 3}}),
        ("/api/jobs", {"call": "about", "payload": {}}),
        ("/api/jobs", {"call": "model", "payload": {"model": 3}}),
        ("/api/jobs", {"call": "model"}),
    ],
)
def test_what_is_wrong_is_told(client: TestClient, path: str, body: Any) -> None:
    answer = client.post(path, json=body)
    assert answer.status_code == 422
    assert "error" in answer.json() or "detail" in answer.json()


def test_a_job_runs_to_its_end(client: TestClient) -> None:
    robot = call("robot_open", {"id": "planar2r"})["robot"]
    payload = {"robot": robot, "model": "inverse-dynamics"}
    job = client.post("/api/jobs", json={"call": "model", "payload": payload}).json()
    over = until_over(client, job["id"])
    assert over["state"] == "done"
    assert over["result"]["text"] == call("model", payload)["text"]
    wrong = client.post("/api/jobs", json={"call": "model", "payload": {**payload, "model": "none"}}).json()
    assert until_over(client, wrong["id"])["state"] == "failed"
    with client.stream("GET", f"/api/jobs/{job['id']}/events") as events:
        told = [line for line in events.iter_lines() if line]
    assert json.loads(told[-1].removeprefix("data: "))["state"] == "done"


def test_a_job_is_cancelled_and_others_go_on(client: TestClient) -> None:
    jobs = [client.post("/api/jobs", json={"call": "model", "payload": LONG_WORK}).json() for _ in range(4)]
    assert client.post("/api/about", json={}).status_code == 200  # while all workers are busy
    for job in jobs:
        assert client.delete(f"/api/jobs/{job['id']}").json()["state"] == "cancelled"
    robot = call("robot_open", {"id": "planar2r"})["robot"]
    after = client.post("/api/jobs", json={"call": "base", "payload": {"robot": robot}}).json()
    assert until_over(client, after["id"])["state"] == "done"
    assert client.get("/api/jobs/none").status_code == 404


def test_work_that_takes_too_long_or_too_much_is_stopped() -> None:
    short = Limits(seconds=0.2)
    with TestClient(application(RULES, jobs=1, long=short), base_url=f"http://{HOST}") as client:
        job = client.post("/api/jobs", json={"call": "model", "payload": LONG_WORK}).json()
        over = until_over(client, job["id"])
        assert over["state"] == "failed" and "longer than 0.2 s" in over["result"]["error"]["message"]
        assert client.post("/api/about", json={}).status_code == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "elsewhere.org"}, 421),
        ({"host": "127.0.0.1:9999"}, 421),
        ({"origin": "http://elsewhere.org"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": f"http://{HOST}"}, 200),
    ],
)
def test_strangers_get_nothing(client: TestClient, headers: dict[str, str], status: int) -> None:
    assert client.post("/api/about", json={}, headers=headers).status_code == status


def test_a_large_request_is_refused(client: TestClient) -> None:
    text = "x" * 300_000
    assert client.post("/api/robot_open", json={"text": text}).status_code == 413


def test_a_token_is_asked_for() -> None:
    rules = Rules(RULES.hosts, token="secret")
    with TestClient(application(rules, jobs=1), base_url=f"http://{HOST}") as client:
        assert client.post("/api/about", json={}).status_code == 401
        assert (
            client.post("/api/about", json={}, headers={"authorization": "Bearer wrong"}).status_code == 401
        )
        assert (
            client.post("/api/about", json={}, headers={"authorization": "Bearer secret"}).status_code == 200
        )
        assert client.get("/?token=secret").status_code in (200, 503)
        assert client.post("/api/about", json={}).status_code == 200  # by the cookie
