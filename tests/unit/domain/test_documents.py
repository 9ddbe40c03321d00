"""The types of stored documents, the data page and what the code writes name the same fields."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from found_footy.archive.dedup.copies import ClipCopy
from found_footy.archive.dedup.records import build_clip_record, copies_fields
from found_footy.archive.messages import UploadedClip
from found_footy.domain import documents
from tests.support.pipeline.batches import make_clip
from tests.support.pipeline.goals import make_goal

DATA_PAGE = Path(__file__).parents[3] / "docs" / "data.md"
# The data page counts these among "the feed's" in a sentence, not in the table.
FEED_FIELDS = {"player", "team", "assist", "type", "detail", "time", "comments"}


def described_fields(heading: str) -> set[str]:
    """The fields that the table below a heading of the data page describes."""
    section = DATA_PAGE.read_text(encoding="utf-8").split(f"\n## {heading}\n")[1].split("\n## ")[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    return {name for cell in rows for name in re.findall(r"`(\w+)`", cell)}


@pytest.mark.parametrize(
    ("heading", "declared"),
    [
        ("Fixture", set(documents.FixtureDocument.__annotations__) - {"_id"}),
        ("Goal", set(documents.GoalDocument.__annotations__) - FEED_FIELDS),
    ],
)
def test_the_data_page_describes_every_field_and_no_other(heading: str, declared: set[str]) -> None:
    assert described_fields(heading) == declared


def test_a_clip_is_stored_with_declared_fields_only() -> None:
    goal = make_goal()
    uploaded = UploadedClip(make_clip(goal, 1, "a"), "key", stored_at=datetime(2026, 11, 15, tzinfo=UTC))
    copy = replace(ClipCopy("m", 1.0, 1, verified=False), sources=("a",))
    written = build_clip_record(goal, uploaded, "bucket") | copies_fields([copy])
    assert set(written) <= set(documents.ClipDocument.__annotations__)
