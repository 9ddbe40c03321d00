"""Failures as answers: a problem body (RFC 9457) for programs, a plain page for people."""

import logging
import math
from dataclasses import dataclass
from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from found_footy.platform.errors import BadInput, FoundFootyError, NotFound, OutsideError
from found_footy.platform.tokens import Refusal, Why
from found_footy.web.state import web_of

_log = logging.getLogger(__name__)
PROBLEM_TYPE = "application/problem+json"
_RETRY_SECONDS = "5"


class Problem(BaseModel):
    """RFC 9457. `system` names the dependency that failed, where one did."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    instance: str
    system: str | None = None


class ProblemError(Exception):
    """Raised by a route that knows what to tell the visitor."""

    def __init__(self, status: HTTPStatus, detail: str, *, headers: dict[str, str] | None = None) -> None:
        super().__init__(detail)
        self.failure = Failure(status, detail, headers=headers or {})


@dataclass(frozen=True)
class Failure:
    status: HTTPStatus
    detail: str
    headers: dict[str, str]
    system: str | None = None


def token_problem(refusal: Refusal, otherwise: str) -> ProblemError:
    """`otherwise` says what to do where no token is set."""
    if refusal.why is Why.NOTHING_SET:
        return ProblemError(HTTPStatus.FORBIDDEN, otherwise)
    if refusal.why is Why.WRONG:
        headers = {"WWW-Authenticate": "Bearer"}
        return ProblemError(HTTPStatus.UNAUTHORIZED, "The token is missing or wrong.", headers=headers)
    headers = {"Retry-After": str(math.ceil(refusal.wait))}
    return ProblemError(HTTPStatus.TOO_MANY_REQUESTS, "Too many wrong tokens came from this address.", headers=headers)


def install(app: FastAPI) -> None:
    async def on_problem(request: Request, error: Exception) -> Response:
        return respond(request, failure_of(error))

    for kind in (ProblemError, HTTPException, RequestValidationError, FoundFootyError):
        app.add_exception_handler(kind, on_problem)


def failure_of(error: Exception) -> Failure:
    match error:
        case ProblemError():
            return error.failure
        case RequestValidationError():
            return Failure(HTTPStatus.UNPROCESSABLE_ENTITY, _what_is_wrong(error), {})
        case HTTPException():
            status = HTTPStatus(error.status_code)
            detail = error.detail if error.detail != status.phrase else _SENTENCES.get(status, status.description)
            return Failure(status, detail, dict(error.headers or {}))
        case NotFound():
            return Failure(HTTPStatus.NOT_FOUND, _SENTENCES[HTTPStatus.NOT_FOUND], {})
        case BadInput():
            return Failure(HTTPStatus.BAD_REQUEST, str(error), {})
        case OutsideError():
            return _outside(error)
        case _:
            return Failure(HTTPStatus.INTERNAL_SERVER_ERROR, _SENTENCES[HTTPStatus.INTERNAL_SERVER_ERROR], {})


def _outside(error: OutsideError) -> Failure:
    """Names the system, not its words: an address or a key may stand in them, and they are in the log."""
    _log.warning("a dependency failed", extra={"action": "web_dependency_failed", "detail": str(error)[:500]})
    detail = f"The {error.system} does not answer as it should. Please try again in a moment."
    return Failure(HTTPStatus.SERVICE_UNAVAILABLE, detail, {"Retry-After": _RETRY_SECONDS}, error.system)


_SENTENCES = {
    HTTPStatus.NOT_FOUND: "There is nothing at this address.",
    HTTPStatus.METHOD_NOT_ALLOWED: "This address can only be read.",
    HTTPStatus.INTERNAL_SERVER_ERROR: "Something went wrong on our side. It has been written to the log.",
}


def _what_is_wrong(error: RequestValidationError) -> str:
    parts = [f"{'.'.join(str(step) for step in one['loc'][1:])}: {one['msg']}" for one in error.errors()[:5]]
    return "; ".join(parts)[:500] or "The request is not valid."


def respond(request: Request, failure: Failure) -> Response:
    headers = {"Cache-Control": "no-store"} | failure.headers
    if _wants_page(request):
        return web_of(request).rendering.page(
            "error.html", status=failure.status, headers=headers, title=failure.status.phrase, detail=failure.detail
        )
    problem = Problem(
        title=failure.status.phrase,
        status=failure.status,
        detail=failure.detail,
        instance=request.url.path[:500],
        system=failure.system,
    )
    body = problem.model_dump(exclude_none=True)
    return JSONResponse(body, failure.status, headers, media_type=PROBLEM_TYPE)


def _wants_page(request: Request) -> bool:
    is_page = not request.url.path.startswith("/api/")
    return is_page and "text/html" in request.headers.get("accept", "")
