"""Who is logged in at the simulated Bluesky."""

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from found_footy.sim.bluesky.posts import a_did

_BEARER = "Bearer "


class Sessions:
    """`passwords` by handle. Tokens are numbered; `expire` makes the access tokens stale, or the refresh tokens too."""

    def __init__(self, passwords: Mapping[str, str]) -> None:
        self.passwords = dict(passwords)
        self.created: list[str] = []
        self.refreshed: list[str] = []
        self.refused: int | None = None
        self._access: set[str] = set()
        self._refresh: dict[str, str] = {}
        self._stale: set[str] = set()

    def expire(self, *, refresh: bool = False) -> None:
        self._stale |= self._access | (set(self._refresh) if refresh else set())

    async def create(self, request: Request) -> Response:
        if self.refused is not None:
            return JSONResponse({"error": "RateLimitExceeded"}, self.refused, {"retry-after": "40"})
        asked: dict[str, Any] = await request.json()
        handle, password = str(asked.get("identifier")), str(asked.get("password"))
        if self.passwords.get(handle) != password:
            return _wrong(401, "AuthenticationRequired", "Invalid identifier or password")
        self.created.append(handle)
        return self._session(handle, request)

    async def refresh(self, request: Request) -> Response:
        token = _token(request)
        if token in self._stale:
            return _wrong(400, "ExpiredToken", "Token has been revoked")
        if token not in self._refresh:
            return _wrong(400, "InvalidToken", "Token could not be verified")
        self.refreshed.append(token)
        return self._session(self._refresh.pop(token), request)

    def objection(self, request: Request) -> Response | None:
        """Why a question with a token is not answered."""
        token = _token(request)
        if token in self._stale:
            return _wrong(400, "ExpiredToken", "Token has expired")
        return None if token in self._access else _wrong(401, "AuthMissing", "Authentication Required")

    def _session(self, handle: str, request: Request) -> Response:
        number = len(self.created) + len(self.refreshed)
        access, refresh = f"access-{number}", f"refresh-{number}"
        self._access.add(access)
        self._refresh[refresh] = handle
        server = {
            "id": "#atproto_pds", "type": "AtprotoPersonalDataServer",
            "serviceEndpoint": f"{str(request.base_url).rstrip('/')}/pds",
        }  # fmt: skip
        return JSONResponse({
            "did": a_did(handle), "handle": handle, "accessJwt": access, "refreshJwt": refresh, "active": True,
            "didDoc": {"id": a_did(handle), "service": [server]},
        })  # fmt: skip


def _token(request: Request) -> str:
    return request.headers.get("authorization", "").removeprefix(_BEARER)


def _wrong(status: int, error: str, message: str) -> Response:
    return JSONResponse({"error": error, "message": message}, status)
