"""The X search service, simulated: `POST /search` and `GET /health`."""

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from pydantic import AwareDatetime, BaseModel, Field, ValidationError
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Route

from found_footy.sim.clock import WallClock
from found_footy.sim.films import Films
from found_footy.sim.posts import Board, Published, address, select
from found_footy.sim.script.model import Scenario, SearchBreaks, SearchFault

Json = dict[str, Any]

_DETAIL = {
    SearchBreaks.SESSION_EXPIRED: "the session is logged out",
    SearchBreaks.RATE_LIMITED: "too many searches",
    SearchBreaks.BLOCKED: "the search page is behind a challenge",
    SearchBreaks.ACCOUNT_LOCKED: "the account is locked until a person unlocks it",
    SearchBreaks.PROTOCOL_DRIFT: "the search page answers in an unknown shape",
    SearchBreaks.TRANSIENT: "the search page did not load",
}


class Asked(BaseModel):
    """`max_age_minutes` counts real minutes: at speed 20, three of them hold a whole hour of the match. `since` reaches
    farther back.
    """

    query: str = Field(min_length=1, max_length=512)
    max_age_minutes: float = Field(default=3, gt=0)
    limit: int = Field(default=30, ge=1, le=200)
    exclude: list[str] = Field(default_factory=list)
    since: AwareDatetime | None = None


@dataclass
class SearchService:
    scenario: Scenario
    board: Board
    films: Films
    now: WallClock
    public_url: str | None = None
    searches: int = 0
    session: str = "authenticated"

    def routes(self) -> list[BaseRoute]:
        return [Route("/search", self.search, methods=["POST"]), Route("/health", self.health)]

    async def search(self, request: Request) -> Response:
        try:
            asked = Asked.model_validate_json(await request.body())
        except ValidationError as error:
            return JSONResponse({"error": "bad_request", "detail": str(error)}, 422)
        self.searches += 1
        fault = next((said for said in self.scenario.search_faults if said.first <= self.searches <= said.last), None)
        if fault and fault.breaks is SearchBreaks.SLOW:
            await asyncio.sleep(fault.seconds)
        elif fault:
            self.session = _session(fault)
            return _failure(fault)
        self.session = "authenticated"
        base = self.public_url or str(request.base_url)
        return JSONResponse({"videos": [self._video(item, base) for item in self._found(asked)]})

    async def health(self, _: Request) -> Response:
        status = "ok" if self.session == "authenticated" else "degraded"
        return JSONResponse({"status": status, "session": {"state": self.session}, "simulated": True})

    def _found(self, asked: Asked) -> list[Published]:
        now = self.now()
        return select(
            self.board.out(),
            asked.query,
            now=now,
            max_age=max(timedelta(minutes=asked.max_age_minutes), now - (asked.since or now)),
            limit=asked.limit,
            exclude=frozenset(asked.exclude),
        )

    def _video(self, item: Published, base: str) -> Json:
        clip = self.scenario.clip(item.post.clip)
        return {
            "url": address(item),
            "tweet_id": item.tweet_id,
            "author": item.author,
            "posted_at": item.posted_at.isoformat(),
            "duration_seconds": self.films.duration(clip),
            "text": item.post.text,
            "variants": [
                {"url": f"{base.rstrip('/').removesuffix('/x')}/video/{item.media}/{w}x{h}/{clip.name}.mp4",
                 "bitrate": rate, "width": w, "height": h}
                for w, h, rate in self.films.variants(clip)
            ],
        }  # fmt: skip


def _session(fault: SearchFault) -> str:
    match fault.breaks:
        case SearchBreaks.SESSION_EXPIRED:
            return "expired"
        case SearchBreaks.RATE_LIMITED | SearchBreaks.BLOCKED | SearchBreaks.ACCOUNT_LOCKED:
            return str(fault.breaks)
    return "authenticated"


def _failure(fault: SearchFault) -> Response:
    if fault.breaks is SearchBreaks.HTML:
        return HTMLResponse("<html><body>502 Bad Gateway</body></html>", 502)
    retry = fault.seconds or (900.0 if fault.breaks is SearchBreaks.RATE_LIMITED else None)
    body = {"error": fault.breaks, "detail": _DETAIL[fault.breaks], "retry_after": retry}
    headers = {"retry-after": str(int(retry))} if retry else {}
    return JSONResponse(body, 429 if fault.breaks is SearchBreaks.RATE_LIMITED else 503, headers)
