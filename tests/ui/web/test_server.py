"""Check the server: calls and jobs over HTTP, access rules, and cancellation of jobs."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from pydantic import TypeAdapter
from starlette.websockets import WebSocketDisconnect

from symoro.ui.service import CALLS, call
from symoro.ui.service.answer_types import LONG, SERVICE, Failure, JobData
from symoro.ui.web import jobs, page
from symoro.ui.web.guard import Rules
from symoro.ui.web.server import application
from symoro.ui.web.workers import Limits

HOST = "127.0.0.1:8000"
RULES = Rules(frozenset({HOST}), largest=200_000)
LONG_WORK = {
    "robot": call("robot_open", {"id": "gough_stewart"})["robot"],
    "model": "direct-dynamics-derivatives",
}  # several seconds


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(application(RULES, jobs=2), base_url=f"http://{HOST}") as made:
        yield made


def checked(kind: type, data: Any) -> Any:
    """The message that JSON holds, of the types that its class says and no others."""
    return TypeAdapter(kind).validate_json(json.dumps(data), strict=True)


def until_over(client: TestClient, id: str) -> dict[str, Any]:
    for _ in range(6000):
        job: dict[str, Any] = client.get(f"/api/jobs/{id}").json()
        if job["state"] not in ("queued", "running"):
            return job
        time.sleep(0.01)
    raise AssertionError("the job does not end")


def test_every_call_has_its_payload_and_its_address(client: TestClient) -> None:
    assert set(SERVICE) == set(CALLS) and set(LONG) < set(CALLS)
    paths = client.get("/openapi.json").json()["paths"]
    assert {f"/api/{name}" for name in CALLS if name not in LONG} < set(paths)


def deep(levels: int) -> str:
    return "[" * levels + "]" * levels


@pytest.mark.parametrize(
    "body",
    [
        "",
        "{",
        "null",
        "\x00",
        '{"robot": NaN}',
        deep(100_000),
        f'{{"robot": {{"frames": {deep(5000)}}}}}',
        f'{{"robot": {{"frames": {deep(500)}}}}}',
        '{"robot": {"symoro": 1, "name": "x", "frames": [' + ",".join(["{}"] * 400) + "]}}",
        '{"robot": {"symoro": 1, "name": "\\ud800", "frames": [{}]}}',
        '{"robot": {"symoro": 1, "name": "x", "frames": [{"d": 1e999}]}}',
    ],
    ids=lambda body: body[:30],
)
def test_any_request_gets_an_answer(client: TestClient, body: str) -> None:
    answer = client.post("/api/robot_view", content=body, headers={"content-type": "application/json"})
    assert answer.status_code in (400, 422)
    assert checked(Failure, answer.json()).error.message


def test_answers_are_as_described(client: TestClient) -> None:
    """The document of the service is what the page's types are made from."""
    for name in ("rx90", "delta", "tricycle", "flexible2r", "rx90_floating_elastic"):
        view = client.post("/api/robot_open", json={"id": name}).json()
        checked(SERVICE["robot_open"].answer, view)
        absent = set() if name == "flexible2r" else {"modes"}
        assert set(view) == {f.name for f in fields(SERVICE["robot_open"].answer)} - absent
        catalogue = client.post("/api/catalogue", json={"robot": view["robot"]}).json()
        checked(SERVICE["catalogue"].answer, catalogue)
    for name in ("about", "robots"):
        checked(SERVICE[name].answer, client.post(f"/api/{name}", json={}).json())


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("model", {"model": "inverse-geometry"}),
        ("model", {"model": "dynamic-identification"}),
        ("explain", {"model": "inverse-dynamics"}),
        ("code", {"model": "jacobian", "language": "c"}),
        ("export", {"model": "jacobian", "languages": ["python"]}),
        ("evaluate", {"model": "jacobian", "inputs": {"q": [0.1, 0.2]}}),
        ("base", {}),
        ("singularities", {}),
        ("frames", {}),
        ("solve", {"pose": [[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]}),
    ],
)
def test_results_are_as_described(name: str, more: dict[str, Any]) -> None:
    payload = {"robot": call("robot_open", {"id": "planar2r"})["robot"], **more}
    checked(SERVICE[name].request, payload)
    result = json.loads(json.dumps(call(name, payload)))
    made = checked(SERVICE[name].answer, result)
    assert set(result) <= {f.name for f in fields(made)}
    job = {"id": "x", "call": name, "state": "done", "progress": None, "result": result}
    assert type(checked(JobData, job).result) is SERVICE[name].answer


