"""The rules for requests with a body, applied to their headers before it is read."""

from http import HTTPStatus

from fastapi import Request
from starlette.datastructures import Headers

from found_footy.platform.http.caller_checks import is_same_origin
from found_footy.web.problems import ProblemError

# Longer numbers are refused unread: converting them takes time.
_MAX_LENGTH_DIGITS = 15


def find_body_problem(request: Request, content_type: str, max_bytes: int) -> ProblemError | None:
    """Return why the request is denied: it comes from a page of another site, or its body is of unknown length, too
    large or of another type than `content_type`, which is empty for any.
    """
    if not is_same_origin(request.headers):
        return ProblemError(HTTPStatus.FORBIDDEN, "Pages of other sites may not send this.")
    given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if content_type and given != content_type:
        detail = f"The request's content type must be {content_type}."
        return ProblemError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, detail)
    return find_length_problem(request.headers, max_bytes)


def find_length_problem(headers: Headers, max_bytes: int) -> ProblemError | None:
    """Return why a body is denied: its length is not declared, or exceeds `max_bytes`."""
    length = headers.get("content-length", "")
    if not length.isdecimal() or "transfer-encoding" in headers:
        return ProblemError(HTTPStatus.LENGTH_REQUIRED, "The request must declare the length of its body.")
    if len(length) > _MAX_LENGTH_DIGITS or int(length) > max_bytes:
        return ProblemError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"The body may have at most {max_bytes} bytes.")
    return None
