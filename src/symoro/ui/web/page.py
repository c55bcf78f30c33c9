"""The built page: files with a hash in their name are kept by the browser, the others are asked for again."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import PlainTextResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import Receive, Scope, Send

STATIC = Path(__file__).parent / "static"
NOT_BUILT = "the page is not built: run `make gui` in the clone, or install symoro from its wheel"
HASHED = "assets/"  # where the build puts them
FOR_EVER = "public, max-age=31536000, immutable"


def built() -> bool:
    return (STATIC / "index.html").is_file()


class PageFiles(StaticFiles):
    """The files of the page, each with the time for which it may be kept."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        answer = await super().get_response(path, scope)
        answer.headers["cache-control"] = FOR_EVER if path.startswith(HASHED) else "no-cache"
        return answer


class Zipped(GZipMiddleware):
    """Answers in gzip, except streams of events, which are to come at once."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].endswith("/events"):
            await self.app(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)


def add_page(app: FastAPI) -> None:
    """The page at /, or what to do about it."""
    if built():
        app.mount("/", PageFiles(directory=STATIC, html=True))
        return

    @app.get("/", include_in_schema=False)
    async def missing() -> PlainTextResponse:
        return PlainTextResponse(NOT_BUILT + "\n", status_code=503)
