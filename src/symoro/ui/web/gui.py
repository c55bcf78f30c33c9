"""`symoro gui`: start the server, print where it is, open the browser."""

from __future__ import annotations

import asyncio
import secrets
import socket
import sys
import threading
import webbrowser
from contextlib import closing

from symoro.errors import ArgumentError
from symoro.ui.web.guard import Rules

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def gui(host: str, port: int, *, browser: bool, names: list[str], token: str | None) -> None:
    """Serve until interrupted.

    Arguments:
        port: 0 takes one that is free.
        names: further names that the server is known by, as host:port or host.
        token: a secret of one's own; a server that others can reach always has one.

    Raises:
        ArgumentError: the address is taken, or is not of this machine.
    """
    import uvicorn

    from symoro.ui.web.server import STATIC, application

    listener = _listener(host, port)
    port = listener.getsockname()[1]
    secret = token or ("" if host in LOOPBACK else secrets.token_urlsafe(16))
    hosts = {f"{name}:{port}" for name in (host, *LOOPBACK[:2])} | {f"[::1]:{port}"}
    hosts |= {name if ":" in name else f"{name}:{port}" for name in names} | set(names)
    app = application(Rules(frozenset(hosts), secret))
    shown = "127.0.0.1" if host in ("0.0.0.0", "::") else host
    address = f"http://{shown}:{port}/" + (f"?token={secret}" if secret else "")
    print(f"symoro gui: {address}   (Ctrl-C ends it)", flush=True)
    if not (STATIC / "index.html").is_file():
        print(
            "the page is not built: run `make gui` in the clone, or install symoro from its wheel",
            file=sys.stderr,
        )
    elif browser:
        threading.Timer(0.2, webbrowser.open, (address,)).start()
    config = uvicorn.Config(app, log_level="warning", server_header=False, timeout_graceful_shutdown=1)
    with closing(listener):
        asyncio.run(uvicorn.Server(config).serve([listener]))


def _listener(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
    except (OSError, OverflowError) as error:
        made.close()
        raise ArgumentError(
            f"cannot serve at {host}:{port}: {error}", hint="choose another port or host"
        ) from None
    return made
