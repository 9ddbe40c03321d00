"""The envelope of the football API, and the ways in which an answer of it breaks."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

from starlette.responses import HTMLResponse, Response, StreamingResponse

from found_footy.sim.script.model import Breaks, Fault

Json = dict[str, Any]

_USUAL = {
    "token": "Error/Missing application key. Go to https://www.api-football.com/documentation-v3 to get one.",
    "requests": "You have reached the request limit for the day, Go to https://dashboard.api-football.com to upgrade.",
    "rateLimit": "Too many requests. Your rate limit is 10 requests per minute.",
    "access": "Your account is suspended, check on https://dashboard.api-football.com.",
    "plan": "Free plans do not have access to this date, try from 2026-11-14 to 2026-11-16.",
    "bug": "This is on our side, please report us this bug on https://dashboard.api-football.com",
    "ids": "The Ids field must not contain more than 20 ids.",
}
_GATEWAY = (
    "<html><head><title>{0} Bad Gateway</title></head><body><center><h1>{0} Bad Gateway</h1></center></body></html>"
)


def envelope(endpoint: str, parameters: Mapping[str, str], response: Any, errors: Any = None) -> Json:
    """The body of an answer. Without parameters or errors there is an empty list where an object would stand."""
    return {
        "get": endpoint,
        "parameters": dict(parameters) or [],
        "errors": errors or [],
        "results": len(response) if isinstance(response, list) else 1,
        "paging": {"current": 1, "total": 1},
        "response": response,
    }


def error(key: str, text: str = "") -> dict[str, str]:
    return {key: text or _USUAL.get(key, f"The {key.capitalize()} field is not valid.")}


def encoded(body: Any) -> bytes:
    """JSON with escaped slashes, as the API writes it."""
    return json.dumps(body, ensure_ascii=False).replace("/", "\\/").encode()


def answer(body: Any, headers: Mapping[str, str], status: int = 200) -> Response:
    return Response(encoded(body), status, dict(headers), media_type="application/json")


async def broken(faults: list[Fault], body: Json, headers: Mapping[str, str]) -> Response:
    """The answer with all its faults; a delay comes before whatever else is wrong."""
    for fault in faults:
        if fault.breaks is Breaks.HOLD:
            await asyncio.sleep(fault.seconds)
    others = [fault for fault in faults if fault.breaks is not Breaks.HOLD]
    return _broken(others[0], body, headers) if others else answer(body, headers)


def _broken(fault: Fault, body: Json, headers: Mapping[str, str]) -> Response:
    match fault.breaks:
        case Breaks.HTTP:
            return _http(fault, body, headers)
        case Breaks.HTML:
            return HTMLResponse("<html><body>Checking your browser…</body></html>", headers=dict(headers))
        case Breaks.HALF_JSON:
            whole = encoded(body)
            return Response(whole[: len(whole) // 2], 200, dict(headers), media_type="application/json")
        case Breaks.WRONG_TYPES:
            return answer(_wrong_types(body), headers)
        case Breaks.EMPTY_BODY:
            return Response(b"", 200, dict(headers), media_type="application/json")
        case Breaks.DISCONNECT:
            return cut_off(encoded(body), dict(headers), "application/json")
    return answer(_refusal(body, _errors(fault)), headers)


def _errors(fault: Fault) -> Any:
    if fault.breaks is Breaks.ERRORS_LIST:
        return [fault.text]
    return fault.text if fault.breaks is Breaks.ERRORS_STRING else error(fault.key, fault.text)


def _refusal(body: Json, errors: Any) -> Json:
    return body | {"errors": errors, "results": 0, "response": []}


def _http(fault: Fault, body: Json, headers: Mapping[str, str]) -> Response:
    if fault.html:
        return HTMLResponse(_GATEWAY.format(fault.status), fault.status, dict(headers))
    more = {"retry-after": str(fault.retry_after)} if fault.retry_after is not None else {}
    if fault.status == 429:
        return answer(_refusal(body, error("rateLimit")), {**headers, **more}, 429)
    return answer({"message": "Something went wrong while processing this request"}, {**headers, **more}, fault.status)


def _wrong_types(body: Json) -> Json:
    """Every fixture with words where numbers belong, and an object where the list of events belongs."""
    response = body["response"]
    wrong = [
        item | {"goals": {"home": "one", "away": []}, "events": {"0": "goal"}, "fixture": item["fixture"] | {"id": "?"}}
        for item in response
    ]
    return body | {"response": wrong, "results": str(len(wrong))}


def cut_off(whole: bytes, headers: dict[str, str], media_type: str) -> Response:
    """Half of the bytes, then the connection is closed although the length promised all of them."""

    async def half() -> AsyncIterator[bytes]:
        yield whole[: len(whole) // 2]
        raise ConnectionAbortedError("the script says: cut off here")

    return StreamingResponse(half(), headers=headers | {"content-length": str(len(whole))}, media_type=media_type)
