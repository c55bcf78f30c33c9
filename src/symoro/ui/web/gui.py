"""`symoro gui`: start the server, print where it is, open the browser when it answers."""

from __future__ import annotations

import asyncio
import secrets
import socket
import sys
import threading
import webbrowser
from contextlib import closing, suppress

from symoro.errors import ArgumentError
from symoro.ui.web.guard import Rules
from symoro.ui.web.workers import prepare

LOOPBACK = ("127.0.0.1", "localhost", "::1")
USUAL_PORTS = range(8714, 8734)
"""Tried first: the browser keeps a user's work by the address of the page, the port included."""


def gui(host: str, port: int, *, browser: bool, names: list[str], token: str | None) -> None:
    """Serve until interrupted.

    Arguments:
        port: 0 takes one of the usual ones, or any that is free.
        names: further names that the server is known by, as host:port or host.
        token: a secret of one's own; a server that others can reach always has one.

    Raises:
        ArgumentError: the address is taken, or is not of this machine.
    """
    listener = listening_at(host, port)
    prepare()  # while the server itself is loaded
    import uvicorn

    from symoro.ui.web.page import NOT_BUILT, built
    from symoro.ui.web.server import application

    port = listener.getsockname()[1]
    secret = token or ("" if host in LOOPBACK else secrets.token_urlsafe(16))
    app = application(Rules(hosts_of(host, port, names), secret, f"symoro_{port}"))
    shown = "127.0.0.1" if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{port}/" + (f"?token={secret}" if secret else "")

    class Server(uvicorn.Server):
        """It tells where it is when it answers, not before."""

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if not self.started:
                return
            print(f"symoro gui: {address}   (Ctrl-C ends it)", flush=True)
            if not built():
                print(NOT_BUILT, file=sys.stderr)
            elif browser:
                threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    config = uvicorn.Config(app, log_level="warning", server_header=False, timeout_graceful_shutdown=1)
    with closing(listener), suppress(KeyboardInterrupt):
        asyncio.run(Server(config).serve([listener]))


def hosts_of(host: str, port: int, names: list[str]) -> frozenset[str]:
    """The names that the server is known by."""
    own = {f"{name}:{port}" for name in (host, *LOOPBACK[:2]) if ":" not in name}
    own |= {f"[{name}]:{port}" for name in (host, LOOPBACK[2]) if ":" in name}
    given = {name if ":" in name else f"{name}:{port}" for name in names} | set(names)
    return frozenset(name.lower() for name in own | given)


def listening_at(host: str, port: int) -> socket.socket:
    """A socket at the port that was asked for, or at one of the usual ones, or at any.

    Raises:
        ArgumentError: there is none.
    """
    tried = [port] if port else [*USUAL_PORTS, 0]
    for one in tried:
        made = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
        try:
            if sys.platform != "win32":  # there it would share the port
                made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            made.bind((host, one))
            made.listen(100)
            return made
        except (OSError, OverflowError) as error:
            made.close()
            why = error
    raise ArgumentError(f"cannot serve at {host}:{port}: {why}", hint="choose another port or host")