def test_the_types_of_the_page_are_up_to_date() -> None:
    root = Path(__file__).parents[3]
    run = subprocess.run([sys.executable, root / "tools" / "page_types.py", "--check"], check=False)
    assert run.returncode == 0


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
        ("/api/jobs", []),
        ("/api/about", [[[[]]]]),
        ("/api/robot_edit", {"robot": {}, "edits": [{"part": 3}]}),
    ],
)
def test_errors_are_returned(client: TestClient, path: str, body: Any) -> None:
    answer = client.post(path, json=body)
    assert answer.status_code == 422
    assert checked(Failure, answer.json()).error.message


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
        lines = [line for line in events.iter_lines() if line]
    assert json.loads(lines[-1].removeprefix("data: "))["state"] == "done"


def test_a_job_is_cancelled_and_others_go_on(client: TestClient) -> None:
    jobs = [client.post("/api/jobs", json={"call": "model", "payload": LONG_WORK}).json() for _ in range(4)]
    assert client.post("/api/about", json={}).status_code == 200  # while all workers are busy
    for job in jobs:
        assert client.delete(f"/api/jobs/{job['id']}").json()["state"] == "cancelled"
    robot = call("robot_open", {"id": "planar2r"})["robot"]
    after = client.post("/api/jobs", json={"call": "base", "payload": {"robot": robot}}).json()
    assert until_over(client, after["id"])["state"] == "done"
    assert client.get("/api/jobs/none").status_code == 404


def test_a_simulation_is_watched_and_stopped(client: TestClient) -> None:
    """Each partial result is sent once, in order, and a cancelled job sends nothing more."""
    robot = call("robot_open", {"id": "fourbar"})["robot"]
    payload = {"robot": robot, "q": [0.1, 0.2, 0.3], "duration": 1000.0, "step": 0.01, "method": "RK23"}
    id = client.post("/api/jobs", json={"call": "simulate", "payload": payload}).json()["id"]
    seen = 0
    with client.stream("GET", f"/api/jobs/{id}/events") as stream:
        for line in stream.iter_lines():
            if not line.startswith("data:"):
                continue
            job = checked(JobData, json.loads(line[5:]))
            assert job.state in ("queued", "running"), job.result
            if job.pieces:
                assert job.before == seen
                seen += len(job.pieces)
                assert all(len(piece.times) == len(piece.q) == len(piece.tau) for piece in job.pieces)
            if seen >= 3:
                break
    assert client.delete(f"/api/jobs/{id}").json()["state"] == "cancelled"
    assert "pieces" not in client.get(f"/api/jobs/{id}").json()


