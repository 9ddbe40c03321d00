"""The state of the service, for health checks, metrics and people. Contains no secret and does not use the browser."""

from datetime import datetime
from typing import Any

from found_footy.platform.version import build_info
from found_footy.xsearch import metrics
from found_footy.xsearch.browser.supervisor import BrowserState
from found_footy.xsearch.service import XSearchService
from found_footy.xsearch.session.state import SessionState

_WORKING_STATES = (SessionState.AUTHENTICATED, SessionState.UNKNOWN)


def health_report(service: XSearchService) -> dict[str, Any]:
    """`status` is "ok" if a search is likely to succeed now, else "degraded"; the other fields say why."""
    return {
        "status": "ok" if _is_healthy(service) else "degraded",
        "site": service.settings.site,
        "session": session_report(service),
        "browser": {
            "state": service.supervisor.state,
            "detail": service.supervisor.detail,
            "restarts": service.supervisor.restarts,
            "screen": not service.settings.headless,
        },
        "budget": _budget_report(service),
        "queue": {
            "searching": service.throttle.is_busy,
            "waiting": service.throttle.waiting,
            "next_turn_seconds": round(service.throttle.expected_wait(), 1),
            "draining": service.throttle.is_closing,
        },
        "canary": _canary_report(service),
        "answers": _answers_report(service),
        "last_success": _format_time(service.last_success),
        "version": build_info().version,
        "commit": build_info().commit,
    }


def session_report(service: XSearchService) -> dict[str, Any]:
    now, known = service.account.now(), service.account.session
    failure = known.active_failure(now)
    doubt = (
        "" if service.is_confirmed else "it is unknown whether X shows this account posts: the canary checks that next"
    )
    return {
        "state": known.reported_state(now),
        "since": _format_time(known.since),
        "problem": failure.code if failure else None,
        "detail": failure.message if failure else doubt,
        "paused_until": _format_time(failure.until) if failure else None,
    }


def refresh_gauges(service: XSearchService) -> None:
    """Update the gauges; called when they are read, so that an idle service does nothing."""
    state = service.account.state
    for each in SessionState:
        metrics.SESSION_STATE.labels(each).set(each is state)
    metrics.BUDGET_LEFT.set(service.account.budget_ledger.left())
    metrics.BUDGET_LIMIT.set(service.settings.requests_per_window)
    metrics.BROWSER_UP.set(service.supervisor.state is BrowserState.RUNNING)
    if service.last_success:
        metrics.SUCCESS_TIME.set(service.last_success.timestamp())


def _is_healthy(service: XSearchService) -> bool:
    return (
        service.supervisor.state is BrowserState.RUNNING
        and service.account.state in _WORKING_STATES
        and service.account.session.active_failure(service.account.now()) is None
        and service.account.budget_ledger.left() > 0
        and not service.throttle.is_closing
        and service.is_confirmed
    )


def _budget_report(service: XSearchService) -> dict[str, Any]:
    ledger = service.account.budget_ledger
    return {
        "left": ledger.left(),
        "limit": ledger.budget.limit,
        "window_seconds": ledger.budget.window.total_seconds(),
        "opens_at": _format_time(ledger.opens_at()) if ledger.left() < 1 else None,
    }


def _canary_report(service: XSearchService) -> dict[str, Any] | None:
    if (last := service.canary) is None:
        return None
    return {
        "at": _format_time(last.at),
        "ok": last.ok,
        "detail": last.detail,
        "posts": last.posts,
        "videos": last.videos,
    }


def _answers_report(service: XSearchService) -> dict[str, Any]:
    """`doubtful`: the site recently returned an empty answer that was contradicted."""
    known = service.account.empty_answers
    return {
        "confirmed": service.is_confirmed,
        "doubtful": known.is_doubtful(service.account.now()),
        "posts_seen": _format_time(known.posts_at),
    }


def _format_time(at: datetime | None) -> str | None:
    return at.isoformat(timespec="seconds") if at else None
