"""What post titles say, and which of them are no goals."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from found_footy.discovery.sources.reddit.titles import PostTitle, ScoringSide, parse_post_title
from tests.support.discovery.reddit_title_lists import read_goal_titles, read_other_titles
from tests.support.discovery.reddit_titles import GOALS, OTHERS


def show_title(title: PostTitle | None) -> str:
    """The title in the form of the table."""
    if title is None:
        return "no goal"
    minute = "-" if title.minute is None else f"{title.minute}+{title.added}" if title.added else str(title.minute)
    what = "+".join(word for word, said in (("own goal", title.own_goal), ("penalty", title.penalty)) if said)
    score = f"{title.home_score}-{title.away_score}"
    return "|".join(
        [title.home or "-", score, title.away or "-", title.scoring_side or "-", title.scorer or "-", minute, what]
    )


@pytest.mark.parametrize(("title", "expected"), GOALS)
def test_a_goal_title_is_read(title: str, expected: str) -> None:
    assert show_title(parse_post_title(title)) == expected


@pytest.mark.parametrize("title", OTHERS)
def test_what_is_not_a_goal_is_refused(title: str) -> None:
    assert show_title(parse_post_title(title)) == "no goal"


def test_every_title_of_the_lists_is_read_exactly() -> None:
    """One test for some eight hundred titles, so that it shows all that a change breaks."""
    goals, others = read_goal_titles(), read_other_titles()
    assert len(goals) > 500
    assert len(others) > 200
    read = {title: show_title(parse_post_title(title)) for title in (*(title for title, _ in goals), *others)}
    wanted = dict(goals) | dict.fromkeys(others, "no goal")
    assert {title: said for title, said in read.items() if said != wanted[title]} == {}


@pytest.mark.parametrize(
    "text",
    ["[" * 300, "1-" * 150, "A [1]-0 B - " + "a " * 140, "(" * 75 + "agg" + ")" * 70, "1'+" * 100, "[1" * 150,
     "great " * 50, "A [1]-0 B - " + "(a " * 90, "a - " * 75, "min " * 75, "x" * 100_000],
)  # fmt: skip
def test_a_hostile_title_costs_little(text: str) -> None:
    began = time.process_time()
    parse_post_title(text)
    assert time.process_time() - began < 0.2


_TEAMS = st.sampled_from(
    ["Arsenal", "Schalke 04", "FC Köln", "Paris Saint-Germain", "Bodø/Glimt", "Real Madrid W", "Korea Rep", "St. Pauli",
     "Al-Hilal", "1860 Munich", "Brighton & Hove Albion", "Nott'm Forest", "England U21", "Mainz 05"]
)  # fmt: skip
_PLAYERS = st.sampled_from(
    ["B. Saka", "Kang-in Lee", "N'Golo Kanté", "Virgil van Dijk", "Neves J.", "Ødegaard", "Trent Alexander-Arnold",
     "Son Heung-min", "João Félix", "Hulk", "Matthijs de Ligt"]
)  # fmt: skip
_DASHES = st.sampled_from([" - ", "-", " -", "- ", " – ", "–", ":"])
_SEPARATORS = st.sampled_from([" - ", " – ", " | ", ": ", " : ", ", "])
_MINUTE_FORMS = st.sampled_from(["{}'", "{}’", "{}\u200e'", "{}''", "{} '", "({}')", "{}′"])
_ADDED_FORMS = st.sampled_from(["{}+{}'", "{}'+{}'", "{}' +{}", "{} + {}'", "{}\u200e+\u200e{}'", "{}+{}", "({}+{}’)"])
_KINDS = st.sampled_from(
    [("", False, False), (" (penalty)", False, True), (" (OG)", True, False), (" pen", False, True)]
)
_LEADS = st.sampled_from(["", "[Club Friendly] ", "\u200e", "SCENES! ", "🇧🇷 "])
_TAILS = st.sampled_from(["", " (great goal)", " [5-4 on agg.]", " (Group H)", "\u200f", " | Premier League"])


@st.composite
def _written_goals(draw: st.DrawFn) -> tuple[str, PostTitle]:
    home, away = draw(st.lists(_TEAMS, min_size=2, max_size=2, unique=True))
    side = draw(st.sampled_from(ScoringSide))
    scores = draw(st.tuples(st.integers(0, 9), st.integers(0, 9)))
    home_score, away_score = (scores[0] + 1, scores[1]) if side is ScoringSide.HOME else (scores[0], scores[1] + 1)
    score = draw(_DASHES).join(
        (f"[{home_score}]", str(away_score)) if side is ScoringSide.HOME else (str(home_score), f"[{away_score}]")
    )
    minute, added = draw(st.integers(1, 120)), draw(st.none() | st.integers(1, 15))
    scorer, (kind, own_goal, penalty) = draw(_PLAYERS), draw(_KINDS)
    when = draw(_ADDED_FORMS).format(minute, added) if added else draw(_MINUTE_FORMS).format(minute)
    title = f"{draw(_LEADS)}{home} {score} {away}{draw(_SEPARATORS)}{scorer}{kind} {when}{draw(_TAILS)}"
    return title, PostTitle(
        home, away, home_score, away_score, side, scorer, minute, added, own_goal=own_goal, penalty=penalty
    )


@given(_written_goals())
def test_what_is_written_is_read_back(written: tuple[str, PostTitle]) -> None:
    title, goal = written
    assert parse_post_title(title) == goal


@given(_written_goals(), st.sampled_from(["disallowed goal", "ruled out by VAR", "red card", "penalty shoot-out"]))
def test_a_goal_that_did_not_count_is_refused_in_every_form(written: tuple[str, PostTitle], word: str) -> None:
    assert parse_post_title(f"{written[0]} {word}") is None


@given(st.text(max_size=120))
def test_any_text_is_read_or_refused(text: str) -> None:
    title = parse_post_title(text)
    assert title is None or title.home or title.away


@given(st.text(alphabet="[]()- :'+0129AaBb|,", max_size=60))
def test_texts_of_the_marks_of_titles_are_read_or_refused(text: str) -> None:
    title = parse_post_title(text)
    assert title is None or (title.home_score + title.away_score > 0 and (title.minute is None or title.minute <= 130))
