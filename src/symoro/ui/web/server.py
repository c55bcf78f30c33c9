"""Serve the calls of `ui.service` over HTTP, long ones as jobs, and the built page.

    POST /api/<call>            a short call; returns its answer
    POST /api/jobs              {call, payload}: start a long call; returns its id
    GET  /api/jobs/<id>         state of a job
    GET  /api/jobs/<id>/events  state as server-sent events, until the job has ended
    DELETE /api/jobs/<id>       cancel a job
    GET  /openapi.json          this interface as OpenAPI

The server has no state except the jobs; the page stores the user's work.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response, StreamingResponse
from starlette.exceptions import HTTPException

from symoro._version import __version__
from symoro.ui.failure import INTERNAL
from symoro.ui.service.answer_types import SERVICE, Failure, JobData, ServiceCall
from symoro.ui.web.guard import Guard, Rules
from symoro.ui.web.jobs import Job, Jobs
from symoro.ui.web.page import Zipped, add_page
from symoro.ui.web.pool import Pool, PoolFullError
from symoro.ui.web.schema import Start, payload_of
from symoro.ui.web.workers import Limits

QUICK = Limits(seconds=10, memory=2 * 2**30)
JOB = Limits(seconds=600, nice=5)
QUICK_WORKERS = 2
MOST_RUNNING = 16  # simultaneous jobs; they share the cores, so that short jobs do not wait
BUSY = "too many requests are waiting: try again in a moment"


def application(
    rules: Rules, *, jobs: int | None = None, quick: Limits = QUICK, long: Limits = JOB
) -> FastAPI:
    """Return the ASGI application of the server.

    Args:
        rules: rules that requests must satisfy.
        jobs: number of worker processes for jobs; by default the number of cores.
        quick: limits of short calls.
        long: limits of jobs (long calls).
    """
    at_once = Pool(QUICK_WORKERS, quick)
    running = Jobs(Pool(jobs or os.cpu_count() or 1, long, most=MOST_RUNNING, queue=200))

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        at_once.start()
        running.pool.start()
        sweeping = asyncio.create_task(running.sweep())
        yield
        sweeping.cancel()
        await at_once.close()
        await running.close()

    app = FastAPI(title="symoro", version=__version__, lifespan=life, docs_url=None, redoc_url=None)
    app.add_middleware(Zipped, minimum_size=1000, compresslevel=5)
    app.add_middleware(Guard, rules=rules)
    for name, call in SERVICE.items():
        if not call.long:
            _add_call(app, at_once, name, call)
    app.state.jobs = running
    _add_jobs(app, running)
    _add_refusals(app)
    add_page(app)
    return app


def _answered(answer: dict[str, Any]) -> JSONResponse:
    return JSONResponse(answer, status_code=_status(answer))


def _status(answer: dict[str, Any]) -> int:
    if "error" not in answer:
        return 200
    return 500 if answer["error"].get("kind") == INTERNAL else 422


REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": Failure} for status in (400, 401, 403, 413, 421, 422, 429)
}
UNKNOWN: dict[int | str, dict[str, Any]] = {**REFUSALS, 404: {"model": Failure}}


def _add_refusals(app: FastAPI) -> None:
    """Register handlers that return errors of the web framework in the same form as all other errors."""

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"][1:])[:200]
        return _refusal(422, "ArgumentError", f"{where}: {first['msg']}" if where else str(first["msg"]))

    @app.exception_handler(HTTPException)
    async def refused(request: Request, error: HTTPException) -> Response:
        return _refusal(error.status_code, "Refused", str(error.detail), error.headers)


def _refusal(status: int, kind: str, message: str, headers: Mapping[str, str] | None = None) -> Response:
    return JSONResponse({"error": {"kind": kind, "message": message}}, status, headers)


def _add_call(app: FastAPI, pool: Pool, name: str, call: ServiceCall) -> None:
    async def answer(body: Any) -> Response:
        try:
            return _answered(await pool.call(name, payload_of(body)))
        except PoolFullError:
            raise HTTPException(429, BUSY) from None

    answer.__annotations__["body"] = call.request
    known = {**REFUSALS, 200: {"model": call.answer}}
    app.post(f"/api/{name}", operation_id=name, summary=_summary(call.request), responses=known)(answer)


def _summary(request: type) -> str:
    return (request.__doc__ or "").strip().split("\n")[0]


def _add_jobs(app: FastAPI, jobs: Jobs) -> None:
    def job_of(id: str) -> Job:
        job = jobs.get(id)
        if job is None:
            raise HTTPException(
                404, "the job does not exist, or its result is no longer available: start it again"
            )
        return job

    known: dict[int | str, dict[str, Any]] = {**UNKNOWN, 200: {"model": JobData}}

    async def start(body: Any) -> Response:
        """Start a long call as a job and return its id."""
        job = jobs.start(body.call, payload_of(body.payload))
        if job is None:
            raise HTTPException(429, BUSY)
        return JSONResponse(job.data())

    start.__annotations__["body"] = Start
    responses: dict[int | str, dict[str, Any]] = {**REFUSALS, 200: {"model": JobData}}
    app.post("/api/jobs", operation_id="job_start", responses=responses)(start)

    @app.get("/api/jobs/{id}", operation_id="job_state", responses=known)
    async def state(id: str) -> Response:
        """Return the state of a job."""
        return JSONResponse(job_of(id).data())

    events_are: dict[int | str, dict[str, Any]] = {200: {"content": {"text/event-stream": {}}}}

    @app.get(
        "/api/jobs/{id}/events",
        operation_id="job_events",
        response_class=StreamingResponse,
        responses={**UNKNOWN, **events_are},
    )
    async def events(id: str) -> Response:
        """Stream the states of a job: one event per change, the last one with the result."""
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return StreamingResponse(_events(jobs, job_of(id)), media_type="text/event-stream", headers=headers)

    @app.delete("/api/jobs/{id}", operation_id="job_cancel", responses=known)
    async def cancel(id: str) -> Response:
        """Cancel a job and end its process."""
        job = job_of(id)
        await jobs.cancel(job)
        return JSONResponse(job.data())


async def _events(jobs: Jobs, job: Job) -> AsyncIterator[str]:
    async for data in jobs.watch(job):
        yield ": still here\n\n" if data is None else f"data: {json.dumps(data, allow_nan=False)}\n\n"
