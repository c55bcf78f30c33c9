"""Serve the built page: browsers cache files with a hash in their name and revalidate the others."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import PlainTextResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import Receive, Scope, Send

STATIC = Path(__file__).parent / "static"
NOT_BUILT = (
    "the files of the page are missing: run `make gui` in the source tree, or install symoro from a wheel"
)
HASHED = "assets/"  # folder of files with a hash in their name
FOR_EVER = "public, max-age=31536000, immutable"


def built() -> bool:
    return (STATIC / "index.html").is_file()


class PageFiles(StaticFiles):
    """Static files of the page, sent with cache lifetimes."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        answer = await super().get_response(path, scope)
        answer.headers["cache-control"] = FOR_EVER if path.startswith(HASHED) else "no-cache"
        return answer


class Zipped(GZipMiddleware):
    """Middleware that compresses responses with gzip, except event streams, which must not be delayed."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].endswith("/events"):
            await self.app(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)


def add_page(app: FastAPI) -> None:
    """Serve the page at the address /, or instructions for building it if it is not built."""
    if built():
        app.mount("/", PageFiles(directory=STATIC, html=True))
        return

    @app.get("/", include_in_schema=False)
    async def missing() -> PlainTextResponse:
        return PlainTextResponse(NOT_BUILT + "\n", status_code=503)
