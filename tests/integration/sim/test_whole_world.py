"""All outside systems of one match day at once, as the product's own clients and a browser would meet them."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from found_footy.clips.fetch.failures import FetchFailure
from found_footy.clips.fetch.syndication.client import SyndicationClient
from found_footy.discovery.aliases.wikidata_client import WikidataClient, build_user_agent
from found_footy.discovery.aliases.wikidata_provider import WikidataAliasProvider
from found_footy.discovery.query.builder import build_query
from found_footy.discovery.query.player_names import extract_player_search_names
from found_footy.discovery.sources.base import SourceRequest
from found_footy.discovery.sources.bluesky import BlueskySource
from found_footy.domain.messages import ResolveAliases
from found_footy.domain.outcomes import ClipOutcome
from found_footy.platform.http.client import SafeHttpClient
from found_footy_sim import SIMULATED_API_KEY, Simulator
from found_footy_sim.outside_servers import ServerAddresses, ServerPorts, run_servers
from found_footy_sim.search_query import SearchDocument, compile_query, split_words
from found_footy_sim.world import SimulatedWorld, make_world
from tests.support.patience import PATIENCE

PLAYED = timedelta(hours=1)


@dataclass
class Played:
    """A match day that began an hour ago and is over."""

    world: SimulatedWorld
    simulator: Simulator
    at: ServerAddresses

    def truth(self) -> dict[str, Any]:
        body = httpx.get(self.at.by_name()["truth"]).json()
        assert isinstance(body, dict)
        return body

    def posts(self, **wanted: object) -> list[dict[str, Any]]:
        return [post for post in self.truth()["posts"] if all(post[name] == value for name, value in wanted.items())]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    world = make_world(7, "demo")
    began = datetime.now(UTC) - PLAYED
    moments = iter([began])
    simulator = Simulator(
        world.scenario,
        clock="timed",
        speed=1,
        media_dir=tmp_path_factory.mktemp("media"),
        truth=world.truth,
        now=lambda: next(moments, None) or datetime.now(UTC),
    )
    with run_servers(simulator, ServerPorts(vision=0)) as addresses:
        yield Played(world, simulator, addresses)


@pytest.fixture
async def http(played: Played) -> Any:
    hosts = [place.removeprefix("http://") for place in (played.at.simulator, played.at.x_site)]
    made = SafeHttpClient(
        system="simulated",
        allowed_hosts=hosts,
        trusted_private=hosts,
        timeout=PATIENCE,
        headers={"user-agent": build_user_agent("someone@example.org")},
    )
    yield made
    await made.aclose()


def test_the_truth_names_goals_posts_and_when_they_came(played: Played) -> None:
    truth = played.truth()
    assert (truth["seed"], truth["size"], truth["speed"], truth["simulated"]) == (7, "demo", 1.0, True)
    assert len(truth["goals"]) == 12
    assert truth["posts_to_come"] == 0
    assert len(truth["posts"]) == len(played.world.scenario.posts)
    fallen = {goal["goal"]: datetime.fromisoformat(goal["at"]) for goal in truth["goals"]}
    assert all(fallen[post["about"]] < datetime.fromisoformat(post["posted_at"]) for post in truth["posts"])
    removed = [goal for goal in truth["goals"] if not goal["stands"]]
    assert [goal["quirk"] for goal in removed] == ["struck_out"]
    assert removed[0]["at"] < removed[0]["struck_out_at"]


def test_a_goal_of_the_truth_is_a_row_of_the_feed(played: Played) -> None:
    for goal in (goal for goal in played.truth()["goals"] if goal["stands"]):
        answer = httpx.get(
            f"{played.at.simulator}/fixtures?id={goal['fixture']}", headers={"x-apisports-key": SIMULATED_API_KEY}
        ).json()
        rows = answer["response"][0]["events"]
        assert {
            "team": goal["team"],
            "player": goal["player_id"],
            "elapsed": goal["elapsed"],
            "extra": goal["extra"],
            "type": goal["type"],
            "detail": goal["detail"],
        } in [
            {
                "team": row["team"]["id"],
                "player": row["player"]["id"],
                "elapsed": row["time"]["elapsed"],
                "extra": row["time"]["extra"],
                "type": row["type"],
                "detail": row["detail"],
            }
            for row in rows
        ]


def test_the_world_says_that_it_is_over(played: Played) -> None:
    state = httpx.get(played.at.by_name()["state"]).json()
    assert state["over"] is True
    assert state["world"] == {"seed": 7, "size": "demo"}


def test_the_search_service_finds_what_was_written_and_nothing_else(played: Played) -> None:
    posts = played.posts(source="x")
    for goal in played.world.truth.goals:
        word = goal.player.common_name.split()[-1]
        body = {"query": word, "max_age_minutes": 90, "limit": 100}
        found = httpx.post(f"{played.at.by_name()['search']}/search", json=body).json()["videos"]
        assert {video["url"] for video in found} == {
            post["url"] for post in posts if set(split_words(word)) <= set(split_words(post["text"]))
        }


async def test_bluesky_has_its_share_and_its_files(played: Played, http: SafeHttpClient, tmp_path: Path) -> None:
    client = BlueskySource(http, played.at.by_name()["bluesky"], played.at.by_name()["bluesky"])
    reported = played.posts(source="bluesky", host=None, names="usual")
    assert reported
    goals = {goal.id: goal for goal in played.world.truth.goals}
    for post in reported:
        goal = goals[post["about"]]
        names = extract_player_search_names(goal.player.name)
        wanted = SourceRequest("", names, (goal.club.team.name, *goal.club.aliases), max_age_minutes=90, limit=50)
        videos = {video.url: video for video in (await client.find_candidates(wanted)).videos}
        assert videos[post["url"]].tweet_id == post["tweet_id"]
    await _fetched(client, http, reported[0], played, tmp_path / "file.mp4")


async def _fetched(
    client: BlueskySource, http: SafeHttpClient, post: dict[str, Any], played: Played, target: Path
) -> None:
    video = await client.fetch_post(post["url"])
    got = await http.download(video.variants[0].url, target, max_bytes=10**8, deadline=timedelta(minutes=2))
    assert got.status == 200
    (file,) = (file for file in played.truth()["files"] if file["md5"] == got.md5)
    assert (file["recording"], file["goal"]) == (post["recording"], post["goal"])


async def test_wikidata_knows_the_teams_and_not_their_namesakes(played: Played, http: SafeHttpClient) -> None:
    at = played.at.by_name()
    source = WikidataAliasProvider(WikidataClient(http, at["wikidata"], at["wikidata_query"]))
    for goal in played.world.truth.goals[:3]:
        team, country = goal.club.team, goal.match.league.country
        found = await source.find_aliases(ResolveAliases(team.id, team.name, country))
        assert found[0] == team.name
        finds = compile_query(build_query(goal.player.name, found, team.name))
        assert finds(SearchDocument(f"{goal.player.common_name} {team.name}", "fan"))
        assert finds(SearchDocument(f"{goal.player.common_name} {goal.club.aliases[-1]}", "fan"))
        assert not [name for name in found if "Women" in name or "Basket" in name or "Montevideo" in name]


async def test_the_site_embeds_what_is_there_and_a_tombstone_for_what_was_deleted(
    played: Played, http: SafeHttpClient
) -> None:
    embeds = SyndicationClient(http, played.at.x_site)
    there, *_ = played.posts(source="x", host=None)
    videos = await embeds.fetch_videos(there["tweet_id"])
    assert not isinstance(videos, FetchFailure)
    assert videos[0].variants[0].url.startswith(f"{played.at.simulator}/video/")
    gone = [post for post in played.posts(source="x") if post["host"] in ("404", "410")]
    assert gone
    for post in gone:
        refusal = await embeds.fetch_videos(post["tweet_id"])
        assert isinstance(refusal, FetchFailure)
        assert refusal.outcome is ClipOutcome.DOWNLOAD_DELETED


def test_a_video_that_cannot_be_had_says_why(played: Played) -> None:
    for host in ("404", "410", "403"):
        for item in played.simulator.schedule.list_published():
            if item.post.host == host and item.post.source == "x":
                clip = played.simulator.scenario.get_clip(item.post.clip)
                width, height, _ = played.simulator.rendered_clips.variants(clip)[0]
                answer = httpx.get(f"{played.at.simulator}/video/{item.media}/{width}x{height}/{clip.name}.mp4")
                assert answer.status_code == int(host)


def test_a_session_for_the_site_can_be_had_without_a_browser(played: Played) -> None:
    given = httpx.post(f"{played.at.x_site}/_sim/session").json()["cookies"]
    page = httpx.get(f"{played.at.x_site}/search?q=goal&f=live", cookies=given)
    assert page.status_code == 200
    assert "query-id" in page.text


def test_the_vision_server_answers(played: Played) -> None:
    assert httpx.get(f"{played.at.vision}/health").json() == {"status": "ok"}
