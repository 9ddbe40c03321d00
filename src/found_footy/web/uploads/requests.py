"""Requests of the uploads' routes that carry a body, checked by their headers before it is read."""

import re
from http import HTTPStatus

from fastapi import Request

from found_footy.platform.http.caller_checks import is_same_origin
from found_footy.web.problems import ProblemError
from found_footy.web.state import WebState

MAX_FORM_BYTES = 4096
_IMAGE_PATH = re.compile(r"/api/v1/organizations/[^/]{1,100}/uploads/.+", re.DOTALL)
_PRESIGNED_PATH = re.compile(r"/api/v1/organizations/[^/]{1,100}/uploads/[^/]+/presigned", re.DOTALL)
_FORM_PATH = re.compile(r"/organizations|/organizations/[^/]{1,100}/.+|/operator|/operator/.+", re.DOTALL)
_MAX_LENGTH_DIGITS = 15


def can_have_body(method: str, path: str) -> bool:
    return _content_type_of(method, path) is not None


def _content_type_of(method: str, path: str) -> str | None:
    """Return the content type that a body must have, empty for any; None if there must be no body."""
    if method == "PUT" and _IMAGE_PATH.fullmatch(path):
        return ""
    if method == "POST" and _PRESIGNED_PATH.fullmatch(path):
        return "application/json"
    return "application/x-www-form-urlencoded" if method == "POST" and _FORM_PATH.fullmatch(path) else None


def find_request_problem(web: WebState, request: Request) -> ProblemError | None:
    """Return why the request is denied: it comes from a page of another site, or its body is of unknown length, too
    large or of another type.
    """
    if not is_same_origin(request.headers):
        return ProblemError(HTTPStatus.FORBIDDEN, "Pages of other sites may not send this.")
    length = request.headers.get("content-length", "")
    if not length.isdecimal() or "transfer-encoding" in request.headers:
        return ProblemError(HTTPStatus.LENGTH_REQUIRED, "The request must declare the length of its body.")
    wanted = _content_type_of(request.method, request.url.path)
    most = MAX_FORM_BYTES if wanted or web.uploads is None else web.uploads.deps.settings.max_bytes
    if len(length) > _MAX_LENGTH_DIGITS or int(length) > most:
        return ProblemError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"The body may have at most {most} bytes.")
    given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if wanted and given != wanted:
        return ProblemError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"The request's content type must be {wanted}.")
    return None
