"""The manual of the scenario language against the parser."""

from pathlib import Path

import pytest

from found_footy.sim import names, parse
from found_footy.sim.media.bugs import DESIGNS
from found_footy.sim.script.clips import OPTIONS
from found_footy.sim.script.effects import EFFECTS, FAULTS
from found_footy.sim.script.model import Host, SearchBreaks
from found_footy.sim.script.parser import STATEMENTS

MANUAL = (Path(__file__).parents[3] / "docs" / "scenarios.md").read_text(encoding="utf-8")
FORMS = [form.text for form, _ in (*STATEMENTS, *EFFECTS, *FAULTS)]


@pytest.mark.parametrize("form", [*FORMS, *OPTIONS])
def test_every_form_stands_in_the_manual(form: str) -> None:
    assert form in MANUAL.splitlines()


@pytest.mark.parametrize("word", [*names(), *DESIGNS, *Host, *SearchBreaks])
def test_every_name_stands_in_the_manual(word: str) -> None:
    assert f"`{word}`" in MANUAL


def test_the_example_of_the_manual_can_be_read() -> None:
    example = MANUAL.split("## A first example")[1].split("```")[1]
    assert parse("example", example).matches[0].truth.status == "FT"
