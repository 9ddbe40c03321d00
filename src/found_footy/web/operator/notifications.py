"""Who is told what: channels with a test button, rules, and browsers that subscribe on the page."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from http import HTTPStatus

from fastapi import APIRouter, Request, Response
from pydantic import SecretStr, ValidationError

from found_footy.domain.notify_documents import OutboxDocument
from found_footy.notify.moments import Moment
from found_footy.notify.push_store import PushSubscriptionStore, build_rule
from found_footy.notify.rules import NotifyRule
from found_footy.notify.settings import WebPushKeys, WebPushSubscription, decode_base64url
from found_footy.notify.store import NotifyStore
from found_footy.platform.errors import BadInput, FoundFootyError
from found_footy.views.timetable import find_time_zone
from found_footy.web.accounts.principals import Principal, PrincipalDep
from found_footy.web.forms import FormDep
from found_footy.web.operator.page_frame import render_operator_page
from found_footy.web.operator_deps import NotificationsPageDeps
from found_footy.web.pages.match_day import ZoneCookie
from found_footy.web.problems import ProblemError
from found_footy.web.state import WebState, WebStateDep

router = APIRouter(include_in_schema=False)

_MAX_NAMES = 20
_MAX_NAME_LENGTH = 80
_P256_POINT_BYTES, _PUSH_AUTH_BYTES = 65, 16
_MOMENT_LABELS = {
    Moment.CONFIRMED: "goal confirmed",
    Moment.FIRST_CLIP: "first clip",
    Moment.BETTER_CLIP: "better clip",
    Moment.DISALLOWED: "goal taken back",
    Moment.REATTRIBUTED: "another scorer",
}


@dataclass(frozen=True)
class ChannelOutcome:
    """What came of a test message: the channel's own error, empty if it was sent."""

    channel: str
    error: str


@dataclass(frozen=True)
class ChannelRow:
    name: str
    kind: str
    told: tuple[str, ...]
    is_browser: bool = False
    label: str = ""
    last_result: str = ""
    """What became of the newest message; empty before the first."""
    has_failed: bool = False


@router.get("/operator/notifications")
async def show_notifications(web: WebStateDep, principal: PrincipalDep, zone: ZoneCookie = None) -> Response:
    return await _render(web, principal, zone)


async def _render(
    web: WebState, principal: Principal, zone: str | None, outcome: ChannelOutcome | None = None, problem: str = ""
) -> Response:
    known = web.deps.operator.notifications if web.deps.operator else None
    rows = [await _add_result(web, row) for row in (*_list_configured(known), *await _list_browsers(web))]
    return render_operator_page(
        web,
        principal,
        "notifications.html",
        channels=rows,
        push_key=known.push_key if known else "",
        moments=[(one.value, label) for one, label in _MOMENT_LABELS.items()],
        outcome=outcome,
        problem=problem,
        zone=find_time_zone(zone),
    )


def _list_configured(known: NotificationsPageDeps | None) -> list[ChannelRow]:
    if known is None:
        return []
    return [
        ChannelRow(name, kind, tuple(describe_rule(rule) for rule in known.rules if name in rule.channels))
        for name, kind in sorted(known.channels.items())
    ]


async def _list_browsers(web: WebState) -> list[ChannelRow]:
    rows = await PushSubscriptionStore(web.deps.database).list_all()
    return [
        ChannelRow(one["_id"], "browser", (describe_rule(build_rule(one)),), is_browser=True, label=one["label"])
        for one in rows
    ]


async def _add_result(web: WebState, row: ChannelRow) -> ChannelRow:
    newest = await NotifyStore(web.deps.database).list_entries(1, row.name, only_unsent=False)
    failure = newest[0].get("failure") if newest else None
    return replace(row, last_result=describe_message(newest[0]) if newest else "", has_failed=bool(failure))


def describe_message(entry: OutboxDocument) -> str:
    """`Last message: sent`, `waiting`, or why it was not sent."""
    state = entry.get("failure") or ("waiting" if entry.get("open") else "sent")
    return f"Last message: {state}"


def describe_rule(rule: NotifyRule) -> str:
    """`Arsenal, Tottenham; Saka: goal confirmed, first clip`; `all goals: everything` without a list."""
    lists = [", ".join(map(str, names)) for names in (rule.leagues, rule.teams, rule.players) if names]
    moments = ", ".join(_MOMENT_LABELS[one] for one in rule.moments) or "everything"
    return f"{'; '.join(lists) or 'all goals'}: {moments}"


