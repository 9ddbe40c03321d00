"""The X search service, simulated: `POST /search` and `GET /health`."""

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from pydantic import AwareDatetime, BaseModel, Field, ValidationError
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Route

from found_footy_sim.post_schedule import PostSchedule, PublishedPost, post_url, search_posts
from found_footy_sim.rendered_clips import RenderedClips
from found_footy_sim.script.model import Scenario, SearchFault, SearchFaultKind
from found_footy_sim.wall_clock import WallClock

Json = dict[str, Any]

_FAULT_DETAILS = {
    SearchFaultKind.SESSION_EXPIRED: "the session is logged out",
    SearchFaultKind.RATE_LIMITED: "too many searches",
    SearchFaultKind.BLOCKED: "the search page is behind a challenge",
    SearchFaultKind.ACCOUNT_LOCKED: "the account is locked until a person unlocks it",
    SearchFaultKind.PROTOCOL_DRIFT: "the search page answers in an unknown shape",
    SearchFaultKind.TRANSIENT: "the search page did not load",
}


class SearchServiceRequest(BaseModel):
    """`max_age_minutes` counts real minutes: at speed 20, three of them cover a whole hour of the match. `since`
    reaches farther back.
    """

    query: str = Field(min_length=1, max_length=512)
    max_age_minutes: float = Field(default=3, gt=0)
    limit: int = Field(default=30, ge=1, le=200)
    exclude: list[str] = Field(default_factory=list)
    since: AwareDatetime | None = None


@dataclass
class SimulatedSearchService:
    scenario: Scenario
    schedule: PostSchedule
    rendered_clips: RenderedClips
    now: WallClock
    public_url: str | None = None
    search_count: int = 0
    session_state: str = "authenticated"
    is_off: bool = False

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/search", self.search, methods=["POST"]),
            Route("/health", self.health),
            Route("/off", self.switch_off, methods=["POST"]),
        ]

    async def switch_off(self, _: Request) -> Response:
        """From now on X cannot be searched."""
        self.is_off = True
        return JSONResponse({"off": True})

    async def search(self, request: Request) -> Response:
        try:
            asked = SearchServiceRequest.model_validate_json(await request.body())
        except ValidationError as error:
            return JSONResponse({"error": "bad_request", "detail": str(error)}, 422)
        self.search_count += 1
        if self.is_off:
            return JSONResponse({"error": "unavailable", "detail": "X is switched off"}, 503)
        fault = next(
            (
                scheduled
                for scheduled in self.scenario.search_faults
                if scheduled.first <= self.search_count <= scheduled.last
            ),
            None,
        )
        if fault and fault.fault_kind is SearchFaultKind.SLOW:
            await asyncio.sleep(fault.seconds)
        elif fault:
            self.session_state = _session_state(fault)
            return _fault_response(fault)
        self.session_state = "authenticated"
        base = self.public_url or str(request.base_url)
        return JSONResponse({"videos": [self._describe_video(item, base) for item in self._find_posts(asked)]})

    async def health(self, _: Request) -> Response:
        if self.is_off:
            return JSONResponse({"error": "unavailable", "detail": "X is switched off"}, 503)
        status = "ok" if self.session_state == "authenticated" else "degraded"
        return JSONResponse({"status": status, "session": {"state": self.session_state}, "simulated": True})

    def _find_posts(self, asked: SearchServiceRequest) -> list[PublishedPost]:
        now = self.now()
        return search_posts(
            self.schedule.list_published(),
            asked.query,
            now=now,
            max_age=max(timedelta(minutes=asked.max_age_minutes), now - (asked.since or now)),
            limit=asked.limit,
            exclude=frozenset(asked.exclude),
        )

    def _describe_video(self, item: PublishedPost, base: str) -> Json:
        clip = self.scenario.get_clip(item.post.clip)
        return {
            "url": post_url(item),
            "tweet_id": item.tweet_id,
            "author": item.author,
            "posted_at": item.posted_at.isoformat(),
            "duration_seconds": self.rendered_clips.duration(clip),
            "text": item.post.text,
            "variants": [
                {
                    "url": f"{base.rstrip('/').removesuffix('/x')}/video/{item.media}/{w}x{h}/{clip.name}.mp4",
                    "bitrate": rate,
                    "width": w,
                    "height": h,
                }
                for w, h, rate in self.rendered_clips.variants(clip)
            ],
        }


def _session_state(fault: SearchFault) -> str:
    match fault.fault_kind:
        case SearchFaultKind.SESSION_EXPIRED:
            return "expired"
        case SearchFaultKind.RATE_LIMITED | SearchFaultKind.BLOCKED | SearchFaultKind.ACCOUNT_LOCKED:
            return str(fault.fault_kind)
    return "authenticated"


def _fault_response(fault: SearchFault) -> Response:
    if fault.fault_kind is SearchFaultKind.HTML:
        return HTMLResponse("<html><body>502 Bad Gateway</body></html>", 502)
    retry = fault.seconds or (900.0 if fault.fault_kind is SearchFaultKind.RATE_LIMITED else None)
    body = {"error": fault.fault_kind, "detail": _FAULT_DETAILS[fault.fault_kind], "retry_after": retry}
    headers = {"retry-after": str(int(retry))} if retry else {}
    return JSONResponse(body, 429 if fault.fault_kind is SearchFaultKind.RATE_LIMITED else 503, headers)
