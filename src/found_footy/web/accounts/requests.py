"""Requests that carry a form of these pages, checked by their headers before it is read."""

import re

from fastapi import Request

from found_footy.web.body_checks import find_body_problem
from found_footy.web.forms import FORM_TYPE, MAX_FORM_BYTES
from found_footy.web.problems import ProblemError
from found_footy.web.state import WebState

_FORM_PATH = re.compile(
    r"/sign-in|/sign-out|/welcome/[^/]{1,128}|/account/[a-z/]{1,40}|/users/[a-z/]{1,40}|/goals/[^/]{1,200}/(?:curate|share)"
    r"|/operator/[a-z/]{1,40}"
)


def can_have_body(method: str, path: str) -> bool:
    return method == "POST" and _FORM_PATH.fullmatch(path) is not None


def find_request_problem(_web: WebState, request: Request) -> ProblemError | None:
    return find_body_problem(request, FORM_TYPE, MAX_FORM_BYTES)
