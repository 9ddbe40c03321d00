"""Sessions of the simulated Bluesky."""

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from found_footy_sim.bluesky.posts import make_did

_BEARER_PREFIX = "Bearer "


class BlueskySessions:
    """`passwords` by handle. Tokens are numbered; `expire` invalidates the access tokens, or the refresh tokens too."""

    def __init__(self, passwords: Mapping[str, str]) -> None:
        self.passwords = dict(passwords)
        self.created_handles: list[str] = []
        self.refreshed_tokens: list[str] = []
        self.login_error_status: int | None = None
        self._access_tokens: set[str] = set()
        self._handle_by_refresh_token: dict[str, str] = {}
        self._expired_tokens: set[str] = set()

    def expire(self, *, include_refresh: bool = False) -> None:
        self._expired_tokens |= self._access_tokens | (set(self._handle_by_refresh_token) if include_refresh else set())

    async def create_session(self, request: Request) -> Response:
        if self.login_error_status is not None:
            return JSONResponse({"error": "RateLimitExceeded"}, self.login_error_status, {"retry-after": "40"})
        asked: dict[str, Any] = await request.json()
        handle, password = str(asked.get("identifier")), str(asked.get("password"))
        if self.passwords.get(handle) != password:
            return _error_response(401, "AuthenticationRequired", "Invalid identifier or password")
        self.created_handles.append(handle)
        return self._issue_session(handle, request)

    async def refresh_session(self, request: Request) -> Response:
        token = _bearer_token(request)
        if token in self._expired_tokens:
            return _error_response(400, "ExpiredToken", "Token has been revoked")
        if token not in self._handle_by_refresh_token:
            return _error_response(400, "InvalidToken", "Token could not be verified")
        self.refreshed_tokens.append(token)
        return self._issue_session(self._handle_by_refresh_token.pop(token), request)

    def check_token(self, request: Request) -> Response | None:
        """Return the error response for a request whose token is not valid."""
        token = _bearer_token(request)
        if token in self._expired_tokens:
            return _error_response(400, "ExpiredToken", "Token has expired")
        return None if token in self._access_tokens else _error_response(401, "AuthMissing", "Authentication Required")

    def _issue_session(self, handle: str, request: Request) -> Response:
        number = len(self.created_handles) + len(self.refreshed_tokens)
        access, refresh = f"access-{number}", f"refresh-{number}"
        self._access_tokens.add(access)
        self._handle_by_refresh_token[refresh] = handle
        server = {
            "id": "#atproto_pds",
            "type": "AtprotoPersonalDataServer",
            "serviceEndpoint": f"{str(request.base_url).rstrip('/')}/pds",
        }
        return JSONResponse(
            {
                "did": make_did(handle),
                "handle": handle,
                "accessJwt": access,
                "refreshJwt": refresh,
                "active": True,
                "didDoc": {"id": make_did(handle), "service": [server]},
            }
        )


def _bearer_token(request: Request) -> str:
    return request.headers.get("authorization", "").removeprefix(_BEARER_PREFIX)


def _error_response(status: int, error: str, message: str) -> Response:
    return JSONResponse({"error": error, "message": message}, status)
