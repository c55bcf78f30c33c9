"""`symoro gui` as a command: where it serves, that it answers when it says so, and that nothing is left of it."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from symoro.errors import ArgumentError
from symoro.ui.web import gui
from symoro.ui.web.guard import connected_host
from symoro.ui.web.gui import USUAL_PORTS, hosts_of, listening_at, reached_at

COMMAND = [
    sys.executable,
    "-c",
    "from symoro.ui.cli import main; raise SystemExit(main())",
    "gui",
    "--no-browser",
]


@contextmanager
def server(*more: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A running server, in a session of its own, and its address."""
    started = subprocess.Popen(
        [*COMMAND, *more],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert started.stdout is not None
        match = re.search(r"http\S+", started.stdout.readline())
        assert match is not None
        yield started, match[0]
    finally:
        if started.poll() is None:
            os.killpg(started.pid, signal.SIGKILL)
        started.wait()


def ask(address: str, path: str, body: object) -> object:
    data = json.dumps(body).encode()
    request = urllib.request.Request(address + path, data, {"content-type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.loads(answer.read())


def of_session(session: int) -> list[int]:
    """Processes of a session that have not ended."""
    results = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[3]) == session and fields[0] != "Z":
                results.append(int(entry.name))
    return results


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize("end", ["interrupt", "terminate", "kill"])
def test_nothing_is_left(end: str) -> None:
    """Also in the middle of a job, and when the server itself had no time to tidy up."""
    with server() as (started, address):
        robot = ask(address, "api/robot_open", {"id": "humanoid_torso"})
        assert isinstance(robot, dict)
        payload = {"robot": robot["robot"], "model": "lagrange"}
        ask(address, "api/jobs", {"call": "model", "payload": payload})
        assert len(of_session(started.pid)) > 3
        if end == "interrupt":
            os.killpg(started.pid, signal.SIGINT)  # as a terminal does
        else:
            started.send_signal(signal.SIGTERM if end == "terminate" else signal.SIGKILL)
        started.wait()
        for _ in range(600):
            if not of_session(started.pid):
                return
            time.sleep(0.1)
        raise AssertionError(f"left: {of_session(started.pid)}")


@pytest.mark.skipif(sys.platform == "win32", reason="interrupts the server by a signal")
def test_an_interrupt_during_a_watched_job_is_silent() -> None:
    with server() as (started, address):
        robot = ask(address, "api/robot_open", {"id": "humanoid_torso"})
        assert isinstance(robot, dict)
        payload = {"robot": robot["robot"], "model": "lagrange"}
        job = ask(address, "api/jobs", {"call": "model", "payload": payload})
        assert isinstance(job, dict)
        with urllib.request.urlopen(f"{address}api/jobs/{job['id']}/events") as stream:
            assert stream.readline().startswith(b"data:")
            started.send_signal(signal.SIGINT)
            assert b'"state"' in stream.read()  # the stream ends, and is not cut
        assert started.stderr is not None and started.stderr.read() == ""


def test_several_servers_at_once() -> None:
    with server() as (_, one), server() as (_, other):
        assert one != other
        for address in (one, other):
            assert isinstance(ask(address, "api/about", {}), dict)  # it answers as soon as it says where


def test_a_server_for_others_has_a_token() -> None:
    with server("--host", "0.0.0.0") as (_, address):
        plain = address.partition("?")[0]
        with pytest.raises(urllib.error.HTTPError) as refused:
            ask(plain, "api/about", {})
        assert refused.value.code == 401 and "?token=" in address


def status(address: str, **headers: str) -> int:
    """Return the status of a call without a proxy; the request goes to the address, whatever its Host header is."""
    where = urlsplit(address)
    assert where.hostname is not None
    connection = http.client.HTTPConnection(where.hostname, where.port)
    connection.request("POST", "/api/about", "{}", {"content-type": "application/json", **headers})
    result = connection.getresponse().status
    connection.close()
    return result


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_a_server_for_others_answers_at_every_address_of_the_machine(host: str) -> None:
    if host == "::" and not socket.has_dualstack_ipv6():
        pytest.skip("no IPv6 here")
    outside = reached_at(host)[1:]
    with server("--host", host) as (started, first):
        assert started.stdout is not None
        addresses = [first, *(re.findall(r"http\S+", started.stdout.readline())[0] for _ in outside)]
        assert [urlsplit(one).hostname for one in addresses] == ["127.0.0.1", *outside]
        token = {"authorization": f"Bearer {first.partition('token=')[2]}"}
        port = urlsplit(first).port
        for address in addresses:
            own = urlsplit(address).netloc
            assert status(address, **token) == 200
            assert status(address, **token, host=own, origin=f"http://{own}") == 200
            assert status(address, **token, host=f"{socket.gethostname()}:{port}") == 200
            assert status(address) == 401
            for name in (
                "elsewhere.org",
                f"elsewhere.org:{port}",
                f"198.51.100.7:{port}",
                f"[2001:db8::7]:{port}",
            ):
                assert status(address, **token, host=name) == 421
                assert status(address, **token, origin=f"http://{name}") == 403


def test_addresses_that_other_machines_can_use(monkeypatch: pytest.MonkeyPatch) -> None:
    own = ["192.0.2.7", "fd00::7", "fe80::7", "127.0.1.1", "::1"]
    monkeypatch.setattr(gui, "own_addresses", lambda: own)
    monkeypatch.setattr(socket, "has_dualstack_ipv6", lambda: True)
    assert reached_at("0.0.0.0") == ["127.0.0.1", "192.0.2.7"]
    assert reached_at("::") == ["127.0.0.1", "192.0.2.7", "fd00::7"]
    monkeypatch.setattr(socket, "has_dualstack_ipv6", lambda: False)
    assert reached_at("::") == ["::1", "fd00::7"]
    assert reached_at("192.0.2.7") == ["192.0.2.7"]


@pytest.mark.parametrize(
    ("server", "hosts"),
    [
        (("192.0.2.7", 8714), {"192.0.2.7:8714"}),
        (("::ffff:192.0.2.7", 8714), {"192.0.2.7:8714"}),
        (("fe80::7%eth0", 8714), {"[fe80::7]:8714"}),
        (("192.0.2.7", 80), {"192.0.2.7:80", "192.0.2.7"}),
        (("bench.example.org", 8714), set()),
        (("/tmp/socket", None), set()),
        (None, set()),
    ],
)
def test_the_host_that_a_connection_was_made_to(server: tuple[str, int] | None, hosts: set[str]) -> None:
    assert connected_host(server) == hosts


def test_a_port_that_is_taken() -> None:
    taken = socket.create_server(("127.0.0.1", 0))
    with taken:
        port = str(taken.getsockname()[1])
        refused = subprocess.run([*COMMAND, "--port", port], capture_output=True, text=True, check=False)
        assert refused.returncode == 2 and f"cannot serve at 127.0.0.1:{port}" in refused.stderr
        assert "choose another port" in refused.stderr


def test_ports_are_the_usual_ones_while_there_are_any() -> None:
    """The browser keeps a user's work by the page's address."""
    held = []
    try:
        for _ in range(3):
            held.append(listening_at("127.0.0.1", 0))
        ports = [one.getsockname()[1] for one in held]
        assert len(set(ports)) == 3
        assert all(port in USUAL_PORTS for port in ports) or len(USUAL_PORTS) < 3
    finally:
        for one in held:
            one.close()
    for host, port in (("127.0.0.1", 70_000), ("203.0.113.7", 0), ("nowhere.invalid", 0)):
        with pytest.raises(ArgumentError):
            listening_at(host, port)


def test_names_of_the_server() -> None:
    names = hosts_of("127.0.0.1", 8714, ["Bench.example.org", "other:443"])
    assert {"127.0.0.1:8714", "localhost:8714", "[::1]:8714", "bench.example.org", "other:443"} <= names
    assert "bench.example.org:8714" in names and "127.0.0.1" not in names
    assert "[fe80::1]:8714" in hosts_of("fe80::1", 8714, [])
    assert f"{socket.gethostname()}:8714".lower() in hosts_of("0.0.0.0", 8714, [])
    assert f"{socket.gethostname()}:8714".lower() not in names
    assert {"127.0.0.1", "localhost", "[::1]"} <= hosts_of("127.0.0.1", 80, [])
