"""Pages that speak of the code are those of this code: settings, guarantees, decisions."""

import re
from pathlib import Path

from found_footy.cli.settings_page import PAGE, render_settings_page

ROOT = Path(__file__).resolve().parents[2]
GUARANTEES = ROOT / "docs" / "guarantees.md"
THREATS = ROOT / "docs" / "threats.md"
_TEST_NAME = re.compile(r"`(test_\w+)`")
_PROMISES = [f"I{number}" for number in range(1, 20)]
_FAULTS = [str(number) for number in range(1, 73)]


def test_the_page_of_settings_is_that_of_the_code() -> None:
    assert (ROOT / PAGE).read_text(encoding="utf-8") == render_settings_page(), "run `make settings-page`"


def rows(heading: str) -> dict[str, str]:
    """The rows of the table under a heading, by their first column."""
    part = GUARANTEES.read_text(encoding="utf-8").partition(f"## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in part.splitlines() if line.startswith("| ") and not line.startswith("| |")]
    return {line.split("|")[1].strip(): line for line in lines}


def existing_tests() -> set[str]:
    files = (ROOT / "tests").rglob("test_*.py")
    return {name for path in files for name in re.findall(r"def (test_\w+)\(", path.read_text(encoding="utf-8"))}


def test_every_test_that_the_guarantees_and_the_threat_model_name_exists() -> None:
    named = {name for page in (GUARANTEES, THREATS) for name in _TEST_NAME.findall(page.read_text(encoding="utf-8"))}
    assert len(named) > 100
    assert sorted(named - existing_tests()) == []


def test_every_promise_has_a_test_and_every_fault_a_test_or_a_reason() -> None:
    promises, faults, gaps = rows("Promises"), rows("Faults"), rows("Tested in part, or not at all")
    assert list(promises) == _PROMISES
    assert all(_TEST_NAME.search(row) for row in promises.values())
    tested = {number for number, row in faults.items() if _TEST_NAME.search(row)}
    assert tested | gaps.keys() >= set(_FAULTS)
    held = {name for row in faults.values() for name in row.split("|")[3].split()}
    assert held <= set(_PROMISES)


def test_every_decision_is_listed() -> None:
    folder = ROOT / "docs" / "decisions"
    listed = re.findall(r"^\| \[\d+\]\(([^)]+)\)", (folder / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert listed == sorted(path.name for path in folder.glob("[0-9]*.md"))
