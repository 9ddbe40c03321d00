"""An outage of looking at clips: made, seen in what the product has stored, and over again."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from found_footy.domain.collections import FixtureCollection
from found_footy.views.fixture_views import StoredFixture
from found_footy.vision.classifier.builder import MODEL_FILE
from found_footy.vision.errors import ModelDigestMismatch
from found_footy.vision.reader_factory import build_local_reader, resolve_model_dir
from found_footy.vision.settings import VisionSettings
from found_footy_sim.demo import vision_outage
from found_footy_sim.demo.chaos_injector import ChaosInjector, ScheduledFault
from found_footy_sim.demo.day_progress import DayProgress
from found_footy_sim.demo.world import DemoWorld
from found_footy_sim.scorecard.costs import InjectedFault

BLIND, KEPT = "vision_unavailable", "uploaded"


def stored(*attempts: dict[str, str]) -> list[StoredFixture]:
    """One goal; per attempt what became of which link."""
    make_truth = {
        f"download{turn}": {"attempt": turn, "clips": {url: {"url": url, "outcome": said} for url, said in one.items()}}
        for turn, one in reversed(list(enumerate(attempts, 1)))
    }
    return [
        StoredFixture(
            FixtureCollection.ACTIVE, {"_id": 1, "events": [{"_event_id": "g", "_telemetry": {"attempts": make_truth}}]}
        )
    ]


@pytest.mark.parametrize(
    ("attempts", "unseen", "later"),
    [
        ((), set(), set()),
        (({"a": KEPT},), set(), set()),
        (({"a": BLIND},), {"a"}, set()),
        (({"a": BLIND}, {"a": BLIND}), {"a"}, set()),
        (({"a": BLIND}, {"a": KEPT}), {"a"}, {"a"}),
        (({"a": BLIND, "b": BLIND}, {"b": "not_soccer"}), {"a", "b"}, {"b"}),
        (({"a": KEPT}, {"a": BLIND}), {"a"}, set()),
    ],
)
def test_clips_that_met_an_outage_are_distinguished_from_those_checked_afterwards(
    attempts: tuple[dict[str, str], ...], unseen: set[str], later: set[str]
) -> None:
    day = stored(*attempts)
    assert vision_outage.find_unchecked_clips(day) == {("g", url) for url in unseen}
    assert vision_outage.find_unchecked_clips(day) & vision_outage.find_checked_clips(day) == {
        ("g", url) for url in later
    }


@pytest.mark.parametrize(
    ("attempts", "links", "awaited"),
    [
        ((), [], set()),
        ((), ["a"], {"a"}),
        (({"a": BLIND},), ["a"], {"a"}),
        (({"a": BLIND},), [], set()),
        (({"a": BLIND}, {"a": "download_timeout"}), ["a"], set()),
        (({"a": "download_timeout"}, {"a": BLIND}), ["a", "b"], {"a", "b"}),
    ],
)
def test_candidates_are_awaited_that_could_not_be_checked_or_were_lost(
    attempts: tuple[dict[str, str], ...], links: list[str], awaited: set[str]
) -> None:
    day = stored(*attempts)
    day[0].document["events"][0]["_open_links"] = links
    assert vision_outage.find_pending_clips(day) == {("g", url) for url in awaited}


def test_a_try_after_the_last_attempt_decides() -> None:
    day = stored({"a": BLIND}, {"a": BLIND})
    attempts = day[0].document["events"][0]["_telemetry"]["attempts"]
    for name, minute in (("download1", 1), ("download2", 2)):
        attempts[name]["searched_at"] = datetime(2026, 11, 14, 15, minute, tzinfo=UTC)
    later = {"attempt": 1, "searched_at": datetime(2026, 11, 14, 16, tzinfo=UTC)}
    attempts["retry1"] = {**later, "clips": {"a": {"url": "a", "outcome": KEPT}}}
    assert vision_outage.find_checked_clips(day) == {("g", "a")}


@pytest.mark.parametrize("events", [None, [{"_event_id": "g"}], [{"_telemetry": {"attempts": {"a": None}}}]])
def test_a_goal_that_nobody_searched_for_has_no_such_clips(events: Any) -> None:
    assert (
        vision_outage.find_unchecked_clips([StoredFixture(FixtureCollection.ACTIVE, {"_id": 1, "events": events})])
        == set()
    )


def test_a_reader_that_is_built_in_an_outage_refuses_and_no_clip_is_accepted_unchecked(tmp_path: Path) -> None:
    vision_outage.damage_model(tmp_path)
    with pytest.raises(ModelDigestMismatch):
        build_local_reader(VisionSettings(), tmp_path)


@pytest.mark.parametrize("has_own", [True, False])
def test_after_an_outage_there_is_the_model_that_there_was(
    has_own: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vision_outage, "default_data_dir", lambda: tmp_path / "own")
    users = tmp_path / "own" / "models" / MODEL_FILE
    if has_own:
        users.parent.mkdir(parents=True)
        users.write_bytes(b"a model")
    day = tmp_path / "day"
    for _ in range(2):
        vision_outage.damage_model(day)
        vision_outage.restore_model(day)
    place = resolve_model_dir(VisionSettings(), day) / MODEL_FILE
    assert (place.read_bytes() if place.is_file() else None) == (b"a model" if has_own else None)
    assert not has_own or users.read_bytes() == b"a model"


def test_the_only_model_of_the_user_is_kept_in_an_outage_of_his_own_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vision_outage, "default_data_dir", lambda: tmp_path)
    users = tmp_path / "models" / MODEL_FILE
    users.parent.mkdir(parents=True)
    users.write_bytes(b"a model")
    vision_outage.damage_model(tmp_path)
    # A demo that was killed here leaves the damaged one; the next one has its outage all the same.
    vision_outage.damage_model(tmp_path)
    assert users.read_bytes() != b"a model"
    vision_outage.restore_model(tmp_path)
    assert users.read_bytes() == b"a model"
    assert not users.is_symlink()
    assert list(users.parent.iterdir()) == [users]


def test_a_damaged_model_that_a_killed_demo_left_behind_is_not_taken_for_a_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vision_outage, "default_data_dir", lambda: tmp_path / "own")
    vision_outage.damage_model(tmp_path)
    vision_outage.damage_model(tmp_path)
    vision_outage.restore_model(tmp_path)
    assert list((tmp_path / "models").iterdir()) == []


class Broken(ChaosInjector):
    """Kills nobody; what the product has stored moves on with every look."""

    async def _kill_program(self, name: str) -> InjectedFault:
        assert (resolve_model_dir(VisionSettings(), self.world.data_dir) / MODEL_FILE).read_bytes() != b""
        return InjectedFault(f"kill {name}", 0.0, "", 1, 2, 0.5)


def chaos(tmp_path: Path, *days: list[StoredFixture]) -> Broken:
    left = list(days)

    async def documents() -> list[StoredFixture]:
        return left.pop(0) if len(left) > 1 else left[0]

    world = DemoWorld("demo", 5, tmp_path, 9001, 9002, seed=1)
    return Broken(world, None, DayProgress(), uses_browser=False, read_fixtures=documents)  # type: ignore[arg-type]


def test_an_outage_counts_once_a_clip_met_it_and_is_over_once_that_clip_was_checked(tmp_path: Path) -> None:
    before, blind, after = stored(), stored({"a": BLIND}), stored({"a": BLIND}, {"a": KEPT})
    broken = chaos(tmp_path, before, before, blind, blind, after)
    asyncio.run(broken._inject_fault("worker"))
    killed, outage = broken.faults
    assert (killed.name, outage.name) == ("kill worker", "vision outage")
    assert outage.has_recovered
    assert outage.detail == "1 clips could not be checked, 1 of them were checked later"
    assert not (tmp_path / "models" / MODEL_FILE).exists() or (tmp_path / "models" / MODEL_FILE).is_symlink()


def other_goal(*attempts: dict[str, str]) -> list[StoredFixture]:
    """The goal of before is gone; what was tried is another's."""
    day = stored(*attempts)
    day[0].document["events"][0]["_event_id"] = "h"
    return day


