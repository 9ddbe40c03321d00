"""Dead letters for admins: messages about uploads that could not be processed, and their replay."""

from datetime import datetime
from http import HTTPStatus
from typing import Annotated
from uuid import uuid4

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel

from found_footy.archive.moderation.audit_log import AuditAction, AuditEntry, record_action
from found_footy.uploads.intake.dead_letter_store import DeadLetter
from found_footy.uploads.intake.dead_letters import ReplayReport
from found_footy.views.timetable import find_time_zone
from found_footy.web.accounts.principals import Principal, PrincipalDep
from found_footy.web.forms import redirect_after_form
from found_footy.web.operator.page_frame import render_operator_page
from found_footy.web.state import WebState, WebStateDep
from found_footy.web.uploads.access import UploadsStateDep
from found_footy.web.uploads.api import problem_responses
from found_footy.web.uploads.organization_pages import ZoneCookie
from found_footy.web.uploads.state import UploadsState

_SHOWN_LETTERS = 100
_SHOWN_BYTES = 2000
OrganizationQuery = Annotated[str | None, Query(max_length=100)]

_PROBLEMS = (
    HTTPStatus.UNAUTHORIZED,
    HTTPStatus.FORBIDDEN,
    HTTPStatus.NOT_FOUND,
    HTTPStatus.UNPROCESSABLE_ENTITY,
    HTTPStatus.TOO_MANY_REQUESTS,
    HTTPStatus.SERVICE_UNAVAILABLE,
)
router = APIRouter(responses=problem_responses(*_PROBLEMS))


class DeadLetterView(BaseModel):
    """`body` is the beginning of the message, as text."""

    id: str
    kind: str
    reason: str
    at: datetime
    organization_id: str | None
    is_replayable: bool
    body: str


class DeadLetterListResponse(BaseModel):
    dead_letters: list[DeadLetterView]


class ReplayResponse(BaseModel):
    """`kept` are the ids of letters that cannot be replayed, with the reason."""

    replayed: int
    kept: dict[str, str]


def _build_letter_view(letter: DeadLetter) -> DeadLetterView:
    return DeadLetterView(
        id=letter.id,
        kind=letter.kind,
        reason=letter.reason,
        at=letter.at,
        organization_id=letter.organization_id,
        is_replayable=not letter.is_truncated,
        body=letter.body[:_SHOWN_BYTES].decode("utf-8", "replace"),
    )


@router.get("/api/v1/dead-letters", tags=["operator"])
async def list_dead_letters(uploads: UploadsStateDep, organization: OrganizationQuery = None) -> DeadLetterListResponse:
    """Messages about uploads that could not be processed. Needs the scope `admin`."""
    letters = await uploads.deps.dead_letters.list_letters(_SHOWN_LETTERS, organization)
    return DeadLetterListResponse(dead_letters=[_build_letter_view(one) for one in letters])


@router.post("/api/v1/dead-letters/replay", tags=["operator"])
async def replay_dead_letters(
    web: WebStateDep, uploads: UploadsStateDep, principal: PrincipalDep, organization: OrganizationQuery = None
) -> ReplayResponse:
    """Put the messages into the queue again. Needs the scope `admin`."""
    report = await _replay(web, uploads, principal, organization)
    return ReplayResponse(replayed=report.replayed, kept=report.kept)


async def _replay(
    web: WebState, uploads: UploadsState, principal: Principal, organization: str | None = None
) -> ReplayReport:
    now, log = web.access.deps.now, web.access.stores.audit_log
    target = f"organization:{organization}" if organization else "all organizations"
    entry = AuditEntry(uuid4().hex, now(), principal.name, AuditAction.REPLAY_LETTERS, (target,))
    async with record_action(log, entry, now):
        return await uploads.deps.dead_letters.replay(organization)


@router.get("/operator", include_in_schema=False)
async def show_dead_letters(
    web: WebStateDep, uploads: UploadsStateDep, principal: PrincipalDep, zone: ZoneCookie = None
) -> Response:
    letters = await uploads.deps.dead_letters.list_letters(_SHOWN_LETTERS)
    views = [_build_letter_view(one) for one in letters]
    return render_operator_page(web, principal, "operator.html", letters=views, zone=find_time_zone(zone))


@router.post("/operator/replay", include_in_schema=False)
async def replay_from_form(web: WebStateDep, uploads: UploadsStateDep, principal: PrincipalDep) -> Response:
    await _replay(web, uploads, principal)
    return redirect_after_form("/operator")
