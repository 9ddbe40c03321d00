"""Curators' acts on the page of a goal, by forms that need no script."""

from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated
from uuid import uuid4

from fastapi import APIRouter, Path, Request, Response

from found_footy.access.levels import AccessLevel
from found_footy.archive.moderation.audit_log import AuditAction, AuditEntry, AuditState
from found_footy.archive.moderation.service import ModerationRequest, ModerationResult
from found_footy.archive.moderation.undo import can_undo, undo_action
from found_footy.platform.errors import BadInput, NotFound
from found_footy.web.access import EVENT_ID_PATTERN
from found_footy.web.accounts.page_parts import describe_refusal, render_account_page
from found_footy.web.accounts.principals import Principal, PrincipalDep, find_principal
from found_footy.web.forms import FormDep, redirect_after_form
from found_footy.web.goal_details import load_goal
from found_footy.web.manual_clips import add_clip_to_goal
from found_footy.web.problems import ProblemError
from found_footy.web.session_cookies import USER_COOKIE, read_token_cookie
from found_footy.web.state import WebState, WebStateDep

router = APIRouter(include_in_schema=False)
EventId = Annotated[str, Path(pattern=EVENT_ID_PATTERN)]
_SHOWN_ACTS = 20
_MAX_REASON_LENGTH = 500
_ACT_WORDS = {
    AuditAction.PIN: "Pinned",
    AuditAction.UNPIN: "Unpinned",
    AuditAction.KEEP_APART: "Kept apart",
    AuditAction.MERGE_AGAIN: "Comparison decides again",
    AuditAction.WRONG_GOAL: "Marked as wrong goal",
    AuditAction.TAKE_DOWN: "Taken down",
    AuditAction.UNBLOCK: "Unblocked",
    AuditAction.ADD_CLIP: "Added by URL",
}


@dataclass(frozen=True)
class CuratedAct:
    """An entry of the goal's audit log. `can_undo`: it is the latest decision about its target and can be undone."""

    entry: AuditEntry
    words: str
    can_undo: bool


@dataclass(frozen=True)
class CuratorTools:
    """What a curator sees on the page of a goal besides what everybody sees."""

    csrf_token: str
    notice: str
    acts: tuple[CuratedAct, ...]
    can_add: bool


async def find_curator(web: WebState, request: Request) -> Principal | None:
    """Return the curator who asks for a page; None for everybody else, without a look into the database for those who
    have no cookie.
    """
    if not read_token_cookie(request, USER_COOKIE):
        return None
    principal = await find_principal(web, request)
    return principal if principal.session is not None and principal.level >= AccessLevel.CURATE else None


async def load_curator_tools(
    web: WebState, curator: Principal, event_ids: tuple[str, ...], *, takes_notice: bool
) -> CuratorTools:
    """`takes_notice` is False where a script renews the page: the notice is for the page that a person loads."""
    entries = await web.access.stores.audit_log.read_goal_history(event_ids, _SHOWN_ACTS)
    session = curator.session
    return CuratorTools(
        session.csrf_token if session else "",
        await web.access.stores.sessions.take_notice(session.session_id) if session and takes_notice else "",
        tuple(_list_acts(entries)),
        web.deps.add_clip is not None,
    )


def _list_acts(entries: list[AuditEntry]) -> list[CuratedAct]:
    """Only the latest act on a question can be undone: an earlier one is no longer what holds. Which clip is pinned is
    one question of the goal.
    """
    acts: list[CuratedAct] = []
    decided: set[tuple[str, ...]] = set()
    for entry in entries:
        question = ("pin",) if entry.action in (AuditAction.PIN, AuditAction.UNPIN) else entry.targets
        is_latest = question not in decided
        if entry.state is AuditState.DONE:
            decided.add(question)
        words = _ACT_WORDS.get(entry.action, entry.action.value)
        acts.append(CuratedAct(entry, words, is_latest and can_undo(entry)))
    return acts


@router.post("/goals/{event_id}/curate")
async def curate(web: WebStateDep, principal: PrincipalDep, event_id: EventId, fields: FormDep) -> Response:
    """One act on the goal or one of its clips. Taking down asks for confirmation."""
    _, goal = await load_goal(web, event_id)
    act, clip_id = fields.get("act", ""), fields.get("clip", "")
    if act == "take-down" and fields.get("confirmed") != "yes":
        return _render_confirmation(web, principal, goal.event_id, fields)
    if act not in ("add", "undo") and clip_id not in {clip.clip_id for clip in goal.clips}:
        raise ProblemError(HTTPStatus.NOT_FOUND, "The goal has no such clip any more. Load its page again.")
    try:
        words = await _carry_out(web, principal, goal.event_id, fields)
    except (BadInput, NotFound) as error:
        raise describe_refusal(error) from error
    if principal.session is not None:
        await web.access.stores.sessions.set_notice(principal.session.session_id, words)
    return redirect_after_form(f"/goals/{goal.event_id}#curate")


async def _carry_out(web: WebState, principal: Principal, event_id: str, fields: dict[str, str]) -> str:
    """Carry the act out and return what to say about it."""
    reason = " ".join(fields.get("reason", "").split())[:_MAX_REASON_LENGTH]
    request = ModerationRequest(principal.name, uuid4().hex, reason)
    service, clip_id, act = web.access.moderation, fields.get("clip", ""), fields.get("act", "")
    if act == "add":
        added = await add_clip_to_goal(web, event_id, fields.get("url", "").strip()[:2000], principal.name)
        return f"It is being fetched and checked: {', '.join(added.urls)}"
    simple = {
        "pin": service.pin,
        "unpin": service.unpin,
        "wrong-goal": service.mark_wrong_goal,
        "take-down": service.take_down,
    }
    if act in simple:
        if act == "take-down" and not reason:
            raise BadInput("say who asked for it and why")
        return _join_words(await simple[act](clip_id, request))
    if act == "apart":
        return _join_words(await service.keep_apart(clip_id, fields.get("other", ""), request))
    if act == "undo":
        return _join_words(await _undo(web, event_id, fields.get("entry", ""), request))
    raise BadInput("there is no such act")


async def _undo(web: WebState, event_id: str, entry_id: str, request: ModerationRequest) -> ModerationResult:
    history = await web.access.stores.audit_log.read_goal_history((event_id,), _SHOWN_ACTS)
    act = next((one for one in _list_acts(history) if one.entry.id == entry_id), None)
    if act is None or not act.can_undo:
        raise BadInput("this act cannot be undone, or a later one has replaced it")
    return await undo_action(web.access.moderation, act.entry, request)


def _join_words(result: ModerationResult) -> str:
    return " ".join(result.words)


def _render_confirmation(web: WebState, principal: Principal, event_id: str, fields: dict[str, str]) -> Response:
    return render_account_page(
        web,
        "take_down.html",
        principal.session,
        event_id=event_id,
        clip=fields.get("clip", ""),
        reason=fields.get("reason", ""),
    )