@router.post("/operator/notifications/test")
async def send_test_message(
    web: WebStateDep, principal: PrincipalDep, fields: FormDep, zone: ZoneCookie = None
) -> Response:
    name = fields.get("channel", "")
    known = web.deps.operator.notifications if web.deps.operator else None
    if known is None:
        raise ProblemError(HTTPStatus.NOT_FOUND, "Notifications are not known to this process.")
    try:
        await known.send_test(name)
    except FoundFootyError as error:
        return await _render(web, principal, zone, ChannelOutcome(name, str(error)))
    return await _render(web, principal, zone, ChannelOutcome(name, ""))


@router.post("/operator/notifications/subscribe")
async def subscribe_browser(
    request: Request, web: WebStateDep, principal: PrincipalDep, fields: FormDep, zone: ZoneCookie = None
) -> Response:
    """Tell the browser that sent this about the goals that fit the lists of its form."""
    known = web.deps.operator.notifications if web.deps.operator else None
    if known is None or not known.push_key:
        raise ProblemError(HTTPStatus.NOT_FOUND, "Browsers cannot subscribe here: FOOTY_NOTIFY__PUSH_KEY is not set.")
    try:
        subscription, rule = read_subscription(fields), read_rule(fields)
        label = _describe_browser(request.headers.get("user-agent", ""))
        await PushSubscriptionStore(web.deps.database).add(subscription, rule, label, web.deps.clock())
    except (ValueError, BadInput) as error:
        return await _render(web, principal, zone, problem=f"Not subscribed: {_explain(error)}")
    return await _render(web, principal, zone)


@router.post("/operator/notifications/unsubscribe")
async def unsubscribe_browser(
    web: WebStateDep, principal: PrincipalDep, fields: FormDep, zone: ZoneCookie = None
) -> Response:
    await PushSubscriptionStore(web.deps.database).remove(fields.get("channel", ""))
    return await _render(web, principal, zone)


def read_subscription(fields: dict[str, str]) -> WebPushSubscription:
    """Raises ValueError for what no browser gives."""
    keys = WebPushKeys(p256dh=fields.get("p256dh", ""), auth=SecretStr(fields.get("auth", "")))
    for name, text, size in (
        ("p256dh", keys.p256dh, _P256_POINT_BYTES),
        ("auth", keys.auth.get_secret_value(), _PUSH_AUTH_BYTES),
    ):
        if len(decode_base64url(text)) != size:
            raise ValueError(f"the key {name} of the browser has another size than {size} bytes")
    return WebPushSubscription(endpoint=fields.get("endpoint", ""), keys=keys)


def read_rule(fields: dict[str, str]) -> NotifyRule:
    """Names are separated by commas; a number is the feed's id. Raises ValueError for one that is neither."""
    return NotifyRule(
        channels=("push",),
        leagues=_split(fields.get("leagues", "")),
        teams=_split(fields.get("teams", "")),
        players=_split(fields.get("players", "")),
        moments=tuple(Moment(word) for word in fields.get("moments", "").split(",") if word),
    )


def _split(text: str) -> tuple[int | str, ...]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    if len(names) > _MAX_NAMES or any(len(name) > _MAX_NAME_LENGTH for name in names):
        raise ValueError(f"at most {_MAX_NAMES} names of {_MAX_NAME_LENGTH} characters fit into a list")
    return tuple(int(name) if name.isascii() and name.isdecimal() and len(name) < 16 else name for name in names)


def _explain(error: Exception) -> str:
    if isinstance(error, ValidationError):
        parts: Sequence[str] = [one["msg"].removeprefix("Value error, ") for one in error.errors(include_input=False)]
        return "; ".join(parts)[:300]
    return str(error)[:300]


def _describe_browser(user_agent: str) -> str:
    """`Firefox on Android`, as well as its header tells."""
    names = ("Edg/", "OPR/", "Firefox/", "Chrome/", "Safari/")
    browser = next((name.rstrip("/") for name in names if name in user_agent), "A browser")
    systems = ("Android", "iPhone", "iPad", "Windows", "Mac OS X", "Linux")
    system = next((name for name in systems if name in user_agent), "")
    known = {"Edg": "Edge", "OPR": "Opera"}.get(browser, browser)
    return f"{known} on {system.replace('Mac OS X', 'Mac')}" if system else known
