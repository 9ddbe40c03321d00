"""The demo's afternoon of uploads as a newcomer plays it."""

import json
from pathlib import Path
from typing import Any

import pytest

from found_footy.embedded.endpoints import default_data_dir
from found_footy.platform.free_port import find_free_port
from found_footy.vision.classifier.builder import is_model_built
from found_footy_sim.uploads.afternoon import StoryKind
from tests.support.command_line import clean_environment, run, started, wait_for, wait_for_the_end_of_all

LONGEST_SECONDS = 900
EVERY_STORY_ONCE = len(StoryKind)


def play(tmp_path: Path, *wishes: str) -> dict[str, Any]:
    """The scorecard of an afternoon that misses no hard target."""
    if not is_model_built(default_data_dir() / "models"):
        pytest.skip("the image classifier is not built (found-footy setup)")
    data, log, report = tmp_path / "data", tmp_path / "demo.log", tmp_path / "report"
    places = ("--port", str(find_free_port()), "--data-dir", str(data), "--report", str(report))
    arguments = ("demo", "--uploads", "--limit", str(LONGEST_SECONDS), *wishes, *places)
    with started(*arguments, env=clean_environment(), log=log) as demo:
        wait_for("the end of the demo", lambda: demo.poll() is not None, log, LONGEST_SECONDS)
        assert demo.returncode == 0, log.read_text()[-6000:]
    wait_for_the_end_of_all(data)
    card: dict[str, Any] = json.loads((report / "scorecard.json").read_text())
    assert [target["name"] for target in card["targets"] if target["hard"] and not target["met"]] == []
    assert (report / "scorecard.html").stat().st_size > 5_000
    return card


def test_every_image_ends_on_the_label_of_its_newest_version(tmp_path: Path) -> None:
    found = play(tmp_path, "--images", str(EVERY_STORY_ONCE), "--seed", "2")["uploads"]
    assert {row["story"] for row in found["rows"]} == {kind.value for kind in StoryKind}
    assert (found["right"], found["deleted_right"], found["refused"]) == (9, 4, 4)
    assert (found["lost"], found["doubled"], found["parked"]) == (0, 0, 4)
    assert found["classified"]["count"] + found["found"]["count"] >= found["live"]


@pytest.mark.storm
def test_no_image_is_lost_or_classified_twice_while_servers_are_killed(tmp_path: Path) -> None:
    found = play(tmp_path, "--images", str(3 * EVERY_STORY_ONCE), "--seed", "3", "--chaos")["uploads"]
    assert {fault["name"] for fault in found["faults"]} == {
        f"kill {name}" for name in ("nats", "seaweedfs", "mongodb", "worker")
    }
    assert all(fault["new_pid"] not in (None, fault["old_pid"]) for fault in found["faults"])


def test_a_machine_without_a_classifier_is_told_what_to_do(tmp_path: Path) -> None:
    env = clean_environment(HOME=str(tmp_path), XDG_DATA_HOME=str(tmp_path / "share"))
    ended = run("demo", "--uploads", "--data-dir", str(tmp_path / "data"), env=env)
    assert ended.returncode == 2
    assert "found-footy setup" in ended.stderr
    assert not (tmp_path / "data" / "mongodb").exists()


def test_an_outage_of_matches_is_refused_where_none_are_played(tmp_path: Path) -> None:
    ended = run("demo", "--uploads", "--fault", "freeze-worker", "--data-dir", str(tmp_path), env=clean_environment())
    assert ended.returncode != 0
    assert "--world" in ended.stderr
