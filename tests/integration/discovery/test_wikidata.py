"""Wikidata is asked politely, believed carefully, and named when it fails."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest

from found_footy.discovery.aliases.rules import NameKind, TeamName
from found_footy.discovery.aliases.wikidata_client import WikidataClient, build_user_agent
from found_footy.discovery.aliases.wikidata_provider import WikidataAliasProvider, build_searches
from found_footy.discovery.aliases.wikidata_wire import parse_entity, parse_names
from found_footy.domain.messages import ResolveAliases
from found_footy.platform.errors import (
    ConfigError,
    Denied,
    ExternalSystemError,
    Malformed,
    RateLimited,
    Refused,
    Unavailable,
)
from found_footy.platform.http.client import SafeHttpClient
from found_footy_sim.wikidata import WikidataFault, WikidataSite
from tests.support.discovery.wikidata_items import EVERYTHING, LIVERPOOL
from tests.support.loopback_services import host_of, served

LFC = ResolveAliases(40, "Liverpool", "England")


class Clock:
    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def site() -> WikidataSite:
    return WikidataSite(EVERYTHING)


@pytest.fixture
def base(site: WikidataSite) -> Iterator[str]:
    with served(site.app) as url:
        yield url


@asynccontextmanager
async def connected(
    base: str, contact: str = "someone@example.org", clock: Clock | None = None
) -> AsyncIterator[WikidataClient]:
    http = SafeHttpClient(
        system="Wikidata",
        allowed_hosts=[host_of(base)],
        trusted_private=[host_of(base)],
        timeout=timedelta(seconds=2),
        headers={"user-agent": build_user_agent(contact)},
    )
    yield WikidataClient(http, f"{base}/w/api.php", f"{base}/sparql", clock or Clock())
    await http.aclose()


@pytest.mark.parametrize(
    ("team", "aliases"),
    [
        (LFC, ("Liverpool", "LFC", "Reds")),
        (ResolveAliases(2, "Liverpool", "Uruguay"), ("Liverpool", "Negriazules")),
        (ResolveAliases(3, "Barcelona", "Spain"), ("Barcelona", "FCB", "Barça")),
        (ResolveAliases(4, "France", None, national=True), ("France", "Bleus")),
    ],
)
async def test_a_team_is_known_by_its_names(base: str, team: ResolveAliases, aliases: tuple[str, ...]) -> None:
    async with connected(base) as wikidata:
        found = await WikidataAliasProvider(wikidata).find_aliases(team)
    assert found[0] == team.team_name
    assert set(aliases) <= set(found)
    assert len(found) <= 8


async def test_what_is_no_alias_does_not_become_one(base: str) -> None:
    async with connected(base) as wikidata:
        found = await WikidataAliasProvider(wikidata).find_aliases(LFC)
    assert found == ("Liverpool", "LFC", "Reds")  # "The Reds" finds what "Reds" finds; years, brackets, history are out


@pytest.mark.parametrize("name", ["Nobody Rovers", "Liverpool W", "Liverpool U19"])
async def test_a_team_that_is_not_there_is_nobody_else(base: str, name: str) -> None:
    team = ResolveAliases(9, name, "Uruguay")
    async with connected(base) as wikidata:
        assert await WikidataAliasProvider(wikidata).find_aliases(team) == ()


async def test_the_womens_side_is_found_when_it_is_asked_for(base: str) -> None:
    async with connected(base) as wikidata:
        found = await WikidataAliasProvider(wikidata).find_aliases(ResolveAliases(9, "Liverpool F.C. Women", "England"))
    assert "LFC Women" in found


@pytest.mark.parametrize("contact", ["", "me", "no address at all"])
def test_no_request_is_made_without_a_contact(contact: str) -> None:
    with pytest.raises(ConfigError, match="WIKIDATA_CONTACT"):
        build_user_agent(contact)


async def test_every_request_names_the_contact(site: WikidataSite, base: str) -> None:
    async with connected(base, contact="https://footy.example") as wikidata:
        assert await wikidata.search_items("Liverpool")
    assert site.requests[0]["maxlag"] == "5"


@pytest.mark.parametrize(
    ("breaks", "error"),
    [
        (WikidataFault.RATE_LIMITED, RateLimited),
        (WikidataFault.MAXLAG, RateLimited),
        (WikidataFault.FORBIDDEN, Denied),
        (WikidataFault.SERVER_ERROR, Unavailable),
        (WikidataFault.SLOW, Unavailable),
        (WikidataFault.GATEWAY_PAGE, Malformed),
        (WikidataFault.ERROR_IN_200, Malformed),
        (WikidataFault.NO_LIST, Malformed),
        (WikidataFault.CUT_JSON, Malformed),
        (WikidataFault.HUGE, Refused),
    ],
)
async def test_a_failure_is_never_no_results(
    site: WikidataSite, base: str, breaks: WikidataFault, error: type[ExternalSystemError]
) -> None:
    site.inject_fault(breaks)
    async with connected(base) as wikidata:
        with pytest.raises(error) as raised:
            await WikidataAliasProvider(wikidata).find_aliases(LFC)
    assert isinstance(raised.value, error)


@pytest.mark.parametrize("breaks", [WikidataFault.TRUNCATED, WikidataFault.QUERY_TIMEOUT])
async def test_a_query_cut_off_by_its_time_limit_is_noticed(
    site: WikidataSite, base: str, breaks: WikidataFault
) -> None:
    site.inject_fault(breaks, path="/sparql")
    async with connected(base) as wikidata:
        with pytest.raises(Unavailable):
            await wikidata.fetch_names(LIVERPOOL.id)


@pytest.mark.parametrize(
    "breaks", [WikidataFault.TRUNCATED, WikidataFault.QUERY_TIMEOUT, WikidataFault.RATE_LIMITED, WikidataFault.NO_LIST]
)
async def test_without_the_query_service_the_items_document_has_the_names(
    site: WikidataSite, base: str, breaks: WikidataFault
) -> None:
    site.inject_fault(breaks, path="/sparql")
    async with connected(base) as wikidata:
        assert await WikidataAliasProvider(wikidata).find_aliases(LFC) == ("Liverpool", "LFC", "Reds")


@pytest.mark.parametrize(("reported", "wait"), [(7, 7.0), (None, 60.0)])
async def test_a_request_to_wait_is_respected(site: WikidataSite, base: str, reported: int | None, wait: float) -> None:
    site.inject_fault(WikidataFault.RATE_LIMITED, times=1, retry_after=reported)
    clock = Clock()
    async with connected(base, clock=clock) as wikidata:
        for _ in range(3):
            with pytest.raises(RateLimited) as raised:
                await wikidata.search_items("Liverpool")
            assert raised.value.retry_after == wait
        assert len(site.requests) == 1
        clock.seconds += wait + 1
        assert await wikidata.search_items("Liverpool")


async def test_an_item_that_is_missing_or_says_nothing_is_passed_over(site: WikidataSite, base: str) -> None:
    async with connected(base) as wikidata:
        found = await wikidata.fetch_entities(["Q1", LIVERPOOL.id])
        assert [entity.id for entity in found] == [LIVERPOOL.id]
        assert await wikidata.fetch_entities([]) == ()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("England", "England men's national football team"),
        ("USA W", "USA women's national football team"),
        ("England U21", "England national under-21 football team"),
    ],
)
def test_a_national_side_is_searched_for_as_what_it_is(name: str, text: str) -> None:
    assert build_searches(ResolveAliases(1, name, None, national=True))[0] == (text, False)


def statement(**changes: Any) -> dict[str, Any]:
    value = {"snaktype": "value", "datavalue": {"value": {"id": "Q1"}}}
    return {"rank": "normal", "mainsnak": value, "qualifiers": {}, **changes}


@pytest.mark.parametrize(
    ("broken", "classes"),
    [
        (statement(qualifiers=7), {"Q1"}),
        (statement(qualifiers={"P582": []}), set()),
        (statement(rank="deprecated"), set()),
        (statement(mainsnak="?"), set()),
        ("?", set()),
    ],
)
def test_a_broken_statement_costs_only_itself(broken: Any, classes: set[str]) -> None:
    other = statement(mainsnak={"snaktype": "value", "datavalue": {"value": {"id": "Q2"}}})
    item = {"id": "Q9", "labels": {"en": {"value": "Nine"}}, "claims": {"P31": [broken, other]}, "sitelinks": 7}
    entity = parse_entity(item)
    assert entity is not None
    assert (set(entity.classes), entity.sitelinks) == (classes | {"Q2"}, 0)


@pytest.mark.parametrize("body", [None, [], {}, {"results": []}, {"results": {"bindings": {}}}])
def test_a_query_without_rows_is_malformed(body: Any) -> None:
    with pytest.raises(Malformed, match="no rows"):
        parse_names(body)


def test_a_row_of_an_unknown_kind_is_passed_over() -> None:
    kinds: list[Any] = ["nick", "?", [], None]
    rows = [{"kind": {"value": kind}, "value": {"value": "Reds"}} for kind in kinds]
    assert parse_names({"results": {"bindings": rows}}) == (TeamName("Reds", NameKind.NICK),)
