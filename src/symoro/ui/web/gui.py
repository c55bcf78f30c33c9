"""Run `symoro gui`: start the server, print its address, and open the browser when the server responds."""

from __future__ import annotations

import asyncio
import secrets
import socket
import sys
import threading
import webbrowser
from contextlib import closing, suppress
from ipaddress import ip_address

from symoro.errors import ArgumentError
from symoro.ui.web.guard import Rules, host_with_port
from symoro.ui.web.workers import prepare

LOOPBACK = ("127.0.0.1", "localhost", "::1")
EVERY_INTERFACE = ("0.0.0.0", "::")
ELSEWHERE = ((socket.AF_INET, "198.51.100.1"), (socket.AF_INET6, "2001:db8::1"))
"""Documentation addresses (RFC 5737, RFC 3849): the route to them shows the source address of this machine."""
USUAL_PORTS = range(8714, 8734)
"""Default ports, tried first: the browser stores the user's work per address, including the port."""


def gui(host: str, port: int, *, browser: bool, names: list[str], token: str | None) -> None:
    """Serve the workbench (the graphical page) until interrupted.

    Args:
        host: address of the server.
        port: port; 0 selects one of the default ports or any free port.
        browser: whether to open a browser.
        names: additional names of the server, as host:port or host.
        token: secret that requests must contain; a server that others can reach always has one.

    Raises:
        ArgumentError: the address is in use or does not belong to this machine.
    """
    listener = listening_at(host, port)
    prepare()  # runs while the server is loaded
    import uvicorn

    from symoro.ui.web.page import NOT_BUILT, built
    from symoro.ui.web.server import application

    port = listener.getsockname()[1]
    secret = token or ("" if host in LOOPBACK else secrets.token_urlsafe(16))
    app = application(Rules(hosts_of(host, port, names), secret, f"symoro_{port}"))
    here, *elsewhere = (_address(one, port, secret) for one in reached_at(host))

    class Server(uvicorn.Server):
        """Web server that prints its address once it accepts connections."""

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            app.state.jobs.end_streams()
            await super().shutdown(sockets)

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if not self.started:
                return
            print(f"symoro gui: {here}   (Ctrl-C stops it)", flush=True)
            for address in elsewhere:
                print(f"from other machines: {address}", flush=True)
            if not built():
                print(NOT_BUILT, file=sys.stderr)
            elif browser:
                threading.Thread(target=webbrowser.open, args=(here,), daemon=True).start()

    config = uvicorn.Config(app, log_level="warning", server_header=False, timeout_graceful_shutdown=1)
    with closing(listener), suppress(KeyboardInterrupt):
        asyncio.run(Server(config).serve([listener]))


def _address(host: str, port: int, secret: str) -> str:
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/" + (f"?token={secret}" if secret else "")


def reached_at(host: str) -> list[str]:
    """Return the addresses of the page of a server at `host`: first for this machine, then for other machines."""
    if host not in EVERY_INTERFACE:
        return [host]
    both = host == "::" and socket.has_dualstack_ipv6()
    addresses = [ip_address(one) for one in own_addresses() if both or (":" in one) == (":" in host)]
    outside = [str(one) for one in addresses if not (one.is_loopback or one.is_link_local)]
    return ["::1" if host == "::" and not both else "127.0.0.1", *outside]


def own_addresses() -> list[str]:
    """Return the IP addresses of this machine: those of its network routes and of its host name."""
    addresses: list[str] = []
    for family, elsewhere in ELSEWHERE:
        with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((elsewhere, 9))  # determines a route without sending
            addresses.append(probe.getsockname()[0])
    with suppress(OSError):
        addresses += [
            str(row[4][0]).partition("%")[0] for row in socket.getaddrinfo(socket.gethostname(), None)
        ]
    return list(dict.fromkeys(addresses))


def hosts_of(host: str, port: int, names: list[str]) -> frozenset[str]:
    """Return the host names with ports under which the server accepts requests.

    They include the names of this machine if other machines can reach the server.

    Args:
        host, port: address of the server.
        names: additional names, as host:port or host.
    """
    own = {host, *LOOPBACK}
    if host not in LOOPBACK:
        own |= {socket.gethostname(), socket.getfqdn(), f"{socket.gethostname()}.local"}
    given = {name.lower() for name in names}
    given |= {f"{name}:{port}" for name in given if ":" not in name}
    return frozenset(given.union(*(host_with_port(name, port) for name in own)))


def listening_at(host: str, port: int) -> socket.socket:
    """Return a listening socket at the requested port, or at a default port or any free port if `port` is 0.

    Raises:
        ArgumentError: no port is available.
    """
    tried = [port] if port else [*USUAL_PORTS, 0]
    for one in tried:
        made = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
        try:
            if (
                host == "::" and socket.has_dualstack_ipv6()
            ):  # also serve IPv4, which is not the default everywhere
                made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
            if sys.platform != "win32":  # on Windows it would share the port
                made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            made.bind((host, one))
            made.listen(100)
            return made
        except (OSError, OverflowError) as error:
            made.close()
            why = error
    raise ArgumentError(f"cannot serve at {host}:{port}: {why}", hint="choose another port or host")
