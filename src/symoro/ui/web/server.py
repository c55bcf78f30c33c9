"""The workbench's server: the calls of `ui.bench` over HTTP, long ones as jobs, and the built page.

    POST /api/<call>            a call that answers at once
    POST /api/jobs              {call, payload}: a long call; its id comes back
    GET  /api/jobs/<id>         where it stands
    GET  /api/jobs/<id>/events  the same as server-sent events, until it is over
    DELETE /api/jobs/<id>       end it
    GET  /openapi.json          all of this as a document

No state but the jobs: what a user works on is kept by the page.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, HTTPException
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import ValidationError

from symoro._version import __version__
from symoro.ui.web.guard import Guard, Rules
from symoro.ui.web.jobs import Job, Jobs
from symoro.ui.web.page import Zipped, add_page
from symoro.ui.web.pool import Pool, PoolFullError
from symoro.ui.web.schema import ANSWERS, LONG, PAYLOADS, Failure, JobData, Payload, Started
from symoro.ui.web.workers import INTERNAL, Limits

QUICK = Limits(seconds=10, memory=2 * 2**30)
JOB = Limits(seconds=600, nice=5)
QUICK_WORKERS = 2
MOST_RUNNING = 16  # jobs at once: cores are shared, so that a short one need not wait for long ones
BUSY = "too many requests are waiting: try again in a moment"


def application(
    rules: Rules, *, jobs: int | None = None, quick: Limits = QUICK, long: Limits = JOB
) -> FastAPI:
    """The server's application.

    Arguments:
        jobs: how many workers wait for jobs; by default as many as there are cores.
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
    for name, payload in PAYLOADS.items():
        if name not in LONG:
            _add_call(app, at_once, name, payload)
    _add_jobs(app, running)
    add_page(app)
    return app


def _answered(answer: dict[str, Any]) -> JSONResponse:
    return JSONResponse(answer, status_code=_status(answer))


def _status(answer: dict[str, Any]) -> int:
    if "error" not in answer:
        return 200
    return 500 if answer["error"].get("kind") == INTERNAL else 422


REFUSALS: dict[int | str, dict[str, Any]] = {
    **{status: {"model": Failure} for status in (401, 403, 413, 421, 422)},
    400: {"description": "the body is no JSON"},
    429: {"description": BUSY},
}
UNKNOWN: dict[int | str, dict[str, Any]] = {**REFUSALS, 404: {"description": "there is no such job"}}


def _add_call(app: FastAPI, pool: Pool, name: str, payload: type[Payload]) -> None:
    async def answer(body: Any) -> Response:
        try:
            return _answered(await pool.call(name, body.model_dump(exclude_none=True)))
        except PoolFullError:
            raise HTTPException(429, BUSY) from None

    answer.__annotations__["body"] = payload
    known = {**REFUSALS, 200: {"model": ANSWERS.get(name, dict[str, Any])}}
    app.post(f"/api/{name}", operation_id=name, summary=_summary(payload), responses=known)(answer)


def _summary(payload: type[Payload]) -> str:
    return (payload.__doc__ or "").strip().split("\n")[0]


def _add_jobs(app: FastAPI, jobs: Jobs) -> None:
    def found(id: str) -> Job:
        job = jobs.get(id)
        if job is None:
            raise HTTPException(404, "there is no such job")
        return job

    @app.post("/api/jobs", response_model=JobData, operation_id="job_start", responses=REFUSALS)
    async def start(body: Started) -> Any:
        """Begin a long call."""
        if body.call not in LONG:
            message = f"no long call '{body.call}'"
            return _answered({"error": {"kind": "UnknownNameError", "message": message}})
        try:
            payload = PAYLOADS[body.call].model_validate(body.payload).model_dump(exclude_none=True)
        except ValidationError as error:
            first = error.errors()[0]
            message = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
            return _answered({"error": {"kind": "ArgumentError", "message": message}})
        job = jobs.start(body.call, payload)
        if job is None:
            raise HTTPException(429, BUSY)
        return job.data()

    @app.get("/api/jobs/{id}", response_model=JobData, operation_id="job_state", responses=UNKNOWN)
    async def state(id: str) -> Any:
        """Where a job stands."""
        return found(id).data()

    events_are: dict[int | str, dict[str, Any]] = {200: {"content": {"text/event-stream": {}}}}

    @app.get(
        "/api/jobs/{id}/events",
        operation_id="job_events",
        response_class=StreamingResponse,
        responses={**UNKNOWN, **events_are},
    )
    async def events(id: str) -> Response:
        """What becomes of a job: one event a change, the last with the result."""
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return StreamingResponse(_events(jobs, found(id)), media_type="text/event-stream", headers=headers)

    @app.delete("/api/jobs/{id}", response_model=JobData, operation_id="job_cancel", responses=UNKNOWN)
    async def cancel(id: str) -> Any:
        """End a job, with its process."""
        job = found(id)
        await jobs.cancel(job)
        return job.data()


async def _events(jobs: Jobs, job: Job) -> AsyncIterator[str]:
    async for data in jobs.watch(job):
        yield ": still here\n\n" if data is None else f"data: {json.dumps(data, allow_nan=False)}\n\n"
