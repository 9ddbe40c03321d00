"""The state of the service, for health checks, figures and people. Holds no secret and touches no browser."""

from datetime import datetime
from typing import Any

from found_footy.platform.version import build
from found_footy.xsearch import metrics
from found_footy.xsearch.keeper import BrowserState
from found_footy.xsearch.service import XSearch
from found_footy.xsearch.session import SessionState

_WORKING = (SessionState.AUTHENTICATED, SessionState.UNKNOWN)


def health(service: XSearch) -> dict[str, Any]:
    """`status` is "ok" if a search asked for now has a fair chance, else "degraded"; the rest says why."""
    return {
        "status": "ok" if _fit(service) else "degraded",
        "site": service.settings.site,
        "session": session(service),
        "browser": {
            "state": service.keeper.state,
            "detail": service.keeper.detail,
            "restarts": service.keeper.restarts,
            "screen": not service.settings.headless,
        },
        "budget": _budget(service),
        "queue": {
            "searching": service.turns.busy,
            "waiting": service.turns.waiting,
            "next_turn_seconds": round(service.turns.expected_wait(), 1),
            "draining": service.turns.closing,
        },
        "canary": _canary(service),
        "answers": _answers(service),
        "last_success": _text(service.last_success),
        "version": build().version,
        "commit": build().commit,
    }


def session(service: XSearch) -> dict[str, Any]:
    now, known = service.account.now(), service.account.session
    standing = known.refusal(now)
    doubt = "" if service.confirmed else "whether X shows this account anything is not certain: the canary will tell"
    return {
        "state": known.shown(now),
        "since": _text(known.since),
        "problem": standing.code if standing else None,
        "detail": standing.message if standing else doubt,
        "paused_until": _text(standing.until) if standing else None,
    }


def refresh_gauges(service: XSearch) -> None:
    """Bring the figures up to date; called when somebody reads them, so that an idle service does nothing."""
    state = service.account.state
    for each in SessionState:
        metrics.SESSION.labels(each).set(each is state)
    metrics.BUDGET_LEFT.set(service.account.ledger.left())
    metrics.BUDGET_LIMIT.set(service.settings.requests_per_window)
    metrics.BROWSER_UP.set(service.keeper.state is BrowserState.RUNNING)
    if service.last_success:
        metrics.SUCCESS_TIME.set(service.last_success.timestamp())


def _fit(service: XSearch) -> bool:
    return (
        service.keeper.state is BrowserState.RUNNING
        and service.account.state in _WORKING
        and service.account.session.refusal(service.account.now()) is None
        and service.account.ledger.left() > 0
        and not service.turns.closing
        and service.confirmed
    )


def _budget(service: XSearch) -> dict[str, Any]:
    ledger = service.account.ledger
    return {
        "left": ledger.left(),
        "limit": ledger.budget.limit,
        "window_seconds": ledger.budget.window.total_seconds(),
        "opens_at": _text(ledger.opens_at()) if ledger.left() < 1 else None,
    }


def _canary(service: XSearch) -> dict[str, Any] | None:
    if (last := service.canary) is None:
        return None
    return {"at": _text(last.at), "ok": last.ok, "detail": last.detail, "posts": last.posts, "videos": last.videos}


def _answers(service: XSearch) -> dict[str, Any]:
    """`doubtful`: the site has answered with nothing of late where there was something."""
    known = service.account.emptiness
    return {
        "confirmed": service.confirmed,
        "doubtful": known.doubtful(service.account.now()),
        "posts_seen": _text(known.posts_at),
    }


def _text(at: datetime | None) -> str | None:
    return at.isoformat(timespec="seconds") if at else None
