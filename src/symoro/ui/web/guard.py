"""Check host, origin, token and size of each HTTP request before any other code handles it.

A server on 127.0.0.1 can be reached by every page in the same browser. A page of another origin cannot read
responses, but it can send requests. By DNS rebinding (a host name that an attacker resolves to 127.0.0.1), it would
even have the same origin as the server. The Host header must therefore be a name of this server or the IP address of
the connection: an attacker controls what a name resolves to, but an IP address is not resolved. An Origin header, if
present, must contain such a host too. A server that other machines can reach also requires a token. The token is part
of the address that is opened first; later requests contain it in a cookie.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from ipaddress import IPv6Address, ip_address
from typing import Any
from urllib.parse import parse_qsl, urlencode

from starlette.types import ASGIApp, Message, Receive, Scope, Send

TOKEN = "token"
HEADERS = {
    b"content-security-policy": b"default-src 'self'; script-src 'self' blob:; style-src 'self' 'unsafe-inline'; "
    b"img-src 'self' data: blob:; font-src 'self' data:; worker-src 'self' blob:; connect-src 'self' blob:; "
    b"object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-resource-policy": b"same-origin",
    b"cross-origin-opener-policy": b"same-origin",
}
HTTP_PORT = 80  # browsers omit the default port
SAME = ("same-origin", "none")  # values of Sec-Fetch-Site: the page itself, or an address typed by the user


@dataclass(frozen=True)
class Rules:
    """Rules that HTTP requests to the server must satisfy.

    Attributes:
        hosts: accepted host names with port.
        token: secret that every request must contain; "" for none.
        cookie: name of the cookie with the token, unique per port because cookies are shared by ports.
        largest: largest size of a request body in bytes.
    """

    hosts: frozenset[str]
    token: str = ""
    cookie: str = "symoro_token"
    largest: int = 16 * 2**20


class Guard:
    """ASGI middleware that rejects HTTP requests which violate the given rules."""

    def __init__(self, app: ASGIApp, rules: Rules) -> None:
        self.app, self.rules = app, rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        refused = self._refused(scope, headers)
        if refused is not None:
            await _refuse(send, *refused)
        elif scope["method"] == "GET" and self._in_address(scope):
            await self._let_in(scope, send)
        else:
            body = _Body(receive, self.rules.largest)
            await self.app(scope, body.receive, _Answer(scope, send, body).send)

    def _refused(self, scope: Scope, headers: dict[bytes, str]) -> tuple[int, str] | None:
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        known = self.rules.hosts | connected_host(scope.get("server"))
        if len(hosts) != 1 or headers[b"host"].lower() not in known:
            return 421, "the host name is not accepted: open the address that symoro gui printed"
        origin = headers.get(b"origin")
        if origin is not None and not _is_origin_of(origin, known):
            return 403, "cross-origin requests are not allowed"
        if scope["path"].startswith("/api") and headers.get(b"sec-fetch-site", "none") not in SAME:
            return 403, "cross-origin requests are not allowed"
        if self.rules.token and not self._has_token(scope, headers):
            return 401, "the token is missing: open the address that symoro gui printed"
        length = headers.get(b"content-length", "0")
        if not (length.isascii() and length.isdigit()) or int(length[:20]) > self.rules.largest:
            return 413, f"the request is larger than {self.rules.largest} bytes"
        return None

    def _has_token(self, scope: Scope, headers: dict[bytes, str]) -> bool:
        bearer = headers.get(b"authorization", "").removeprefix("Bearer ")
        offered = (bearer, self._in_cookie(headers), self._in_address(scope))
        same = [secrets.compare_digest(one.encode(), self.rules.token.encode()) for one in offered]
        return any(same)

    def _in_cookie(self, headers: dict[bytes, str]) -> str:
        try:
            cookie = SimpleCookie(headers.get(b"cookie", "")).get(self.rules.cookie)
        except CookieError:
            return ""
        return cookie.value if cookie else ""

    def _in_address(self, scope: Scope) -> str:
        if not self.rules.token:
            return ""
        return dict(_query(scope)).get(TOKEN, "")

    async def _let_in(self, scope: Scope, send: Send) -> None:
        """Store the token in a cookie and redirect to the address without the token, so that it is not displayed."""
        if not secrets.compare_digest(self._in_address(scope).encode(), self.rules.token.encode()):
            await _refuse(send, 401, "the token is wrong")
            return
        rest = urlencode([(name, value) for name, value in _query(scope) if name != TOKEN])
        cookie = f"{self.rules.cookie}={self.rules.token}; HttpOnly; SameSite=Strict; Path=/"
        path = (
            "/" + scope["path"].lstrip("/") + (f"?{rest}" if rest else "")
        )  # stay on this server, even if the path begins with //
        extra = [(b"location", path.encode("ascii", "ignore")), (b"set-cookie", cookie.encode("latin-1"))]
        await _respond(send, 303, b"", extra)


def host_with_port(host: str, port: int) -> set[str]:
    """Return the forms in which browsers write a host name or an IP address with a port in the Host header."""
    name = f"[{host}]" if ":" in host else host.lower()
    return {f"{name}:{port}", name} if port == HTTP_PORT else {f"{name}:{port}"}


def connected_host(server: Sequence[Any] | None) -> set[str]:
    """Return the IP address and port of a connection in the forms of `host_with_port`.

    Args:
        server: address and port from the ASGI scope; if None, the result is an empty set.
    """
    if server is None or server[1] is None:
        return set()
    try:
        # Without the interface of a link-local address.
        address = ip_address(str(server[0]).partition("%")[0])
    except ValueError:
        return set()
    if (
        isinstance(address, IPv6Address) and address.ipv4_mapped is not None
    ):  # IPv4 address at a dual-stack socket
        return host_with_port(str(address.ipv4_mapped), server[1])
    return host_with_port(str(address), server[1])


def _is_origin_of(origin: str, hosts: frozenset[str]) -> bool:
    scheme, _, host = origin.lower().partition("://")
    return scheme in ("http", "https") and host in hosts


def _query(scope: Scope) -> list[tuple[str, str]]:
    return parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)


class _Body:
    """Body of an HTTP request with limited size; the limit also applies to requests without Content-Length."""

    def __init__(self, receive: Receive, largest: int) -> None:
        self._receive, self._largest, self._seen = receive, largest, 0

    @property
    def too_large(self) -> bool:
        return self._seen > self._largest

    async def receive(self) -> Message:
        message = await self._receive()
        self._seen += len(message.get("body", b""))
        return {"type": "http.disconnect"} if self.too_large else message


class _Answer:
    """HTTP response with security headers; an error is sent instead if the request body is too large."""

    def __init__(self, scope: Scope, send: Send, body: _Body) -> None:
        self._send, self._body = send, body
        self._called = scope["path"].startswith("/api")
        self._refused = False

    async def send(self, message: Message) -> None:
        if self._refused:
            return
        if message["type"] == "http.response.start":
            if self._body.too_large:
                self._refused = True
                await _refuse(self._send, 413, "the request is too large")
                return
            held = {name.lower() for name, _ in message["headers"]}
            extra = list(HEADERS.items())
            if self._called and b"cache-control" not in held:
                extra.append((b"cache-control", b"no-store"))
            message = {**message, "headers": [*message["headers"], *extra]}
        await self._send(message)


async def _refuse(send: Send, status: int, message: str) -> None:
    body: dict[str, Any] = {"error": {"kind": "Refused", "message": message}}
    await _respond(send, status, json.dumps(body).encode(), [(b"content-type", b"application/json")])


async def _respond(send: Send, status: int, body: bytes, extra: list[tuple[bytes, bytes]]) -> None:
    headers = [*extra, (b"content-length", str(len(body)).encode()), *HEADERS.items()]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
