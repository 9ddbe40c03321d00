"""The envelope of the football API, and the faults of a response."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

from starlette.responses import HTMLResponse, Response, StreamingResponse

from found_footy_sim.script.model import AnswerFault, AnswerFaultKind

Json = dict[str, Any]

_DEFAULT_ERROR_TEXTS = {
    "token": "Error/Missing application key. Go to https://www.api-football.com/documentation-v3 to get one.",
    "requests": "You have reached the request limit for the day, Go to https://dashboard.api-football.com to upgrade.",
    "rateLimit": "Too many requests. Your rate limit is 10 requests per minute.",
    "access": "Your account is suspended, check on https://dashboard.api-football.com.",
    "plan": "Free plans do not have access to this date, try from 2026-11-14 to 2026-11-16.",
    "bug": "This is on our side, please report us this bug on https://dashboard.api-football.com",
    "ids": "The Ids field must not contain more than 20 ids.",
}
_GATEWAY_PAGE = (
    "<html><head><title>{0} Bad Gateway</title></head><body><center><h1>{0} Bad Gateway</h1></center></body></html>"
)


def build_envelope(endpoint: str, parameters: Mapping[str, str], response: Any, errors: Any = None) -> Json:
    """Build the body of a response. Without parameters or errors they are an empty list instead of an object."""
    return {
        "get": endpoint,
        "parameters": dict(parameters) or [],
        "errors": errors or [],
        "results": len(response) if isinstance(response, list) else 1,
        "paging": {"current": 1, "total": 1},
        "response": response,
    }


def build_error(key: str, text: str = "") -> dict[str, str]:
    return {key: text or _DEFAULT_ERROR_TEXTS.get(key, f"The {key.capitalize()} field is not valid.")}


def encode_body(body: Any) -> bytes:
    """JSON with escaped slashes, as the API writes it."""
    return json.dumps(body, ensure_ascii=False).replace("/", "\\/").encode()


def json_response(body: Any, headers: Mapping[str, str], status: int = 200) -> Response:
    return Response(encode_body(body), status, dict(headers), media_type="application/json")


async def respond_with_faults(faults: list[AnswerFault], body: Json, headers: Mapping[str, str]) -> Response:
    """Respond with all faults; a delay comes first."""
    for fault in faults:
        if fault.fault_kind is AnswerFaultKind.HOLD:
            await asyncio.sleep(fault.seconds)
    others = [fault for fault in faults if fault.fault_kind is not AnswerFaultKind.HOLD]
    return _fault_response(others[0], body, headers) if others else json_response(body, headers)


def _fault_response(fault: AnswerFault, body: Json, headers: Mapping[str, str]) -> Response:
    match fault.fault_kind:
        case AnswerFaultKind.HTTP:
            return _http_fault_response(fault, body, headers)
        case AnswerFaultKind.HTML:
            return HTMLResponse("<html><body>Checking your browser…</body></html>", headers=dict(headers))
        case AnswerFaultKind.HALF_JSON:
            whole = encode_body(body)
            return Response(whole[: len(whole) // 2], 200, dict(headers), media_type="application/json")
        case AnswerFaultKind.WRONG_TYPES:
            return json_response(_with_wrong_types(body), headers)
        case AnswerFaultKind.EMPTY_BODY:
            return Response(b"", 200, dict(headers), media_type="application/json")
        case AnswerFaultKind.DISCONNECT:
            return truncated_response(encode_body(body), dict(headers), "application/json")
    return json_response(_with_errors(body, _fault_errors(fault)), headers)


def _fault_errors(fault: AnswerFault) -> Any:
    if fault.fault_kind is AnswerFaultKind.ERRORS_LIST:
        return [fault.text]
    return fault.text if fault.fault_kind is AnswerFaultKind.ERRORS_STRING else build_error(fault.key, fault.text)


def _with_errors(body: Json, errors: Any) -> Json:
    return body | {"errors": errors, "results": 0, "response": []}


def _http_fault_response(fault: AnswerFault, body: Json, headers: Mapping[str, str]) -> Response:
    if fault.html:
        return HTMLResponse(_GATEWAY_PAGE.format(fault.status), fault.status, dict(headers))
    more = {"retry-after": str(fault.retry_after)} if fault.retry_after is not None else {}
    if fault.status == 429:
        return json_response(_with_errors(body, build_error("rateLimit")), {**headers, **more}, 429)
    return json_response(
        {"message": "Something went wrong while processing this request"}, {**headers, **more}, fault.status
    )


def _with_wrong_types(body: Json) -> Json:
    """Every fixture with words instead of numbers, and an object instead of the list of events."""
    response = body["response"]
    wrong = [
        item | {"goals": {"home": "one", "away": []}, "events": {"0": "goal"}, "fixture": item["fixture"] | {"id": "?"}}
        for item in response
    ]
    return body | {"response": wrong, "results": str(len(wrong))}


def truncated_response(whole: bytes, headers: dict[str, str], media_type: str) -> Response:
    """Send half of the bytes and close the connection, although the length declares all of them."""

    async def half() -> AsyncIterator[bytes]:
        yield whole[: len(whole) // 2]
        raise ConnectionAbortedError("the script says: cut off here")

    return StreamingResponse(half(), headers=headers | {"content-length": str(len(whole))}, media_type=media_type)
