import pytest
from hypothesis import given
from hypothesis import strategies as st

from found_footy.domain import ids


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Ødegaard", "Odegaard"),
        ("Łukasz Đorđević", "Lukasz Dordevic"),
        ("Vinícius Júnior", "Vinicius Junior"),
        ("Großkreutz", "Grosskreutz"),
        ("Guðmundsson Þór", "Gudmundsson Thor"),
        ("Özil", "Ozil"),
        ("日本", ""),
    ],
)
def test_names_fold_to_ascii(text: str, folded: str) -> None:
    assert ids.fold_to_ascii(text) == folded


@pytest.mark.parametrize(
    ("text", "readable"),
    [
        ("A.C. Milan", "A_C_Milan"),
        ("Paris Saint Germain", "Paris_Saint_Germain"),
        ("Son Heung-Min", "Son_Heung-Min"),
        ("", "Unknown"),
        ("日本", "Unknown"),
    ],
)
def test_names_become_readable_parts_of_ids(text: str, readable: str) -> None:
    assert ids.to_id_part(text) == readable


@given(st.text())
def test_readable_parts_are_never_empty_and_always_plain(text: str) -> None:
    part = ids.to_id_part(text)
    assert part
    assert part.isascii()
    assert "|" not in part and " " not in part  # noqa: PT018  one thought


def test_workflow_ids_carry_the_frozen_slug() -> None:
    slug = ids.GoalSlug.from_goal("Liverpool", "D. Szoboszlai", 45, 3)
    event = ids.event_id(5000, 40, 234, "Goal", 1)
    assert event == "5000_40_234_Goal_1"
    assert ids.twitter_workflow_id(slug, event) == "twitter-Liverpool-Szoboszlai-45+3min-5000_40_234_Goal_1"
    assert ids.download_workflow_id(slug, event, 7) == "download7-Liverpool-Szoboszlai-5000_40_234_Goal_1"
    assert ids.upload_workflow_id(event) == "upload-5000_40_234_Goal_1"


def test_a_player_without_an_id_is_zero() -> None:
    assert ids.event_id(5000, 40, None, "Goal", 1) == "5000_40_0_Goal_1"


@given(st.text(), st.text(), st.integers(0, 120), st.none() | st.integers(0, 15))
def test_a_slug_survives_being_stored(team: str, player: str, elapsed: int, extra: int | None) -> None:
    slug = ids.GoalSlug.from_goal(team, player, elapsed, extra)
    assert ids.GoalSlug.parse(str(slug)) == slug
