"""Requests of the uploads' routes that carry a body, checked by their headers before it is read."""

import re

from fastapi import Request

from found_footy.web.body_checks import find_body_problem
from found_footy.web.forms import FORM_TYPE, MAX_FORM_BYTES
from found_footy.web.problems import ProblemError
from found_footy.web.state import WebState

_IMAGE_PATH = re.compile(r"/api/v1/organizations/[^/]{1,100}/uploads/.+", re.DOTALL)
_PRESIGNED_PATH = re.compile(r"/api/v1/organizations/[^/]{1,100}/uploads/[^/]+/presigned", re.DOTALL)
_FORM_PATH = re.compile(r"/organizations|/organizations/[^/]{1,100}/.+", re.DOTALL)


def can_have_body(method: str, path: str) -> bool:
    return _content_type_of(method, path) is not None


def _content_type_of(method: str, path: str) -> str | None:
    """Return the content type that a body must have, empty for any; None if there must be no body."""
    if method == "PUT" and _IMAGE_PATH.fullmatch(path):
        return ""
    if method == "POST" and _PRESIGNED_PATH.fullmatch(path):
        return "application/json"
    return FORM_TYPE if method == "POST" and _FORM_PATH.fullmatch(path) else None


def find_request_problem(web: WebState, request: Request) -> ProblemError | None:
    wanted = _content_type_of(request.method, request.url.path) or ""
    most = MAX_FORM_BYTES if wanted or web.uploads is None else web.uploads.deps.settings.max_bytes
    return find_body_problem(request, wanted, most)
