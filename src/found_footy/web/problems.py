"""Errors as responses: a problem body (RFC 9457) for programs, a plain page for people."""

import math
from dataclasses import dataclass
from http import HTTPStatus

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from found_footy.platform.errors import BadInput, ExternalSystemError, FoundFootyError, NotFound
from found_footy.platform.http.access_tokens import TokenDenial, TokenDenialReason
from found_footy.platform.logs import ActionLogger
from found_footy.web.page_cache import PageNotShown
from found_footy.web.state import get_web_state

logger = ActionLogger(__name__)
PROBLEM_MEDIA_TYPE = "application/problem+json"
_RETRY_AFTER_SECONDS = "5"


class ProblemDetails(BaseModel):
    """RFC 9457. `system` names the dependency that failed, if one did."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    instance: str
    system: str | None = None


class ProblemError(PageNotShown):
    """Raised by a route with the text for the visitor."""

    def __init__(self, status: HTTPStatus, detail: str, *, headers: dict[str, str] | None = None) -> None:
        super().__init__(detail)
        self.failure = HttpFailure(status, detail, headers=headers or {})


@dataclass(frozen=True)
class HttpFailure:
    status: HTTPStatus
    detail: str
    headers: dict[str, str]
    system: str | None = None


def build_token_problem(refusal: TokenDenial, no_token_message: str) -> ProblemError:
    """`no_token_message` says what to do where no token is configured."""
    if refusal.reason is TokenDenialReason.NOTHING_SET:
        return ProblemError(HTTPStatus.FORBIDDEN, no_token_message)
    if refusal.reason is TokenDenialReason.WRONG:
        headers = {"WWW-Authenticate": "Bearer"}
        return ProblemError(HTTPStatus.UNAUTHORIZED, "The token is missing or wrong.", headers=headers)
    headers = {"Retry-After": str(math.ceil(refusal.retry_after))}
    return ProblemError(HTTPStatus.TOO_MANY_REQUESTS, "Too many wrong tokens from this address.", headers=headers)


def install_error_handlers(app: FastAPI) -> None:
    async def on_problem(request: Request, error: Exception) -> Response:
        return render_failure(request, classify_error(error))

    for kind in (ProblemError, HTTPException, RequestValidationError, FoundFootyError):
        app.add_exception_handler(kind, on_problem)


def classify_error(error: Exception) -> HttpFailure:
    match error:
        case ProblemError():
            return error.failure
        case RequestValidationError():
            return HttpFailure(HTTPStatus.UNPROCESSABLE_ENTITY, _describe_validation_error(error), {})
        case HTTPException():
            status = HTTPStatus(error.status_code)
            detail = error.detail if error.detail != status.phrase else _STATUS_MESSAGES.get(status, status.description)
            return HttpFailure(status, detail, dict(error.headers or {}))
        case NotFound():
            return HttpFailure(HTTPStatus.NOT_FOUND, _STATUS_MESSAGES[HTTPStatus.NOT_FOUND], {})
        case BadInput():
            return HttpFailure(HTTPStatus.BAD_REQUEST, str(error), {})
        case ExternalSystemError():
            return _build_dependency_failure(error)
        case _:
            return HttpFailure(HTTPStatus.INTERNAL_SERVER_ERROR, _STATUS_MESSAGES[HTTPStatus.INTERNAL_SERVER_ERROR], {})


def _build_dependency_failure(error: ExternalSystemError) -> HttpFailure:
    """Name the system but not its message, which may contain an address or a key; the log has it."""
    logger.warning("a dependency failed", action="web_dependency_failed", detail=str(error)[:500])
    detail = f"The {error.system} does not answer correctly. Please try again in a moment."
    return HttpFailure(HTTPStatus.SERVICE_UNAVAILABLE, detail, {"Retry-After": _RETRY_AFTER_SECONDS}, error.system)


_STATUS_MESSAGES = {
    HTTPStatus.NOT_FOUND: "There is nothing at this address.",
    HTTPStatus.METHOD_NOT_ALLOWED: "This address does not take requests of this method.",
    HTTPStatus.INTERNAL_SERVER_ERROR: "Internal error; the log has the details.",
}


def _describe_validation_error(error: RequestValidationError) -> str:
    parts = [f"{'.'.join(str(step) for step in one['loc'][1:])}: {one['msg']}" for one in error.errors()[:5]]
    return "; ".join(parts)[:500] or "The request is not valid."


def render_failure(request: Request, failure: HttpFailure) -> Response:
    headers = {"Cache-Control": "no-store"} | failure.headers
    if is_page_request(request):
        return get_web_state(request).renderer.render_page(
            "error.html", status=failure.status, headers=headers, title=failure.status.phrase, detail=failure.detail
        )
    problem = ProblemDetails(
        title=failure.status.phrase,
        status=failure.status,
        detail=failure.detail,
        instance=request.url.path[:500],
        system=failure.system,
    )
    body = problem.model_dump(exclude_none=True)
    return JSONResponse(body, failure.status, headers, media_type=PROBLEM_MEDIA_TYPE)


def is_page_request(request: Request) -> bool:
    is_page = not request.url.path.startswith("/api/")
    return is_page and "text/html" in request.headers.get("accept", "")
