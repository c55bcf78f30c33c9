"""The workbench's server: the calls of `ui.bench` over HTTP, long ones as jobs, and the built page.

    POST /api/<call>            a call that answers at once
    POST /api/jobs              {call, payload}: a long call; its id comes back
    GET  /api/jobs/<id>         where it stands; /events streams it (text/event-stream)
    DELETE /api/jobs/<id>       end it

Short calls and jobs have processes of their own, so that a page answers while others compute.
"""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from fastapi import FastAPI, HTTPException
from fastapi.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from fastapi.staticfiles import StaticFiles

from symoro._version import __version__
from symoro.ui.web.guard import Guard, Rules
from symoro.ui.web.jobs import Job, Jobs
from symoro.ui.web.schema import LONG, PAYLOADS, Failure, JobData, Payload, Started
from symoro.ui.web.workers import Limits, Pool

STATIC = Path(__file__).parent / "static"
NOT_BUILT = "the page is not built: run `make gui` in the clone, or install symoro from its wheel\n"
QUICK = Limits(seconds=20)
JOB = Limits(seconds=600)
QUICK_WORKERS = 2


def application(
    rules: Rules, *, jobs: int | None = None, quick: Limits = QUICK, long: Limits = JOB
) -> FastAPI:
    """The server's application.

    Arguments:
        jobs: how many jobs run at once; by default as many as there are cores.
    """
    at_once = Pool(QUICK_WORKERS, quick)
    running = Jobs(Pool(jobs or os.cpu_count() or 1, long))

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        at_once.start()
        running.pool.start()
        yield
        at_once.close()
        running.pool.close()

    app = FastAPI(title="symoro", version=__version__, lifespan=life, docs_url=None, redoc_url=None)
    app.add_middleware(Guard, rules=rules)
    for name, payload in PAYLOADS.items():
        if name not in LONG:
            _add_call(app, at_once, name, payload)
    _add_jobs(app, running)
    _add_page(app)
    return app


def _answered(answer: dict[str, Any]) -> JSONResponse:
    return JSONResponse(answer, status_code=422 if "error" in answer else 200)


def _add_call(app: FastAPI, pool: Pool, name: str, payload: type[Payload]) -> None:
    async def answer(body: Any) -> Response:
        return _answered(await pool.call(name, body.model_dump(exclude_none=True)))

    answer.__annotations__["body"] = payload
    app.post(f"/api/{name}", operation_id=name, responses={422: {"model": Failure}})(answer)


def _add_jobs(app: FastAPI, jobs: Jobs) -> None:
    def found(id: str) -> Job:
        job = jobs.get(id)
        if job is None:
            raise HTTPException(404, "there is no such job")
        return job

    refusals: dict[int | str, dict[str, Any]] = {422: {"model": Failure}, 429: {}}

    @app.post("/api/jobs", response_model=JobData, operation_id="job_start", responses=refusals)
    async def start(body: Started) -> Any:
        if body.call not in LONG:
            return _answered(
                {"error": {"kind": "UnknownNameError", "message": f"no long call '{body.call}'"}}
            )
        problem = _problem(PAYLOADS[body.call], body.payload)
        if problem:
            return _answered({"error": {"kind": "ArgumentError", "message": problem}})
        job = jobs.start(body.call, body.payload)
        if job is None:
            raise HTTPException(429, "too many jobs are waiting")
        return job.data()

    @app.get("/api/jobs/{id}", response_model=JobData, operation_id="job_state", responses={404: {}})
    async def state(id: str) -> Any:
        return found(id).data()

    @app.get("/api/jobs/{id}/events", operation_id="job_events", responses={404: {}})
    async def events(id: str) -> Response:
        return StreamingResponse(_events(jobs, found(id)), media_type="text/event-stream")

    @app.delete("/api/jobs/{id}", response_model=JobData, operation_id="job_cancel", responses={404: {}})
    async def cancel(id: str) -> Any:
        job = found(id)
        await jobs.cancel(job)
        return job.data()


async def _events(jobs: Jobs, job: Job) -> AsyncIterator[str]:
    async for data in jobs.watch(job):
        yield f"data: {json.dumps(data, allow_nan=False)}\n\n"


def _problem(payload: type[Payload], given: Any) -> str | None:
    """What is wrong with a payload, if anything."""
    from pydantic import ValidationError

    try:
        payload.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    return None


def _add_page(app: FastAPI) -> None:
    if (STATIC / "index.html").is_file():
        app.mount("/", StaticFiles(directory=STATIC, html=True))
        return

    @app.get("/", include_in_schema=False)
    async def missing() -> PlainTextResponse:
        return PlainTextResponse(NOT_BUILT, status_code=503)
