"""Dead letters for the operator, who sends or signs in with the admin token: messages about uploads that could not be
processed, and their replay.
"""

import asyncio
import hashlib
from datetime import datetime
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel

from found_footy.uploads.intake.dead_letter_store import DeadLetter
from found_footy.uploads.organizations.sessions import Session
from found_footy.views.timetable import find_time_zone
from found_footy.web.problems import ProblemError, build_token_problem
from found_footy.web.state import WebState, WebStateDep, check_admin_token, peer_address
from found_footy.web.uploads.access import UploadsStateDep, find_session, has_csrf_token
from found_footy.web.uploads.api import problem_responses
from found_footy.web.uploads.organization_pages import PAGE_HEADERS, ZoneCookie
from found_footy.web.uploads.sessions import CSRF_FIELD, FormDep, end_session, redirect_with_session

_ROUTE_CLOSED_MESSAGE = "Set FOOTY_WEB__ADMIN_TOKEN, or run `found-footy uploads dead-letters` on the machine itself."
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


def _require_admin_token(web: WebState, request: Request, purpose: str) -> None:
    refusal = check_admin_token(web, request, purpose)
    if refusal is not None:
        raise build_token_problem(refusal, _ROUTE_CLOSED_MESSAGE)


@router.get("/api/v1/dead-letters", tags=["operator"])
async def list_dead_letters(
    request: Request, web: WebStateDep, uploads: UploadsStateDep, organization: OrganizationQuery = None
) -> DeadLetterListResponse:
    """Messages about uploads that could not be processed. Needs the admin token."""
    _require_admin_token(web, request, "dead letters")
    letters = await uploads.deps.dead_letters.list_letters(_SHOWN_LETTERS, organization)
    return DeadLetterListResponse(dead_letters=[_build_letter_view(one) for one in letters])


@router.post("/api/v1/dead-letters/replay", tags=["operator"])
async def replay_dead_letters(
    request: Request, web: WebStateDep, uploads: UploadsStateDep, organization: OrganizationQuery = None
) -> ReplayResponse:
    """Put the messages into the queue again. Needs the admin token."""
    _require_admin_token(web, request, "replay of dead letters")
    report = await uploads.deps.dead_letters.replay(organization)
    return ReplayResponse(replayed=report.replayed, kept=report.kept)


@router.get("/operator", include_in_schema=False)
async def show_dead_letters(
    request: Request, web: WebStateDep, uploads: UploadsStateDep, zone: ZoneCookie = None
) -> Response:
    session = await _find_operator_session(request, web, uploads)
    if session is None:
        return _render_sign_in(web, HTTPStatus.UNAUTHORIZED)
    letters = await uploads.deps.dead_letters.list_letters(_SHOWN_LETTERS)
    return web.renderer.render_page(
        "operator.html",
        headers=PAGE_HEADERS,
        csrf_token=session.csrf_token,
        letters=[_build_letter_view(one) for one in letters],
        zone=find_time_zone(zone),
    )


def _render_sign_in(web: WebState, status: HTTPStatus, problem: str = "") -> Response:
    return web.renderer.render_page(
        "operator_sign_in.html",
        status=status,
        headers=PAGE_HEADERS,
        problem=problem,
        hint=_ROUTE_CLOSED_MESSAGE,
    )


async def _find_operator_session(request: Request, web: WebState, uploads: UploadsStateDep) -> Session | None:
    session = await find_session(uploads, request)
    is_operator = session is not None and session.organization_id is None
    return session if session is not None and is_operator and session.proof == _compute_proof(web) else None


def _compute_proof(web: WebState) -> str:
    """Identify the admin token without storing it: a session ends when another token is set."""
    token = web.deps.settings.admin_token
    return hashlib.sha256(b"operator:" + token.get_secret_value().encode()).hexdigest() if token else ""


@router.post("/operator", include_in_schema=False)
async def sign_in_operator(request: Request, web: WebStateDep, uploads: UploadsStateDep, fields: FormDep) -> Response:
    now = asyncio.get_running_loop().time()
    given = f"Bearer {fields.get('token', '').strip()}"
    refusal = web.token_guard.check_token(given, peer_address(request), now, operation="signing in as operator")
    if refusal is not None:
        failure = build_token_problem(refusal, _ROUTE_CLOSED_MESSAGE).failure
        return _render_sign_in(web, failure.status, failure.detail)
    token = await uploads.deps.sessions.open(None, _compute_proof(web))
    return redirect_with_session(request, web, token, "/operator")


async def _require_operator_form(
    request: Request, web: WebState, uploads: UploadsStateDep, fields: dict[str, str]
) -> None:
    session = await _find_operator_session(request, web, uploads)
    if session is None:
        raise ProblemError(HTTPStatus.UNAUTHORIZED, "You are signed out. Sign in again.")
    if not has_csrf_token(session, request, fields.get(CSRF_FIELD, "")):
        raise ProblemError(HTTPStatus.FORBIDDEN, "The page is out of date, or not ours. Load it again.")


@router.post("/operator/replay", include_in_schema=False)
async def replay_from_form(
    request: Request, web: WebStateDep, uploads: UploadsStateDep, fields: FormDep, zone: ZoneCookie = None
) -> Response:
    await _require_operator_form(request, web, uploads, fields)
    await uploads.deps.dead_letters.replay()
    return await show_dead_letters(request, web, uploads, zone)


@router.post("/operator/sign-out", include_in_schema=False)
async def sign_out_operator(request: Request, web: WebStateDep, uploads: UploadsStateDep, fields: FormDep) -> Response:
    await _require_operator_form(request, web, uploads, fields)
    return await end_session(request, uploads, "/operator")
