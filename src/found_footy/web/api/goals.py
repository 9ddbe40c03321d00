"""The route of what is known about a goal beyond its clips: proof and history."""

from http import HTTPStatus
from typing import Annotated

from fastapi import Path, Request, Response
from fastapi.responses import RedirectResponse
from pydantic import BaseModel, TypeAdapter

from found_footy.views.goal_timeline import GoalTimelineEntry
from found_footy.views.goal_views import AngleView, CopyView, FieldCheckView, FrameView, GoalDetailsView
from found_footy.views.search import FixtureHeadline, build_headline
from found_footy.web.access import EVENT_ID_PATTERN
from found_footy.web.api.responses import describe_problems, make_router, respond_with_etag
from found_footy.web.goal_details import GoalMoved, load_goal_details
from found_footy.web.state import WebStateDep

router = make_router()


class AngleEvidence(BaseModel):
    """Why a clip is taken for this goal: what its frames show beside what the goal should show, and its copies."""

    clip_id: str
    verified: bool
    reader: str
    verdict: str
    checks: tuple[FieldCheckView, ...]
    frames: tuple[FrameView, ...]
    copies: tuple[CopyView, ...]


class GoalEvidenceResponse(BaseModel):
    event_id: str
    title: str
    match: FixtureHeadline
    angles: list[AngleEvidence]
    timeline: tuple[GoalTimelineEntry, ...]


_ADAPTER: TypeAdapter[GoalEvidenceResponse] = TypeAdapter(GoalEvidenceResponse)


@router.get(
    "/goals/{event_id}/evidence",
    response_model=GoalEvidenceResponse,
    responses=describe_problems(HTTPStatus.NOT_FOUND) | {int(HTTPStatus.FOUND): {"description": "re-attributed"}},
)
async def get_goal_evidence(
    request: Request, web: WebStateDep, event_id: Annotated[str, Path(pattern=EVENT_ID_PATTERN)]
) -> Response:
    """The proof of each clip and the history of the goal. A re-attributed goal redirects to its new id."""
    try:
        details = await load_goal_details(web, event_id)
    except GoalMoved as moved:
        return RedirectResponse(f"/api/v1/goals/{moved.event_id}/evidence", HTTPStatus.FOUND)
    return respond_with_etag(request, _ADAPTER.dump_json(build_evidence(details)))


def build_evidence(details: GoalDetailsView) -> GoalEvidenceResponse:
    return GoalEvidenceResponse(
        event_id=details.goal.event_id,
        title=details.title,
        match=build_headline(details.match),
        angles=[_build_angle(angle) for angle in details.angles],
        timeline=details.timeline,
    )


def _build_angle(angle: AngleView) -> AngleEvidence:
    return AngleEvidence(
        clip_id=angle.clip.clip_id,
        verified=angle.clip.verified,
        reader=angle.reader,
        verdict=angle.verdict,
        checks=angle.checks,
        frames=angle.frames,
        copies=angle.copies,
    )
