"""`found-footy aliases` shows what would be searched, by whose word, and the query; it needs no server."""

from collections.abc import Mapping

import pytest

from found_footy.cli import aliases, build_app, console
from found_footy.domain.messages import ResolveAliases
from found_footy.platform.errors import ConfigError
from found_footy.settings import load_settings
from found_footy.source_factory import blob_hosts
from found_footy_sim.wikidata import WikidataFault, WikidataSite
from tests.support.discovery.wikidata_items import EVERYTHING
from tests.support.loopback_services import host_of, served

LIVERPOOL = ResolveAliases(0, "Liverpool", "England")


async def shown(
    environ: Mapping[str, str], capsys: pytest.CaptureFixture[str], team: ResolveAliases = LIVERPOOL
) -> str:
    settings = load_settings({"FOOTY_DATA_DIR": "/nonexistent", **environ}).settings
    assert await aliases.show_aliases(settings, team, "Son Heung-Min") == console.OK
    return capsys.readouterr().out


def simulated(base: str) -> dict[str, str]:
    return {
        "WIKIDATA_CONTACT": "someone@example.org",
        "FOOTY_TRUSTED_HOSTS": host_of(base),
        "FOOTY_DISCOVERY__WIKIDATA_URL": f"{base}/w/api.php",
        "FOOTY_DISCOVERY__WIKIDATA_QUERY_URL": f"{base}/sparql",
    }


async def test_without_a_contact_the_table_is_used_and_it_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    text = await shown({}, capsys)
    assert 'query: (Son OR "Heung Min") (Liverpool OR LFC OR Reds)' in text
    assert "set WIKIDATA_CONTACT" in text


async def test_switched_off_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert "switched off" in await shown({"FOOTY_DISCOVERY__WIKIDATA": "false"}, capsys)


async def test_wikidata_is_asked_first(capsys: pytest.CaptureFixture[str]) -> None:
    with served(WikidataSite(EVERYTHING).app) as base:
        text = await shown(simulated(base), capsys)
    assert 'query: (Son OR "Heung Min") (Liverpool OR LFC OR Reds)' in text
    assert "wikidata" in text


async def test_what_is_wrong_with_wikidata_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    site = WikidataSite(EVERYTHING)
    site.inject_fault(WikidataFault.SERVER_ERROR)
    with served(site.app) as base:
        text = await shown(simulated(base), capsys)
    assert "status 503" in text
    assert "Reds" in text


async def test_a_team_that_nobody_knows_is_searched_by_rules(capsys: pytest.CaptureFixture[str]) -> None:
    text = await shown({}, capsys, ResolveAliases(0, "Chalk Rovers FC"))
    assert "does not know this team" in text
    assert '("Chalk Rovers FC" OR "Chalk Rovers")' in text


async def test_a_contact_that_is_none_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ConfigError, match="WIKIDATA_CONTACT"):
        await shown({"WIKIDATA_CONTACT": "me"}, capsys)


def test_both_commands_are_there() -> None:
    names = {command.name for command in build_app(["aliases", "add-clip"]).registered_commands}
    assert names == {"aliases", "add-clip"}


@pytest.mark.parametrize(("sources", "fetched"), [("x", False), ("x,bluesky", True), ("bluesky", True)])
def test_videos_are_fetched_only_from_hosts_of_sources_that_are_on(sources: str, fetched: bool) -> None:
    settings = load_settings({"FOOTY_DATA_DIR": "/nonexistent", "FOOTY_DISCOVERY__SOURCES": sources}).settings
    assert ("*.host.bsky.network" in blob_hosts(settings)) is fetched


@pytest.mark.parametrize("sources", ["myspace", "x,", "[]"])
def test_sources_that_do_not_exist_are_refused(sources: str) -> None:
    environ = {"FOOTY_DATA_DIR": "/nonexistent", "FOOTY_DISCOVERY__SOURCES": sources}
    if sources == "x,":
        assert load_settings(environ).settings.discovery.sources == ("x",)
    else:
        with pytest.raises(ConfigError, match="SOURCES"):
            load_settings(environ)
