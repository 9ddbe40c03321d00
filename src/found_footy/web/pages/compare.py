"""Up to four angles of a goal, played in step."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus

from fastapi import APIRouter, Response
from fastapi.responses import RedirectResponse

from found_footy.fingerprint import Fingerprint, compare_fingerprints
from found_footy.views.goal_views import AngleView
from found_footy.web.fingerprints import load_fingerprint
from found_footy.web.goal_details import GoalMoved, load_goal_details
from found_footy.web.pages.goal import EventId
from found_footy.web.state import WebStateDep

router = APIRouter(include_in_schema=False)

_MAX_ANGLES = 4
_SECONDS_PER_MINUTE = 60
_CLOCK = re.compile(r"(?P<minutes>\d{1,3}):(?P<seconds>[0-5]\d)")
# How it is known where an angle begins.
BY_FINGERPRINT, BY_CLOCK, UNKNOWN = "the pictures", "the clock in the picture", ""


@dataclass(frozen=True)
class AlignedAngle:
    """`offset` is how many seconds into the first angle this one begins; negative if it begins earlier."""

    angle: AngleView
    offset: float
    aligned_by: str


@router.get("/goals/{event_id}/compare")
async def show_comparison(web: WebStateDep, event_id: EventId) -> Response:
    try:
        details = await load_goal_details(web, event_id)
    except GoalMoved as moved:
        return RedirectResponse(f"/goals/{moved.event_id}/compare", HTTPStatus.FOUND, {"Cache-Control": "no-cache"})
    angles = details.angles[:_MAX_ANGLES]
    prints = await asyncio.gather(*(load_fingerprint(web, one.fingerprint_key) for one in angles))
    aligned = await web.page_cache.run_exclusively(lambda: align_angles(angles, prints))
    return web.renderer.render_page(
        "compare.html", page_name="compare", details=details, goal=details.goal, match=details.match, aligned=aligned
    )


def align_angles(angles: Sequence[AngleView], prints: Sequence[Fingerprint | None]) -> tuple[AlignedAngle, ...]:
    """Align every angle with the first: by common pictures, else by the clock that was read in both."""
    return tuple(
        AlignedAngle(angle, 0.0, UNKNOWN) if number == 0 else _align(angles[0], prints[0], angle, prints[number])
        for number, angle in enumerate(angles)
    )


def _align(
    first: AngleView, first_print: Fingerprint | None, other: AngleView, other_print: Fingerprint | None
) -> AlignedAngle:
    if first_print is not None and other_print is not None:
        match = compare_fingerprints(first_print, other_print)
        if match.matched:
            return AlignedAngle(other, round(match.offset, 3), BY_FINGERPRINT)
    one, two = read_clock_at_start(first), read_clock_at_start(other)
    if one is not None and two is not None:
        return AlignedAngle(other, round(two - one, 3), BY_CLOCK)
    return AlignedAngle(other, 0.0, UNKNOWN)


def read_clock_at_start(angle: AngleView) -> float | None:
    """The match clock in seconds at the first frame of a clip, from the first frame whose clock was read."""
    for frame in angle.frames:
        found = _CLOCK.fullmatch(frame.clock)
        if found:
            return int(found["minutes"]) * _SECONDS_PER_MINUTE + int(found["seconds"]) - frame.seconds
    return None
