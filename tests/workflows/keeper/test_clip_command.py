"""`found-footy clip …` as people type it."""

import json

import pytest
from typer.testing import CliRunner

from found_footy.archive.judgement_keeper import Word
from found_footy.cli import build, clip, console
from found_footy.embedded.endpoints import Endpoints
from found_footy.platform.errors import NotFound
from tests.workflows.keeper.shelves import Shelves, id_of, md5_of, settings_for


async def test_a_clip_is_found_taken_down_and_remembered(
    shelves: Shelves, platform: Endpoints, capsys: pytest.CaptureFixture[str]
) -> None:
    goal = await shelves.goal(1, 2)
    settings, taken = settings_for(platform, shelves), id_of(goal, 2)
    assert await clip.listed(settings, goal.event_id, None, as_json=True) == console.OK
    [shown] = json.loads(capsys.readouterr().out)
    assert [row["clip_id"] for row in shown["clips"]] == [taken, id_of(goal, 1)]
    word = Word("ada", "line-1", "the league asked")
    assert await clip.decided(settings, lambda keeper: keeper.take_down(taken, word), as_json=False) == console.OK
    assert "410" in capsys.readouterr().out
    assert await clip.decided(settings, lambda keeper: keeper.take_down(taken, word), as_json=True) == console.OK
    assert json.loads(capsys.readouterr().out)["changed"] is False
    assert await clip.kept_out(settings, as_json=True) == console.OK
    [entry] = json.loads(capsys.readouterr().out)
    assert (entry["clip_id"], entry["md5"], entry["by"]) == (taken, md5_of(2), "ada")
    assert await clip.told_before(settings, taken, 10, as_json=True) == console.OK
    [line] = json.loads(capsys.readouterr().out)
    assert (line["what"], line["state"], line["reason"]) == ("take-down", "done", "the league asked")
    assert await clip.listed(settings, "", goal.fixture_id, as_json=False) == console.OK
    assert f"sent away: {taken} (taken_down)" in capsys.readouterr().out
    with pytest.raises(NotFound, match="there is no goal"):
        await clip.listed(settings, "nobody", None, as_json=False)


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
def test_what_is_typed_wrong_is_said_and_does_nothing(words: list[str], code: int, says: str) -> None:
    result = CliRunner().invoke(build(["clip", "integrity"]), words)
    assert result.exit_code == code
    assert says in result.output
