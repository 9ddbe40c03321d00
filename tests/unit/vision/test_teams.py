"""Team names in score bugs: read, misread, of another match, and noise."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from found_footy.domain.known_teams import KnownTeam, known_teams
from found_footy.domain.outcomes import Finding
from found_footy.domain.scores import Score
from found_footy.vision.bug_text import BugText, parse_score, parse_teams, read_bug_texts
from found_footy.vision.expectation import MatchTeams
from found_footy.vision.teams import choose_reading, judge_pair, judge_teams

CONFIRMED, UNKNOWN, CONTRADICTED = Finding.CONFIRMED, Finding.UNKNOWN, Finding.CONTRADICTED
CITY = MatchTeams(("Sevilla",), ("Manchester City", "Man City", "MCFC"))
DERBY = MatchTeams(("Manchester United", "Man Utd"), ("Manchester City", "Man City"))


def match(home: str, away: str) -> MatchTeams:
    return MatchTeams((home,), (away,))


# The names and scores of the first six are as text recognition read them in real broadcasts, LUIV for LIV included.
# Their clocks, LUIV's opponent and all other rows are made up after usual layouts.
BUGS = [
    ([["SEV 0 2 MCI", "66:28"]], match("Sevilla", "Manchester City"), (0, 2)),
    ([["GER 5-0 ITA"], ["23:14"]], match("Germany", "Italy"), (5, 0)),
    ([["RIVER PLATE"], ["BOCA JUNIORS"], ["81:02"]], match("River Plate", "Boca Juniors"), None),
    ([["NED O-O ARG", "05:10"]], match("Netherlands", "Argentina"), (0, 0)),
    ([["BRAO-OMEX"], ["12:33"]], match("Brazil", "Mexico"), (0, 0)),
    ([["LUIV", "1"], ["ARS", "0"]], match("Liverpool", "Arsenal"), (1, 0)),
    ([["1ST HALF"], ["ESP", "1", "0", "POR"], ["13:09"]], match("Spain", "Portugal"), (1, 0)),
    ([["45:00", "+4 02:17", "RMA 1 - 1 FCB"]], match("Real Madrid", "Barcelona"), (1, 1)),
    ([["MUN", "2"], ["CHE", "1"], ["2T 04:53"]], match("Manchester United", "Chelsea"), (2, 1)),
    ([["JUV 0:1 INT 90:00 +5"]], match("Juventus", "Inter"), (0, 1)),
    ([["PSG 3 0 0M", "55:41"]], match("Paris Saint Germain", "Marseille"), (3, 0)),
    ([["B04 2-2 BVB 77:19"]], match("Bayer Leverkusen", "Borussia Dortmund"), (2, 2)),
    ([["FLA12PAL"], ["34:12"]], match("Flamengo", "Palmeiras"), (1, 2)),
    ([["PSG O2 INT"], ["09:06 2ND"]], match("Paris Saint Germain", "Inter"), (0, 2)),
    ([["LALIGA"], ["ATM", "0", "ATH", "0"], ["2ND 63:10"]], match("Atletico Madrid", "Athletic Club"), (0, 0)),
    ([["MAN CITY 1-0 SPURS"]], MatchTeams(("Manchester City", "Man City"), ("Tottenham", "Spurs")), (1, 0)),
]


@pytest.mark.parametrize(("rows", "teams", "score"), BUGS)
def test_both_teams_and_the_score_of_a_bug_are_read(
    rows: list[list[str]], teams: MatchTeams, score: tuple[int, int] | None
) -> None:
    read = choose_reading(read_bug_texts(rows), teams)
    assert read is not None
    assert judge_pair(read.first, read.second, teams).finding is CONFIRMED
    assert judge_pair(read.first, read.second, teams).home_first is True
    assert read.score == (Score(*score) if score else None)


@pytest.mark.parametrize(
    ("first", "second", "teams", "finding"),
    [
        ("SEV", "MCI", CITY, CONFIRMED),
        ("SEVILLA", "MAN CITY", CITY, CONFIRMED),
        ("5EV", "MC1", CITY, CONFIRMED),
        ("SE", "MCI", CITY, CONFIRMED),
        ("SEVI", "MCII", CITY, CONFIRMED),
        ("SEV", "RMA", CITY, CONTRADICTED),
        ("VAL", "RMA", CITY, CONTRADICTED),
        ("VALENCIA", "REAL MADRID", CITY, CONTRADICTED),
        ("GER", "ITA", CITY, CONTRADICTED),
        ("PSG", "OM", CITY, CONTRADICTED),
        ("OM", "AZ", CITY, UNKNOWN),
        ("RMA", "ATH", match("AS Roma", "Athletic Club"), UNKNOWN),
        ("R0MA", "ATH", match("AS Roma", "Athletic Club"), CONFIRMED),
        ("SEV", "XQZ", CITY, UNKNOWN),
        ("RMA", "HQ7", CITY, UNKNOWN),
        ("SKY", "HD", CITY, UNKNOWN),
        ("SEV", "MIN", CITY, UNKNOWN),
        ("SEV", "SEV", CITY, UNKNOWN),
        ("MUN", "MCI", DERBY, CONFIRMED),
        ("MCI", "ARS", match("Manchester United", "Arsenal"), CONTRADICTED),
        ("AVL", "NFO", match("Aston Villa", "Nottingham Forest"), CONFIRMED),
        ("SUI", "CRO", match("Switzerland", "Croatia"), CONFIRMED),
        ("ITALIA", "DEUTSCHLAND", MatchTeams(("Italy", "Italia"), ("Germany", "Deutschland")), CONFIRMED),
        ("CHA", "CIT", match("Chalk City", "Slate Rovers"), UNKNOWN),
        ("CHC", "SLR", match("Chalk City", "Slate Rovers"), CONFIRMED),
        ("CLK", "STR", match("Chalk City", "Slate Rovers"), UNKNOWN),  # letters of both names, and no more
        ("CLK", "SLA", match("Chalk City", "Slate Rovers"), CONFIRMED),
        ("ALK", "SLA", match("Chalk City", "Slate Rovers"), UNKNOWN),
        ("CHI", "SLA", match("Chalk City", "Slate Rovers"), CONFIRMED),  # Chile's, but this club has no usual code
        ("OMX", "PSG", match("Marseille", "Paris Saint Germain"), UNKNOWN),
        ("SEV", "CITY", CITY, UNKNOWN),
        ("SEU", "MCX", CITY, UNKNOWN),
        ("SEVILIA", "MAN C1TY", CITY, CONFIRMED),
        ("SEY", "MCI", CITY, UNKNOWN),  # the Seychelles, or SEV
        ("SEY", "RMA", CITY, CONTRADICTED),  # whoever SEY is, RMA is no side of this match
        ("ATH", "SEV", match("Atletico Madrid", "Sevilla"), UNKNOWN),  # ATM
        ("CHC", "STA", match("Chalk City", "Slate Rovers"), UNKNOWN),  # SLA
    ],
)
def test_names_confirm_contradict_or_tell_nothing(first: str, second: str, teams: MatchTeams, finding: Finding) -> None:
    assert judge_pair(first, second, teams).finding is finding


def test_the_away_side_may_be_printed_first() -> None:
    assert judge_pair("MCI", "SEV", CITY).home_first is False


def test_names_that_fit_both_sides_do_not_tell_which_is_printed_first() -> None:
    both = judge_pair("MANCHESTER", "MANCHESTER", DERBY)
    assert (both.finding, both.home_first) == (CONFIRMED, None)


def test_one_frame_alone_does_not_contradict_but_keeps_the_clip_unverified() -> None:
    alone, twice = judge_teams([("SEV", "RMA")], CITY), judge_teams([("SEV", "RMA"), ("SEV", "RMA")], CITY)
    assert (alone.finding, alone.is_doubtful) == (UNKNOWN, True)
    assert (twice.finding, twice.text) == (CONTRADICTED, "SEV–RMA")
    assert judge_teams([("SEV", "RMA"), ("SEV", "MCI")], CITY).finding is CONFIRMED


def test_a_name_one_similar_letter_away_that_is_another_teams_code_leaves_a_doubt_in_any_number_of_frames() -> None:
    for frames in (1, 2, 3):
        misread = judge_teams([("SEY", "MCI")] * frames, CITY)
        assert (misread.finding, misread.is_doubtful) == (UNKNOWN, True)
    assert not judge_teams([("SEX", "MCI")] * 2, CITY).is_doubtful
    assert not judge_teams([("SEY", "XQZ")] * 2, CITY).is_doubtful
    assert judge_teams([("SEY", "MCI"), ("SEV", "MCI")], CITY).finding is CONFIRMED


def test_without_names_or_expectation_nothing_is_known() -> None:
    assert judge_teams([], CITY).finding is UNKNOWN
    assert judge_teams([("VAL", "RMA")] * 2, None).finding is UNKNOWN


@pytest.mark.parametrize("text", ["SEV / MCI", "SEV–MCI", "SEV - MCI", "SEV-MCI", "SEV v MCI", "SEV, MCI", "SEV MCI"])
def test_two_names_in_one_text_are_told_apart(text: str) -> None:
    assert parse_teams(text) == ("SEV", "MCI")


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("0-2", (0, 2)),
        ("0–2", (0, 2)),
        ("O : 1", (0, 1)),
        ("1 0", (1, 0)),
        ("1-1 (4-3)", (1, 1)),
        ("10-0", (10, 0)),
        ("66:28", None),
        ("2", None),
        (None, None),
        ("21-0", None),
    ],
)
def test_a_score_is_parsed_or_unknown(text: str | None, score: tuple[int, int] | None) -> None:
    assert parse_score(text) == (Score(*score) if score else None)


def test_a_bug_without_two_names_has_no_reading() -> None:
    assert read_bug_texts([["66:28"], ["SEV"]]) == []
    assert read_bug_texts([]) == []
    assert read_bug_texts([["SKY"], ["SEV"], ["MCI"], ["66:28"]]) == []


def test_an_aggregate_score_is_not_the_score() -> None:
    assert read_bug_texts([["SEV 1-0 MCI (2-2)"]])[0] == BugText("SEV", "MCI", Score(1, 0))
    assert read_bug_texts([["SEV (2) 1-0 (2) MCI"]])[0] == BugText("SEV", "MCI", Score(1, 0))


def test_short_names_that_end_and_begin_with_a_letter_like_a_digit_are_not_taken_apart() -> None:
    assert read_bug_texts([["PSO-OIN"]]) == [BugText("PSO", "OIN")]


@pytest.mark.parametrize(
    ("row", "first", "second"),
    [
        (["VERL 116:24", "DOR", "1 - 1", "FCB"], "DOR", "FCB"),
        (["ET 116:24 DOR 1-1 FCB"], "DOR", "FCB"),
        (["DOR 1-1 FCB n.V. 116:24"], "DOR", "FCB"),
        (["116:24 VERL DOR 1-1 FCB"], "DOR", "FCB"),
        (["DOR 1-1 VERL 116:24"], "DOR", "VERL"),
        (["116:24 VERL 1-1 DOR"], "VERL", "DOR"),
        (["22:10 VERL 1-1 DOR"], "VERL", "DOR"),
        (["VERL 1-1 DOR 22:10"], "VERL", "DOR"),
    ],
)
def test_a_label_of_extra_time_beside_its_clock_is_no_name(row: list[str], first: str, second: str) -> None:
    assert read_bug_texts([row])[0] == BugText(first, second, Score(1, 1))


CODES = sorted({code for team in known_teams() for code in team.codes if len(code) >= 3})
TEAMS_WITH_CODES = [team for team in known_teams() if any(len(code) >= 3 for code in team.codes)]
NOISE = st.text(alphabet=string.ascii_uppercase + string.digits + " -:.'", max_size=12)


@given(NOISE, NOISE)
def test_noise_never_contradicts(first: str, second: str) -> None:
    if first.strip() not in CODES and second.strip() not in CODES:
        assert judge_pair(first, second, CITY).finding is not CONTRADICTED


@given(st.sampled_from(TEAMS_WITH_CODES), st.sampled_from(TEAMS_WITH_CODES), st.data())
def test_a_right_code_misread_in_one_way_never_contradicts(
    home: KnownTeam, away: KnownTeam, data: st.DataObject
) -> None:
    teams = MatchTeams(home.names, away.names)
    first, second = (data.draw(st.sampled_from([c for c in team.codes if len(c) >= 3])) for team in (home, away))
    assert judge_pair(data.draw(misread(first)), second, teams).finding is not CONTRADICTED
    assert judge_pair(first, data.draw(misread(second)), teams).finding is not CONTRADICTED


def misread(code: str) -> st.SearchStrategy[str]:
    """Every text that one confusion, one missing letter, one letter too many or one similar letter makes of a code."""
    confused = {"O": "0", "0": "O", "I": "1", "1": "I", "S": "5", "5": "S", "B": "8", "8": "B"}
    places = range(len(code))
    swapped = [code[:at] + confused[code[at]] + code[at + 1 :] for at in places if code[at] in confused]
    missing = [code[:at] + code[at + 1 :] for at in places]
    extra = [code[:at] + letter + code[at:] for at in range(len(code) + 1) for letter in "OIX"]
    looking_alike = ("MNHW", "UVY", "CGOQD", "EF", "PR", "ILTJ", "KX")
    similar = [
        code[:at] + letter + code[at + 1 :]
        for at in places
        for group in looking_alike
        if code[at] in group
        for letter in group
    ]
    return st.sampled_from([code, *swapped, *missing, *extra, *similar])


@given(st.lists(st.lists(NOISE, max_size=3), max_size=4))
def test_any_text_is_read_without_an_error(rows: list[list[str]]) -> None:
    for text in read_bug_texts(rows):
        assert isinstance(text, BugText)
        assert text.first
        assert text.second
