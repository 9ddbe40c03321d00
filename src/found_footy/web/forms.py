"""Small forms: their fields, the pages that may send them, and where they lead afterwards."""

import hmac
from http import HTTPStatus
from typing import Annotated, Protocol
from urllib.parse import parse_qs, urlsplit

from fastapi import Depends, Request, Response
from fastapi.responses import RedirectResponse

from found_footy.platform.http.caller_checks import is_same_origin
from found_footy.web.content_policy import build_content_security_policy
from found_footy.web.problems import ProblemError

CSRF_FIELD = "csrf_token"
CSRF_HEADER = "x-csrf-token"
MAX_FORM_BYTES = 4096
FORM_TYPE = "application/x-www-form-urlencoded"
# Forms of these pages are sent to this server; nothing of them is kept by a browser after signing out.
PAGE_HEADERS = {
    "Content-Security-Policy": build_content_security_policy(allows_forms=True),
    "Cache-Control": "no-store",
}
_MAX_FIELDS = 8
MAX_TARGET_LENGTH = 500


class CsrfSession(Protocol):
    """A session of a user or of an organization."""

    @property
    def csrf_token(self) -> str: ...


def has_csrf_token(session: CsrfSession, request: Request, token: str) -> bool:
    """Whether a change was asked for by a page of the given session."""
    return is_same_origin(request.headers) and hmac.compare_digest(token.encode(), session.csrf_token.encode())


def parse_form(body: bytes) -> dict[str, str]:
    """Return the fields of a small form; of a repeated one, the last value."""
    try:
        fields = parse_qs(body.decode("ascii"), max_num_fields=_MAX_FIELDS, errors="strict")
    except ValueError as error:
        raise ProblemError(HTTPStatus.BAD_REQUEST, "The form cannot be read.") from error
    return {name: values[-1] for name, values in fields.items()}


async def read_form(request: Request) -> dict[str, str]:
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_FORM_BYTES:
            raise ProblemError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "The form is too large.")
    return parse_form(body)


FormDep = Annotated[dict[str, str], Depends(read_form)]


def select_local_target(text: str, default: str = "/") -> str:
    """Return where to go next if that is a page of ours, else the default. Browsers read `//host`, `/\\host` and
    addresses with control characters as those of another site.
    """
    is_plain = text.startswith("/") and not text.startswith("//") and "\\" not in text and text.isprintable()
    if not is_plain or len(text) > MAX_TARGET_LENGTH:
        return default
    parts = urlsplit(text)
    return default if parts.scheme or parts.netloc else text


def redirect_after_form(target: str) -> Response:
    return RedirectResponse(target, HTTPStatus.SEE_OTHER, {"Cache-Control": "no-store"})
