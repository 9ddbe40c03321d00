"""The manual of the scenario language against the parser."""

from pathlib import Path

import pytest

from found_footy_sim import list_scenarios, parse_scenario
from found_footy_sim.media.graphics.score_bugs import BUG_DESIGNS
from found_footy_sim.script.clip_statements import OPTION_TEXTS
from found_footy_sim.script.feed_statements import EFFECT_FORMS, FAULT_FORMS
from found_footy_sim.script.model import SearchFaultKind, VideoHostAnswer
from found_footy_sim.script.parser import ALL_STATEMENTS

MANUAL = (Path(__file__).parents[3] / "docs" / "scenarios.md").read_text(encoding="utf-8")
FORMS = [form.text for form, _ in (*ALL_STATEMENTS, *EFFECT_FORMS, *FAULT_FORMS)]


@pytest.mark.parametrize("form", [*FORMS, *OPTION_TEXTS])
def test_every_form_stands_in_the_manual(form: str) -> None:
    assert form in MANUAL.splitlines()


@pytest.mark.parametrize("word", [*list_scenarios(), *BUG_DESIGNS, *VideoHostAnswer, *SearchFaultKind])
def test_every_name_stands_in_the_manual(word: str) -> None:
    assert f"`{word}`" in MANUAL


def test_the_example_of_the_manual_can_be_read() -> None:
    example = MANUAL.split("## A first example")[1].split("```")[1]
    assert parse_scenario("example", example).matches[0].truth.status == "FT"
