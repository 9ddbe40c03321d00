"""Every route is decided on, and each answers only those who may use it."""

import re
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts

from found_footy.access.levels import KeyScope, Role
from found_footy.web.accounts.route_rules import ROUTE_RULES, MissingRoute, RouteAccess, RouteRule, RouteTable
from found_footy.web.app import create_app
from tests.support.access.accounts import AccessSite

_VALUES = {
    "part": "match",
    "fixture_id": "5000",
    "event_id": "5000_40_234_Goal_1",
    "day": "2026-11-15",
    "team_id": "40",
    "player_id": "234",
    "clip_id": "none",
    "key:path": "a/b.mp4",
    "feed_format": "rss",
    "scope": "teams",
    "subject_id": "40",
    "name": "page.css",
    "token": "none",
}
FORM = {"content-type": "application/x-www-form-urlencoded"}


def list_routes(app: FastAPI) -> set[tuple[str, str]]:
    """Method and path of every route that is served; HEAD goes with GET."""
    documented = {(method.upper(), path) for path, methods in app.openapi()["paths"].items() for method in methods}
    served = {(method, str(one.path)) for one in iter_route_contexts(app.routes) for method in one.methods or ()}
    assert {(method, _plain(path)) for method, path in documented} <= {(m, _plain(p)) for m, p in served}
    return {(method, path) for method, path in served if method != "HEAD"}


def _plain(path: str) -> str:
    return re.sub(r"\{(\w+):path\}", r"{\1}", path)


def fill_in(path: str) -> str:
    return re.sub(r"\{([^}]+)\}", lambda found: _VALUES[found[1]], path)


def request_of(method: str, path: str, key: str = "") -> dict[str, Any]:
    headers = {"authorization": f"Bearer {key}"} if key else {}
    request: dict[str, Any] = {"method": method, "url": fill_in(path)}
    if method == "POST" and path == "/api/v1/goals/{event_id}/clips":
        request["json"] = {"url": "https://x.com/fan/status/1"}
    elif method == "POST" and not path.startswith("/api/"):
        request["content"] = b""
        headers |= FORM
    return request | {"headers": headers}


def test_every_route_is_decided_on_and_no_rule_is_left_over(site: AccessSite) -> None:
    assert list_routes(create_app(site.deps)) == set(ROUTE_RULES)


def list_guarded() -> list[tuple[str, str, RouteAccess]]:
    return [(*route, access) for route, access in ROUTE_RULES.items() if access.rule.level is not None]


async def test_a_route_answers_only_the_levels_that_its_rule_names(site: AccessSite) -> None:
    """In private mode, with API keys: nobody, and each scope below what the route needs, are refused on every route."""
    private = site.with_access(public=False)
    await private.add_user("ada", Role.ADMIN)
    owner = await private.accounts.require_user("ada")
    keys = {
        scope.level: (await private.accounts.add_key("the test", owner, str(scope), scope, None))[0]
        for scope in KeyScope
    }
    async with private.open_browser().client as client:
        client.headers["accept"] = "application/json"
        for method, path, access in list_guarded():
            needed = access.rule.level
            assert needed is not None
            answer = await client.request(**request_of(method, path))
            assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer"), (method, path)
            for level, key in keys.items():
                if path == "/events" and level >= needed:
                    continue  # An endless answer; `test_private_mode` follows it.
                answer = await client.request(**request_of(method, path, key))
                is_refused = answer.status_code == 403 and "needs the role" in answer.text
                assert is_refused == (level < needed), (method, path, level, answer.status_code, answer.text)
                assert answer.status_code != 401, (method, path, level)


async def test_public_mode_opens_what_viewers_see_and_nothing_else(site: AccessSite) -> None:
    async with site.open_browser().client as client:
        client.headers["accept"] = "application/json"
        for method, path, access in list_guarded():
            if path == "/events":
                continue
            answer = await client.request(**request_of(method, path))
            is_open = access.rule is RouteRule.VIEW and not access.needs_user
            assert (answer.status_code != 401) == is_open, (method, path)


async def test_a_route_that_nobody_decided_on_is_not_served(site: AccessSite, monkeypatch: pytest.MonkeyPatch) -> None:
    forgotten = {route: access for route, access in ROUTE_RULES.items() if route[1] not in ("/stats", "/reel")}
    monkeypatch.setattr("found_footy.web.accounts.gate.ROUTE_TABLE", RouteTable(forgotten))
    async with site.open_browser().client as client:
        assert [(await client.get(path)).status_code for path in ("/stats", "/reel", "/search")] == [404, 404, 200]


def test_the_strictest_of_several_rules_counts() -> None:
    table = RouteTable(
        {
            ("GET", "/a/{one}"): RouteAccess(RouteRule.VIEW),
            ("GET", "/a/secret"): RouteAccess(RouteRule.ADMIN),
            ("POST", "/{any:path}"): RouteAccess(RouteRule.PUBLIC),
        }
    )
    assert table.find("GET", "/a/secret") == RouteAccess(RouteRule.ADMIN)
    assert table.find("HEAD", "/a/other") == RouteAccess(RouteRule.VIEW)
    assert table.find("PUT", "/a/other") == MissingRoute(("GET",))
    assert table.find("GET", "/b") == MissingRoute(())


async def test_a_wrong_method_names_the_right_ones_and_a_slash_too_many_leads_on(site: AccessSite) -> None:
    async with site.open_browser().client as client:
        answer = await client.delete("/stats")
        assert (answer.status_code, answer.headers["allow"]) == (405, "GET")
        assert (await client.get("/stats/")).headers["location"].endswith("/stats")
