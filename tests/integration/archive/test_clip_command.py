"""`found-footy clip …` as people type it."""

import json

import pytest
from typer.testing import CliRunner

from found_footy.archive.moderation.service import ModerationRequest
from found_footy.cli import build_app, clip, console
from found_footy.embedded.endpoints import PlatformEndpoints
from found_footy.platform.errors import NotFound
from tests.support.archive.stored_clips import StoredClips, id_of, md5_of, settings_for


async def test_the_command_finds_a_clip_takes_it_down_and_records_that(
    stored_clips: StoredClips, platform: PlatformEndpoints, capsys: pytest.CaptureFixture[str]
) -> None:
    goal = await stored_clips.goal(1, 2)
    settings, taken = settings_for(platform, stored_clips), id_of(goal, 2)
    assert await clip.print_clips(settings, goal.event_id, None, as_json=True) == console.OK
    [shown] = json.loads(capsys.readouterr().out)
    assert [row["clip_id"] for row in shown["clips"]] == [taken, id_of(goal, 1)]
    word = ModerationRequest("ada", "line-1", "the league asked")
    assert (
        await clip.apply_decision(settings, lambda keeper: keeper.take_down(taken, word), as_json=False) == console.OK
    )
    assert "410" in capsys.readouterr().out
    assert await clip.apply_decision(settings, lambda keeper: keeper.take_down(taken, word), as_json=True) == console.OK
    assert json.loads(capsys.readouterr().out)["changed"] is False
    assert await clip.print_blocked(settings, as_json=True) == console.OK
    [entry] = json.loads(capsys.readouterr().out)
    assert (entry["clip_id"], entry["md5"], entry["by"]) == (taken, md5_of(2), "ada")
    assert await clip.print_history(settings, taken, 10, as_json=True) == console.OK
    [line] = json.loads(capsys.readouterr().out)
    assert (line["what"], line["state"], line["reason"]) == ("take-down", "done", "the league asked")
    assert await clip.print_clips(settings, "", goal.fixture_id, as_json=False) == console.OK
    assert f"blocked: {taken} (taken_down)" in capsys.readouterr().out
    with pytest.raises(NotFound, match="there is no goal"):
        await clip.print_clips(settings, "nobody", None, as_json=False)


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["clip", "take-down", "abc"], 2, "--reason"),
        (["clip", "list"], 1, ""),
        (["clip", "list", "goal", "--fixture", "5"], 1, ""),
        (["clip", "--help"], 0, "wrong-goal"),
        (["integrity", "--grace", "soon"], 2, "--grace"),
    ],
)
def test_wrong_arguments_are_reported_and_change_nothing(words: list[str], code: int, says: str) -> None:
    result = CliRunner().invoke(build_app(["clip", "integrity"]), words)
    assert result.exit_code == code
    assert says in result.output