def test_work_that_takes_too_long_or_too_much_is_stopped() -> None:
    short = Limits(seconds=0.2)
    with TestClient(application(RULES, jobs=1, long=short), base_url=f"http://{HOST}") as client:
        job = client.post("/api/jobs", json={"call": "model", "payload": LONG_WORK}).json()
        over = until_over(client, job["id"])
        assert over["state"] == "failed" and "exceeded 0.2 s" in over["result"]["error"]["message"]
        assert client.post("/api/about", json={}).status_code == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "elsewhere.org"}, 421),
        ({"host": "127.0.0.1:9999"}, 421),
        ({"host": ""}, 421),
        ({"host": "127.0.0.1:8000.elsewhere.org"}, 421),
        ({"origin": "http://elsewhere.org"}, 403),
        ({"origin": "http://127.0.0.1:9999"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": f"file://{HOST}"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"origin": f"http://{HOST}", "sec-fetch-site": "same-origin"}, 200),
    ],
)
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/api/about"),
        ("GET", "/"),
        ("HEAD", "/"),
        ("OPTIONS", "/api/about"),
        ("GET", "/openapi.json"),
        ("GET", "/api/jobs/none/events"),
        ("DELETE", "/api/jobs/none"),
        ("GET", "/assets/index.js"),
    ],
)
def test_strangers_get_nothing(
    client: TestClient, method: str, path: str, headers: dict[str, str], status: int
) -> None:
    answer = client.request(method, path, headers=headers, **({"json": {}} if method == "POST" else {}))
    refused = status != 200 and (path.startswith("/api") or "sec-fetch-site" not in headers)
    if refused:
        assert answer.status_code == status and "access-control-allow-origin" not in answer.headers
        assert method == "HEAD" or set(answer.json()) == {"error"}
    else:
        assert answer.status_code not in (403, 421)
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "default-src 'self'" in answer.headers["content-security-policy"]


def test_a_websocket_is_rejected(client: TestClient) -> None:
    with pytest.raises(WebSocketDisconnect), client.websocket_connect("/api/jobs"):
        pass


def test_a_large_request_is_rejected(client: TestClient) -> None:
    text = "x" * 300_000
    assert client.post("/api/robot_open", json={"text": text}).status_code == 413

    def pieces() -> Iterator[bytes]:  # without a length
        yield b'{"text": "'
        for _ in range(30):
            yield b"x" * 10_000
        yield b'"}'

    answer = client.post("/api/robot_open", content=pieces(), headers={"content-type": "application/json"})
    assert answer.status_code == 413 and "too large" in answer.json()["error"]["message"]


def test_a_token_is_required() -> None:
    rules = Rules(RULES.hosts, token="secret", cookie="symoro_8000")
    with TestClient(application(rules, jobs=1), base_url=f"http://{HOST}", follow_redirects=False) as client:
        for path in ("/", "/openapi.json", "/api/jobs/none", "/assets/x.js", "/?token=wrong", "/?token="):
            assert client.get(path).status_code == 401
        for given in ("Bearer wrong", "Bearer ", "secret ", "Bearer sécret"):
            headers = {"authorization": given.encode()}
            assert client.post("/api/about", json={}, headers=headers).status_code == 401
        for cookie in ("symoro_8000=wrong", "symoro_token=secret", "a b=c; \x01=", "symoro_8000"):
            assert client.post("/api/about", json={}, headers={"cookie": cookie}).status_code == 401
        bearer = {"authorization": "Bearer secret"}
        assert client.post("/api/about", json={}, headers=bearer).status_code == 200
        first = client.get(f"http://{HOST}//elsewhere.org/?a=b%20c&token=secret")
        assert first.status_code == 303 and first.headers["location"] == "/elsewhere.org/?a=b+c"
        assert "HttpOnly; SameSite=Strict" in first.headers["set-cookie"]
        assert client.post("/api/about", json={}).status_code == 200  # by the cookie


def test_answers_are_compressed_and_not_cached(client: TestClient) -> None:
    answer = client.post("/api/robot_open", json={"id": "rx90"}, headers={"accept-encoding": "gzip"})
    assert answer.headers["content-encoding"] == "gzip" and answer.headers["cache-control"] == "no-store"


def test_page_files_are_cached_by_their_hash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<html>" + "x" * 2000)
    (tmp_path / "assets" / "index-abc.js").write_text("let x;" * 1000)
    (tmp_path.parent / "outside.txt").write_text("secret")
    monkeypatch.setattr(page, "STATIC", tmp_path)
    with TestClient(application(RULES, jobs=1), base_url=f"http://{HOST}") as client:
        for path in ("/", "/index.html"):
            answer = client.get(path)
            assert (
                answer.headers["cache-control"] == "no-cache" and answer.headers["content-encoding"] == "gzip"
            )
        script = client.get("/assets/index-abc.js")
        assert "immutable" in script.headers["cache-control"] and script.headers["content-encoding"] == "gzip"
        for path in (
            "/../outside.txt",
            "/%2e%2e/outside.txt",
            "/assets/..%2f..%2foutside.txt",
            "/assets/none.js",
        ):
            answer = client.get(path)
            assert answer.status_code == 404 and "secret" not in answer.text


