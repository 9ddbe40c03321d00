"""Faults that the simulated service can be set to: each error of its documentation, and answers that break it."""

from enum import StrEnum
from typing import Any

Json = dict[str, Any]


class WorkersAiFault(StrEnum):
    """How the next answers go wrong."""

    NONE = "none"
    MISSING_BODY = "missing_body"
    INVALID_TYPE = "invalid_type"
    NO_SUCH_MODEL = "no_such_model"
    INVALID_MODEL_ID = "invalid_model_id"
    TOO_LARGE = "too_large"
    TIMEOUT = "timeout"
    ABORTED = "aborted"
    DAY_USED_UP = "day_used_up"
    NO_CAPACITY = "no_capacity"
    ACCOUNT_BLOCKED = "account_blocked"
    NOT_ALLOWED = "not_allowed"
    NOT_PERMITTED = "not_permitted"
    UNAUTHENTICATED = "unauthenticated"
    UNAUTHORIZED = "unauthorized"
    UNDECODABLE = "undecodable"
    UNDECODABLE_500 = "undecodable_500"
    SERVER_ERROR = "server_error"
    GATEWAY_HTML = "gateway_html"
    RATE_LIMITED = "rate_limited"
    FAILED_WITH_200 = "failed_with_200"
    NOT_JSON = "not_json"
    NO_RESULT = "no_result"
    EMPTY_RESULT = "empty_result"
    WRONG_TYPES = "wrong_types"
    SOME_FIELDS_MISSING = "some_fields_missing"
    UNSORTED = "unsorted"
    FLOOD = "flood"
    HALF_BODY = "half_body"
    SLOW = "slow"


# HTTP status, code and message of each documented error.
ERROR_BY_FAULT: dict[WorkersAiFault, tuple[int, int, str]] = {
    WorkersAiFault.MISSING_BODY: (400, 3003, "missing header or body"),
    WorkersAiFault.INVALID_TYPE: (400, 5004, "invalid data type"),
    WorkersAiFault.NO_SUCH_MODEL: (400, 5007, "No such model"),
    WorkersAiFault.INVALID_MODEL_ID: (404, 3042, "invalid model id"),
    WorkersAiFault.TOO_LARGE: (413, 3006, "Request too large"),
    WorkersAiFault.TIMEOUT: (408, 3007, "Request timeout"),
    WorkersAiFault.ABORTED: (408, 3008, "Request aborted"),
    WorkersAiFault.DAY_USED_UP: (429, 3036, "you have used up your daily free allocation of 10,000 neurons"),
    WorkersAiFault.NO_CAPACITY: (429, 3040, "Capacity temporarily exceeded, please try again."),
    WorkersAiFault.ACCOUNT_BLOCKED: (403, 3023, "account blocked"),
    WorkersAiFault.NOT_ALLOWED: (403, 5018, "this account is not allowed to access this model"),
    WorkersAiFault.NOT_PERMITTED: (403, 3041, "not allowed"),
    WorkersAiFault.UNAUTHENTICATED: (401, 10000, "Authentication error"),
    WorkersAiFault.UNAUTHORIZED: (403, 9109, "Unauthorized to access requested resource"),
    WorkersAiFault.UNDECODABLE: (400, 3016, "inference error: failed to decode image"),
    WorkersAiFault.UNDECODABLE_500: (500, 3016, "inference error: cannot identify image file"),
    WorkersAiFault.SERVER_ERROR: (500, 3002, "unknown internal error"),
    WorkersAiFault.RATE_LIMITED: (429, 971, "Please wait and consider throttling your request speed"),
}


def build_failure(code: int, message: str) -> Json:
    return {"result": None, "success": False, "errors": [{"code": code, "message": message}], "messages": []}


def build_success(labels: list[Json]) -> Json:
    return {"result": labels, "success": True, "errors": [], "messages": []}


def distort_success(fault: WorkersAiFault, labels: list[Json]) -> Json:
    """A success whose contents break the documentation in the way of the fault."""
    match fault:
        case WorkersAiFault.NO_RESULT:
            return {"success": True, "errors": [], "messages": []}
        case WorkersAiFault.EMPTY_RESULT:
            return build_success([])
        case WorkersAiFault.WRONG_TYPES:
            return build_success(
                [{"label": 7, "score": "0.9"}, {"label": "X", "score": 17.5}, {"label": "", "score": 0}]
            )
        case WorkersAiFault.SOME_FIELDS_MISSING:
            return build_success([{"label": "LONELY LABEL"}, {"score": 0.1}, *labels])
        case WorkersAiFault.UNSORTED:
            return build_success(labels[::-1])
        case WorkersAiFault.FAILED_WITH_200:
            return build_failure(3040, "Capacity temporarily exceeded, please try again.")
        case _:
            return build_success(labels)
