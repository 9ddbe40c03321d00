"""Names of downloads: readable, and harmless wherever they are stored."""

import string
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from found_footy.domain.collections import FixtureCollection
from found_footy.views.file_names import build_clip_file_name, build_content_disposition, clean_name
from found_footy.views.fixture_views import StoredFixture, build_fixture_view
from tests.support.web import matchday


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("Florian Wirtz", "Florian Wirtz"),
        ("Bayern München", "Bayern München"),
        ("../../etc/passwd", "-..-etc-passwd"),
        ("a\x00b\r\nc", "ab c"),
        ("evil\u202egpj.exe", "evilgpj.exe"),
        ('C:\\x "y" <z>|*?', "C--x -y- -z----"),
        ("...", ""),
        ("x" * 500, "x" * 40),
    ],
)
def test_what_harms_a_file_system_is_left_out(text: str, cleaned: str) -> None:
    assert clean_name(text) == cleaned


@given(st.text(max_size=80))
def test_any_name_is_harmless_and_survives_the_header(text: str) -> None:
    name = clean_name(text)
    assert not set(name) & set('/\\:*?"<>|\x00\r\n')
    assert name == name.strip(". ")
    header = build_content_disposition(f"{name} 1.mp4")
    assert set(header) <= set(string.printable) - set("\r\n\t\x0b\x0c")
    assert unquote(header.partition("filename*=UTF-8''")[2]) == f"{name} 1.mp4"


def test_a_clip_is_named_by_day_match_minute_and_scorer() -> None:
    goal = matchday.goal(minute=45, extra=3, name="Mesut Özil")
    stored = StoredFixture(FixtureCollection.ACTIVE, matchday.fixture(events=[goal]))
    match = build_fixture_view(stored, attempts_wanted=10)
    name = build_clip_file_name(match, match.goals[0], 2)
    assert name == "2026-11-15 Liverpool–Arsenal 45+3 Mesut Özil 2.mp4"
    assert build_content_disposition(name).startswith(
        'attachment; filename="2026-11-15 Liverpool-Arsenal 45+3 Mesut Ozil 2.mp4"; filename*=UTF-8'
    )
