"""After an attempt that found nothing new, the next reaches other posts, within X's limits."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from found_footy.discovery.query.builder import build_query, is_within_limits
from found_footy.discovery.query.flags import find_flag
from found_footy.discovery.query.forms import (
    QueryForm,
    SearchedMatch,
    build_query_of_form,
    choose_query_form,
    match_tags,
)
from found_footy_sim.search_query import SearchDocument, compile_query

GOAL = SearchedMatch(
    "Enner Valencia", "Ecuador", ("Ecuador", "ECU"), "Qatar", ("Qatar", "QAT"), national=True, score=(0, 2)
)


@pytest.mark.parametrize(
    ("new", "form"),
    [
        ([], QueryForm.SCORER),
        ([3], QueryForm.SCORER),
        ([0], QueryForm.WIDE),
        ([0, 0], QueryForm.TEAM),
        ([0, 0, 0], QueryForm.WIDE),
        ([0, 2], QueryForm.SCORER),
        ([2, 0], QueryForm.WIDE),
    ],
)
def test_the_form_follows_from_what_earlier_attempts_found(new: list[int], form: QueryForm) -> None:
    assert choose_query_form(new) is form


def test_the_first_form_is_the_scorer_with_his_team() -> None:
    query = build_query_of_form(QueryForm.SCORER, GOAL)
    assert (
        query == build_query("Enner Valencia", ("Ecuador", "ECU"), "Ecuador") == "(Enner OR Valencia) (Ecuador OR ECU)"
    )


@pytest.mark.parametrize(
    ("post", "form"),
    [
        ("GOAL Enner Valencia again 🇶🇦 0-2 🇪🇨", QueryForm.WIDE),
        ("Enner Valencia becomes the first goalscorer #QATECU", QueryForm.WIDE),
        ("Valencia scores, Qatar in trouble", QueryForm.WIDE),
        ("Ecuador goal!", QueryForm.TEAM),
        ("Gol de Ecuador", QueryForm.TEAM),
        ("Qatar 0-2 Ecuador", QueryForm.TEAM),
    ],
)
def test_posts_that_the_first_form_misses_are_found_by_another(post: str, form: QueryForm) -> None:
    document = SearchDocument(post, "fan")
    assert not compile_query(build_query_of_form(QueryForm.SCORER, GOAL))(document)
    assert compile_query(build_query_of_form(form, GOAL))(document)


def test_a_flag_finds_only_posts_that_show_it() -> None:
    query = compile_query(build_query_of_form(QueryForm.WIDE, GOAL))
    assert not query(SearchDocument("Valencia beat Levante 🇪🇸", "fan"))


def test_the_wide_form_finds_whatever_the_first_form_finds() -> None:
    wide = build_query_of_form(QueryForm.WIDE, GOAL)
    assert wide == "(Enner OR Valencia) (Ecuador OR ECU OR ECUQAT OR QATECU OR Qatar OR QAT OR 🇪🇨 OR 🇶🇦)"


def test_tags_need_a_code_of_both_teams_and_flags_a_national_team() -> None:
    assert match_tags(GOAL) == ("ECUQAT", "QATECU")
    assert match_tags(replace(GOAL, opponent="", opponent_aliases=())) == ()
    assert match_tags(SearchedMatch("x", "Arsenal", (), "Chelsea")) == ("ARSCHE", "CHEARS")
    assert (find_flag("Türkiye"), find_flag("Arsenal"), find_flag("Qatar U23")) == ("🇹🇷", "", "🇶🇦")
    assert "🇪🇨" not in build_query_of_form(QueryForm.WIDE, replace(GOAL, national=False))


_names = st.lists(st.text(max_size=60), max_size=10).map(tuple)


@given(st.sampled_from(QueryForm), st.text(max_size=80), st.text(max_size=40), _names, st.text(max_size=40), _names)
def test_every_form_is_one_that_x_can_read(
    form: QueryForm, player: str, team: str, aliases: tuple[str, ...], opponent: str, theirs: tuple[str, ...]
) -> None:
    query = build_query_of_form(form, SearchedMatch(player, team, aliases, opponent, theirs, score=(1, 0)))
    assert is_within_limits(query) or " OR " not in query.partition(") ")[2]
    assert query.count('"') % 2 == 0
    assert query.strip() == query
    assert query