# -- jobs


def test_a_stream_sends_keep_alive_messages_without_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "ALIVE_SECONDS", 0.05)
    with TestClient(application(RULES, jobs=1), base_url=f"http://{HOST}") as client:
        job = client.post("/api/jobs", json={"call": "model", "payload": LONG_WORK}).json()
        lines = []
        with client.stream(
            "GET", f"/api/jobs/{job['id']}/events", headers={"accept-encoding": "gzip"}
        ) as events:
            assert "content-encoding" not in events.headers
            for line in events.iter_lines():
                lines.append(line)
                if ": still here" in lines and len(lines) > 10:
                    client.delete(f"/api/jobs/{job['id']}")
        assert json.loads([line for line in lines if line.startswith("data")][-1][6:])["state"] == "cancelled"


def test_results_and_lost_jobs_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, seconds in (("KEPT_SECONDS", 0.5), ("LOST_SECONDS", 0.2), ("SWEEP_SECONDS", 0.05)):
        monkeypatch.setattr(jobs, name, seconds)
    with TestClient(application(RULES, jobs=1), base_url=f"http://{HOST}") as client:
        job = client.post("/api/jobs", json={"call": "model", "payload": LONG_WORK}).json()
        for _ in range(1000):
            time.sleep(0.5)  # longer than it goes on with nobody to watch it
            state = client.get(f"/api/jobs/{job['id']}")
            if state.status_code == 404 or state.json()["state"] == "cancelled":
                break
        else:
            raise AssertionError("the job goes on")
        for _ in range(1000):
            if client.get(f"/api/jobs/{job['id']}").status_code == 404:
                return
            time.sleep(0.1)
        raise AssertionError("its result is kept")


def test_work_that_needs_too_much_memory_is_stopped() -> None:
    """And the next call finds another process."""
    robot = call("robot_open", {"id": "planar2r"})["robot"]
    large = {"q": [[0.5, 0.5]] * 1_500_000}
    small = Limits(seconds=600, memory=300 * 2**20)
    rules = Rules(RULES.hosts, largest=2**26)
    with TestClient(application(rules, jobs=1, long=small), base_url=f"http://{HOST}") as client:
        for inputs, state in ((large, "failed"), ({"q": [0.5, 0.5]}, "done")):
            payload = {"robot": robot, "model": "fast-geometry", "inputs": inputs}
            job = client.post("/api/jobs", json={"call": "evaluate", "payload": payload}).json()
            over = until_over(client, job["id"])
            assert over["state"] == state
            if state == "failed":
                assert over["result"]["error"]["kind"] == "StoppedError"


def test_a_short_job_does_not_wait_for_long_ones() -> None:
    """Ten users with long jobs on one worker: another one's model is made all the same."""
    with TestClient(application(RULES, jobs=1), base_url=f"http://{HOST}") as client:
        long = [
            client.post("/api/jobs", json={"call": "model", "payload": LONG_WORK}).json() for _ in range(10)
        ]
        robot = call("robot_open", {"id": "planar2r"})["robot"]
        payload = {"robot": robot, "model": "inverse-dynamics"}
        short = client.post("/api/jobs", json={"call": "model", "payload": payload}).json()
        assert until_over(client, short["id"])["state"] == "done"
        states = [client.get(f"/api/jobs/{job['id']}").json()["state"] for job in long]
        assert states.count("running") >= 8
        for job in long:
            assert client.delete(f"/api/jobs/{job['id']}").json()["state"] in ("cancelled", "done")
