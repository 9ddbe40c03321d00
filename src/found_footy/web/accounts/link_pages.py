"""One-time links: to make the first admin, or to choose a password."""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Path, Request, Response

from found_footy.access.rules import MIN_PASSWORD_LENGTH
from found_footy.platform.errors import BadInput, Conflict, NotFound
from found_footy.web.accounts.page_parts import describe_refusal, open_user_session, render_account_page
from found_footy.web.forms import FormDep
from found_footy.web.state import WebState, WebStateDep

router = APIRouter(include_in_schema=False)
LinkToken = Annotated[str, Path(max_length=128)]


@router.get("/welcome/{token}")
async def show_link(web: WebStateDep, token: LinkToken) -> Response:
    """Showing the page does not use the link up: programs that preview links fetch it too."""
    return await _render_link(web, token)


async def _render_link(
    web: WebState, token: str, *, status: HTTPStatus = HTTPStatus.OK, name: str = "", problem: str = ""
) -> Response:
    try:
        _, user = await web.access.accounts.find_link(token)
    except NotFound as error:
        raise describe_refusal(error) from error
    return render_account_page(
        web,
        "welcome.html",
        None,
        status=status,
        token=token,
        invited=user.name if user else "",
        name=name,
        problem=problem,
        min_length=MIN_PASSWORD_LENGTH,
    )


@router.post("/welcome/{token}")
async def use_link(request: Request, web: WebStateDep, token: LinkToken, fields: FormDep) -> Response:
    name, password = fields.get("name", ""), fields.get("password", "")
    if password != fields.get("repeated", ""):
        problem = "The two passwords are not the same."
        return await _render_link(web, token, status=HTTPStatus.UNPROCESSABLE_ENTITY, name=name, problem=problem)
    try:
        user = await web.access.accounts.use_link(token, name, password)
    except BadInput as error:
        return await _render_link(web, token, status=HTTPStatus.UNPROCESSABLE_ENTITY, name=name, problem=str(error))
    except (NotFound, Conflict) as error:
        raise describe_refusal(error) from error
    return await open_user_session(web, request, user, "by a one-time link", "/account")
