"""What the pages of accounts share: their frame, and signing a browser in."""

from http import HTTPStatus
from typing import Any

from fastapi import Request, Response

from found_footy.access.session_store import UserSession
from found_footy.access.ticket_store import DEVICE_LIFETIME
from found_footy.access.user_store import User
from found_footy.platform.errors import BadInput, Conflict, FoundFootyError, NotFound
from found_footy.views.timetable import find_time_zone, time_zone_name
from found_footy.web.forms import PAGE_HEADERS, redirect_after_form
from found_footy.web.problems import ProblemError
from found_footy.web.session_cookies import USER_COOKIE, read_token_cookie, set_token_cookie
from found_footy.web.state import WebState, peer_address

DEVICE_COOKIE = "footy_device"


def render_account_page(
    web: WebState,
    template: str,
    session: UserSession | None,
    *,
    status: HTTPStatus = HTTPStatus.OK,
    zone: str | None = None,
    **context: Any,
) -> Response:
    place = find_time_zone(zone)
    return web.renderer.render_page(
        template,
        status=status,
        headers=PAGE_HEADERS,
        user=session.user if session else None,
        csrf_token=session.csrf_token if session else "",
        zone=place,
        zone_name=time_zone_name(place),
        **context,
    )


async def open_user_session(web: WebState, request: Request, user: User, way: str, target: str) -> Response:
    """Sign this browser in and go on. The session that it had before ends, and its token is never taken over."""
    stores, address = web.access.stores, peer_address(request)
    await web.access.accounts.record_sign_in(user, address, way)
    if before := read_token_cookie(request, USER_COOKIE):
        await stores.sessions.close(before)
    token = await stores.sessions.open(user, address, request.headers.get("user-agent", ""))
    response = redirect_after_form(target)
    set_token_cookie(request, response, USER_COOKIE, token, stores.sessions.lifetime)
    known = await stores.tickets.find_device_user(read_token_cookie(request, DEVICE_COOKIE))
    if known != user.user_id:
        device = await stores.tickets.remember_device(user.user_id)
        set_token_cookie(request, response, DEVICE_COOKIE, device, DEVICE_LIFETIME)
    return response


def describe_refusal(error: FoundFootyError) -> ProblemError:
    """An error of an act as an answer, with the error's own words; those of other systems are not shown."""
    text = str(error)
    return ProblemError(_select_status(error), text[:1].upper() + text[1:])


def _select_status(error: FoundFootyError) -> HTTPStatus:
    match error:
        case NotFound():
            return HTTPStatus.NOT_FOUND
        case Conflict():
            return HTTPStatus.CONFLICT
        case BadInput():
            return HTTPStatus.UNPROCESSABLE_ENTITY
        case _:
            raise error