def test_an_outage_that_only_removed_goals_met_is_over_once_other_clips_are_checked(tmp_path: Path) -> None:
    """The clips of a removed goal are not retried; waiting for them would never end."""
    blind = stored({"a": BLIND})
    broken = chaos(tmp_path, stored(), blind, blind, other_goal(), other_goal({"b": KEPT}))
    asyncio.run(broken._inject_fault("worker"))
    assert broken.faults[-1].has_recovered
    assert (
        broken.faults[-1].detail
        == "1 clips could not be checked, 0 of them were checked later, the goals of 1 were removed"
    )


@pytest.mark.parametrize("last", [stored({"a": KEPT}), stored({"a": BLIND})], ids=["met by no clip", "never over"])
def test_an_outage_that_no_clip_met_or_that_never_ended_counts_as_not_recovered_from(
    last: list[StoredFixture], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("found_footy_sim.demo.chaos_injector.RECOVERY_TIMEOUT_SECONDS", 0.2)
    monkeypatch.setattr("found_footy_sim.demo.polling.SLOW_POLL_SECONDS", 0.01)
    broken = chaos(tmp_path, stored(), last)
    asyncio.run(broken._inject_fault("worker"))
    assert [fault.has_recovered for fault in broken.faults] == [True, False]


def test_a_fault_that_was_never_injected_is_named(tmp_path: Path) -> None:
    named = {fault.name for fault in chaos(tmp_path, stored()).list_unfired_faults()}
    assert {"vision outage", "kill worker", "kill a reader"} <= named


async def test_a_day_continues_until_every_fault_was_injected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = chaos(tmp_path, stored())
    moments, between = tuple(ScheduledFault(fault, 0.0) for fault in broken.fault_names), []

    async def rest(_: float) -> None:
        between.append(broken.is_breaking)

    async def cause(_: str) -> None:
        between.append(broken.is_breaking)

    monkeypatch.setattr("found_footy_sim.demo.chaos_injector.schedule_faults", lambda *_: moments)
    monkeypatch.setattr("found_footy_sim.demo.chaos_injector.asyncio.sleep", rest)
    monkeypatch.setattr(broken, "_inject_fault", cause)
    broken.progress.search_started.set()
    await broken.run()
    assert between == [True, True] * len(moments)
    assert not broken.is_breaking
