"""Who may ask, and how much: host, origin, token and size, checked before anything else sees a request.

A server on 127.0.0.1 can be reached by every page that the same browser shows. A page of another origin cannot read an
answer, but it can send; and a name that another makes to stand for 127.0.0.1 (DNS rebinding) would be its own origin.
So the host must be one that the server knows itself by, and an origin, where there is one, must be that host. A server
that others can reach wants a token besides.
"""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import parse_qs

from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "symoro_token"
HEADERS = {
    b"content-security-policy": b"default-src 'self'; script-src 'self' blob:; style-src 'self' 'unsafe-inline'; "
    b"img-src 'self' data: blob:; font-src 'self' data:; worker-src 'self' blob:; connect-src 'self' blob:; "
    b"object-src 'none'; base-uri 'none'; frame-ancestors 'self'",
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-resource-policy": b"same-origin",
}


@dataclass(frozen=True)
class Rules:
    """What is allowed.

    Attributes:
        hosts: names (with port) that the server is known by.
        token: a secret that every request must have, "" for none.
        largest: bytes of a request's body.
    """

    hosts: frozenset[str]
    token: str = ""
    largest: int = 16 * 2**20


class Guard:
    """The application behind its rules."""

    def __init__(self, app: ASGIApp, rules: Rules) -> None:
        self.app, self.rules = app, rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        refused = self._refused(scope, headers)
        if refused is not None:
            await _refuse(send, *refused)
            return
        given = self._given_by_address(scope)
        await self.app(scope, self._limited(receive), _with_headers(send, COOKIE, given))

    def _refused(self, scope: Scope, headers: dict[bytes, str]) -> tuple[int, str] | None:
        if headers.get(b"host", "") not in self.rules.hosts:
            return 421, "this server is not known by that name"
        origin = headers.get(b"origin")
        if origin is not None and origin.partition("://")[2] not in self.rules.hosts:
            return 403, "a page of another origin may not ask here"
        if self.rules.token and not self._has_token(scope, headers):
            return 401, "a token is needed: open the address that symoro gui printed"
        length = headers.get(b"content-length", "0")
        if not length.isdigit() or int(length) > self.rules.largest:
            return 413, f"the request is larger than {self.rules.largest} bytes"
        return None

    def _has_token(self, scope: Scope, headers: dict[bytes, str]) -> bool:
        bearer = headers.get(b"authorization", "").removeprefix("Bearer ")
        cookie = SimpleCookie(headers.get(b"cookie", "")).get(COOKIE)
        offered = (bearer, cookie.value if cookie else "", self._given_by_address(scope))
        return any(secrets.compare_digest(one.encode(), self.rules.token.encode()) for one in offered)

    def _given_by_address(self, scope: Scope) -> str:
        return (
            parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
            if self.rules.token
            else ""
        )

    def _limited(self, receive: Receive) -> Receive:
        """What is received, up to the limit: a body may come without a length."""
        seen = 0

        async def limited() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > self.rules.largest:
                return {"type": "http.disconnect"}
            return message

        return limited


def _with_headers(send: Send, cookie: str, token: str) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            extra: list[tuple[bytes, bytes]] = list(HEADERS.items())
            if token:
                value = f"{cookie}={token}; HttpOnly; SameSite=Strict; Path=/"
                extra.append((b"set-cookie", value.encode("latin-1")))
            message = {**message, "headers": [*message["headers"], *extra]}
        await send(message)

    return sent


async def _refuse(send: Send, status: int, message: str) -> None:
    body: dict[str, Any] = {"error": {"kind": "Refused", "message": message}}
    headers = [(b"content-type", b"application/json"), *HEADERS.items()]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps(body).encode()})
