"""No organization sees or changes anything of another, on any route, and no page acts for somebody who is signed in."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute

from found_footy.platform.http.access_tokens import MAX_WRONG_TOKENS
from found_footy.platform.http.session_tokens import compute_csrf_token
from found_footy.web.app import ROUTE_MODULES
from found_footy.web.uploads.access import SESSION_COOKIE
from tests.support.uploads.agent_services import paint
from tests.support.uploads.organization_page import ADMIN_TOKEN, OrganizationPage

NAME = "secret.png"
FORM = {"content-type": "application/x-www-form-urlencoded"}
# Pages that show the form to sign in to whoever is not signed in there.
SIGN_IN_PAGES = {
    ("GET", "/organizations/{organization_id}"),
    ("GET", "/organizations/{organization_id}/uploads/{name}"),
}


def list_organization_routes(app: FastAPI) -> set[tuple[str, str]]:
    """Method and path of every route of an organization: those of the OpenAPI document, and those left out of it."""
    documented = {
        (method.upper(), path)
        for path, methods in app.openapi()["paths"].items()
        for method in methods
        if "{organization_id}" in path
    }
    routes = [route for module in ROUTE_MODULES for route in module.router.routes]
    served = {
        (method, route.path_format)
        for route in routes
        if isinstance(route, APIRoute) and "{organization_id}" in route.path_format
        for method in route.methods or ()
    }
    assert documented < served
    return served


def build_request(organization_id: str, method: str, path: str) -> dict[str, Any]:
    request: dict[str, Any] = {"method": method, "url": path.format(organization_id=organization_id, name=NAME)}
    if method == "PUT":
        request["content"] = paint("blue")
    elif path.endswith("/presigned"):
        request["json"] = {"size": 10}
    elif method == "POST" and not path.startswith("/api/"):
        request |= {"content": b"name=secret.png", "headers": FORM}
    return request


@pytest.fixture
async def stored(organization_page: OrganizationPage) -> AsyncIterator[OrganizationPage]:
    await organization_page.store_classified(NAME)
    yield organization_page
    assert await organization_page.read_object(NAME) == paint("red")
    row = await organization_page.services.row(NAME)
    assert (row["status"], row.get("deletedAt")) == ("classified", None)


async def test_a_foreign_key_is_refused_on_every_route(stored: OrganizationPage) -> None:
    app = stored.create_app()
    routes = list_organization_routes(app)
    assert len(routes) >= 14
    async with stored.client(stored.foreign_key) as client:
        for method, path in sorted(routes):
            answer = await client.request(**build_request(stored.own, method, path))
            expected = (
                (401,) if (method, path) in SIGN_IN_PAGES or (method == "POST" and "/api/" not in path) else (404,)
            )
            assert answer.status_code in expected, (method, path, answer.status_code)
            assert "secret.png" not in answer.text.replace(answer.request.url.path, ""), (method, path)


async def test_without_a_key_every_route_is_refused(stored: OrganizationPage) -> None:
    async with stored.client("") as client:
        for method, path in sorted(list_organization_routes(stored.create_app())):
            answer = await client.request(**build_request(stored.own, method, path))
            assert answer.status_code == 401, (method, path, answer.status_code)


async def test_a_foreign_session_is_refused_on_every_route(stored: OrganizationPage) -> None:
    foreign = await stored.organizations.store.get(stored.foreign)
    assert foreign is not None
    token = await stored.organizations.sessions.open(stored.foreign, foreign.key.key_id)
    csrf = compute_csrf_token(token)
    async with stored.client("") as client:
        client.cookies.set(SESSION_COOKIE, token)
        for method, path in sorted(list_organization_routes(stored.create_app())):
            request = build_request(stored.own, method, path)
            request["headers"] = {"x-csrf-token": csrf, **request.get("headers", {})}
            if request.get("content") == b"name=secret.png":
                request["content"] += f"&csrf_token={csrf}".encode()
            answer = await client.request(**request)
            expected = 401 if (method, path) in SIGN_IN_PAGES else 404
            assert answer.status_code == expected, (method, path, answer.status_code)


async def sign_in(client: httpx.AsyncClient, page: OrganizationPage) -> str:
    """The CSRF token of the page."""
    answer = await client.post("/organizations", content=f"key={page.own_key}".encode(), headers=FORM)
    assert (answer.status_code, answer.headers["location"]) == (303, f"/organizations/{page.own}"), answer.text
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    return compute_csrf_token(client.cookies[SESSION_COOKIE])


async def test_a_session_changes_nothing_without_the_token_of_its_page(stored: OrganizationPage) -> None:
    async with stored.client("") as client:
        csrf = await sign_in(client, stored)
        assert (await client.get(stored.path())).status_code == 200
        for headers in ({}, {"x-csrf-token": "0" * 64}, {"x-csrf-token": csrf, "origin": "https://evil.example"}):
            assert (await client.delete(stored.path(NAME), headers=headers)).status_code == 403
            assert (await client.put(stored.path(NAME), content=b"x", headers=headers)).status_code == 403
        for form in (b"name=secret.png", b"name=secret.png&csrf_token=0"):
            answer = await client.post(f"/organizations/{stored.own}/delete", content=form, headers=FORM)
            assert answer.status_code == 403
        foreign = FORM | {"sec-fetch-site": "cross-site"}
        forged = await client.post("/organizations", content=f"key={stored.own_key}".encode(), headers=foreign)
        assert (forged.status_code, "set-cookie" in forged.headers) == (403, False)
        allowed = await client.put(stored.path("other.png"), content=b"x", headers={"x-csrf-token": csrf})
        assert allowed.status_code == 201


async def test_signing_out_ends_the_session_and_not_only_in_the_browser(stored: OrganizationPage) -> None:
    async with stored.client("") as client:
        csrf = await sign_in(client, stored)
        token = client.cookies[SESSION_COOKIE]
        form = f"csrf_token={csrf}".encode()
        out = await client.post(f"/organizations/{stored.own}/sign-out", content=form, headers=FORM)
        assert (out.status_code, SESSION_COOKIE in client.cookies) == (303, False)
        client.cookies.set(SESSION_COOKIE, token)
        assert (await client.get(stored.path())).status_code == 401
        assert (await client.get(f"/organizations/{stored.own}")).status_code == 401


async def test_a_rotated_key_ends_the_old_key_and_its_sessions(stored: OrganizationPage) -> None:
    async with stored.client("") as client:
        await sign_in(client, stored)
        new = await stored.organizations.rotate(stored.own)
        assert (await client.get(stored.path())).status_code == 401
        for key, code in ((stored.own_key, 401), (new, 200)):
            answer = await client.get(stored.path(), headers={"authorization": f"Bearer {key}"})
            assert answer.status_code == code


async def test_whoever_guesses_keys_must_wait(stored: OrganizationPage) -> None:
    wrong = f"{stored.own_key[:-4]}0000"
    async with stored.client(wrong) as client:
        codes = [(await client.get(stored.path())).status_code for _ in range(MAX_WRONG_TOKENS)]
        blocked = await client.get(stored.path())
    assert set(codes) == {401}
    assert (blocked.status_code, int(blocked.headers["retry-after"]) <= 60) == (429, True)


async def test_where_uploads_are_switched_off_no_route_answers(organization_page: OrganizationPage) -> None:
    off = replace(organization_page, deps=replace(organization_page.deps, uploads=None))
    async with off.client() as client:
        operator = {"authorization": f"Bearer {ADMIN_TOKEN}"}
        assert (await client.get("/operator", headers=operator)).status_code == 404
        for path in (
            organization_page.path(),
            f"/organizations/{organization_page.own}",
            "/organizations",
        ):
            assert (await client.get(path)).status_code == 404
