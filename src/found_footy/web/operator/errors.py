"""What failed where, with a retry and a dismissal of each item."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus

from fastapi import APIRouter, Response

from found_footy.archive.maintenance.services import new_audit_id
from found_footy.archive.moderation.audit_log import AuditAction, AuditEntry, AuditLog, record_action
from found_footy.discovery.store import DiscoveryStore
from found_footy.notify.store import NotifyStore
from found_footy.platform.errors import Conflict, ExternalSystemError, NotFound
from found_footy.views.error_store import ErrorStore
from found_footy.views.error_views import (
    ERROR_TITLES,
    ErrorItem,
    ErrorKind,
    build_clip_error,
    build_feed_error,
    build_message_error,
    build_source_error,
    build_workflow_errors,
    leave_out_dismissed,
)
from found_footy.views.timetable import find_time_zone
from found_footy.web.accounts.principals import Principal, PrincipalDep
from found_footy.web.forms import FormDep, redirect_after_form
from found_footy.web.operator.page_frame import render_operator_page
from found_footy.web.pages.match_day import ZoneCookie
from found_footy.web.problems import ProblemError
from found_footy.web.state import WebState, WebStateDep

router = APIRouter(include_in_schema=False)

_LOOK_BACK = timedelta(days=7)
_MAX_ITEMS = 100
_MAX_WORKFLOWS = 20


@dataclass(frozen=True)
class ErrorReport:
    """`unknown` says which systems could not be asked, so that an empty list does not look like good news."""

    items: list[ErrorItem]
    unknown: list[str]

    def list_sections(self) -> list[tuple[ErrorKind, str, str, list[ErrorItem]]]:
        by_kind = {kind: [one for one in self.items if one.kind is kind] for kind in ERROR_TITLES}
        return [(kind, *ERROR_TITLES[kind], items) for kind, items in by_kind.items() if items]


@router.get("/operator/errors")
async def show_errors(web: WebStateDep, principal: PrincipalDep, zone: ZoneCookie = None) -> Response:
    report = await load_errors(web)
    letters = await web.uploads.deps.dead_letters.list_letters(_MAX_ITEMS) if web.uploads else []
    return render_operator_page(
        web,
        principal,
        "errors.html",
        sections=report.list_sections(),
        unknown=report.unknown,
        letters=len(letters),
        days=_LOOK_BACK.days,
        zone=find_time_zone(zone),
    )


async def load_errors(web: WebState) -> ErrorReport:
    """Everything that failed within the last days and was not dismissed since."""
    store, since = ErrorStore(web.deps.database), web.deps.clock() - _LOOK_BACK
    workflows, unknown = await _load_workflow_errors(web)
    entries = await NotifyStore(web.deps.database).list_entries(_MAX_ITEMS, None, only_unsent=True)
    items = [
        *_present([build_feed_error(await store.read_feed_error())]),
        *_present(build_source_error(one) for one in await web.browsing.sources.get()),
        *workflows,
        *_present(build_message_error(one) for one in entries),
        *_present(build_clip_error(row) for row in await store.list_failed_clips(since, _MAX_ITEMS)),
    ]
    dismissed = await store.read_dismissed([one.key for one in items])
    return ErrorReport(leave_out_dismissed(items, dismissed), unknown)


def _present(items: Iterable[ErrorItem | None]) -> list[ErrorItem]:
    return [one for one in items if one is not None]


async def _load_workflow_errors(web: WebState) -> tuple[list[ErrorItem], list[str]]:
    if web.deps.operator is None:
        return [], []
    try:
        runs = await web.deps.operator.list_failed_workflows(web.deps.clock() - _LOOK_BACK, _MAX_WORKFLOWS)
    except ExternalSystemError as error:
        return [], [str(error)]
    return build_workflow_errors(runs), []


@router.post("/operator/errors/retry")
async def retry_error(web: WebStateDep, principal: PrincipalDep, fields: FormDep) -> Response:
    chosen = await _require_error(web, fields.get("key", ""))
    if not chosen.can_retry:
        raise ProblemError(HTTPStatus.CONFLICT, "This cannot be tried again by hand.")
    try:
        async with record_action(
            AuditLog(web.deps.database), _build_entry(web, principal, AuditAction.RETRY, chosen), web.deps.clock
        ):
            await _retry(web, chosen)
            await _hide(web, principal, chosen)
    except (NotFound, Conflict) as error:
        raise ProblemError(HTTPStatus.CONFLICT, f"Not tried again: {error}.") from error
    return redirect_after_form("/operator/errors")


async def _retry(web: WebState, chosen: ErrorItem) -> None:
    """Raises NotFound if what failed is gone, Conflict if it was tried again meanwhile."""
    match chosen.kind:
        case ErrorKind.CLIP:
            event_id, url = chosen.subject
            if not await DiscoveryStore(web.deps.database).reopen_candidate(event_id, url, web.deps.clock()):
                raise NotFound("the goal or the link is gone")
        case ErrorKind.MESSAGE:
            if not await NotifyStore(web.deps.database).reopen_entry(chosen.subject[0]):
                raise Conflict("the message was sent or is being sent")
        case ErrorKind.WORKFLOW if web.deps.operator is not None:
            workflow_id, run_id = chosen.subject
            await web.deps.operator.restart_workflow(workflow_id, run_id, "tried again on the operator's page")
        case _:
            raise NotFound("nothing tries this again")


@router.post("/operator/errors/dismiss")
async def dismiss_error(web: WebStateDep, principal: PrincipalDep, fields: FormDep) -> Response:
    chosen = await _require_error(web, fields.get("key", ""))
    entry = _build_entry(web, principal, AuditAction.DISMISS, chosen)
    async with record_action(AuditLog(web.deps.database), entry, web.deps.clock):
        await _hide(web, principal, chosen)
    return redirect_after_form("/operator/errors")


async def _require_error(web: WebState, key: str) -> ErrorItem:
    found = next((one for one in (await load_errors(web)).items if one.key == key), None)
    if found is None:
        raise ProblemError(HTTPStatus.NOT_FOUND, "This error is no longer listed: it was solved or dismissed.")
    return found


async def _hide(web: WebState, principal: Principal, chosen: ErrorItem) -> None:
    """Hide the failure that was shown, and earlier ones; the next one is shown again."""
    at = chosen.at or web.deps.clock()
    await ErrorStore(web.deps.database).dismiss(chosen.key, at, principal.name)


def _build_entry(web: WebState, principal: Principal, action: AuditAction, chosen: ErrorItem) -> AuditEntry:
    return AuditEntry(
        new_audit_id(), web.deps.clock(), principal.name, action, (chosen.key,), reason=chosen.cause[:200]
    )
