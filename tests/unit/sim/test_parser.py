from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from found_footy_sim import Scenario, ScriptError, parse_scenario
from found_footy_sim.script.model import (
    AnswerFaultKind,
    EventListing,
    FeedEffectKind,
    FeedPerson,
    FeedWindow,
    IncidentKind,
    MatchPosition,
    MatchSide,
    PositionAnchor,
    RequestLimits,
    SearchFaultKind,
    SimulatedMatch,
    VideoHostAnswer,
    WindowEdge,
)

TEAMS = 'fixture 5000\nhome "Liverpool"(40) short LIV\naway "Arsenal"(42)\n'
GOAL = TEAMS + 'at 23 goal home "D. Szoboszlai"(234) as g1\n'


def script(text: str) -> Scenario:
    return parse_scenario("test", text)


def match(text: str) -> SimulatedMatch:
    return script(text).matches[0]


def test_a_fixture_has_teams_a_league_and_sensible_defaults() -> None:
    reported = match(TEAMS)
    assert (reported.id, reported.home.name, reported.home.id, reported.home.short) == (5000, "Liverpool", 40, "LIV")
    assert reported.away.short == "ARS"
    assert (reported.league.id, reported.league.country) == (39, "England")


def test_a_fixture_may_name_its_league_country_season_and_round() -> None:
    reported = match(TEAMS.replace("5000", '5000 in "La Liga"(140) of Spain season 2025 round "Matchday 3"'))
    assert (reported.league.name, reported.league.id, reported.league.country) == ("La Liga", 140, "Spain")
    assert (reported.league.season, reported.league.round) == (2025, "Matchday 3")


def test_settings_of_the_whole_scenario() -> None:
    reported = script("about A test.\nspeed 12.5\neach poll 2 minutes\nlimits 10 a minute 100 a day\n" + TEAMS)
    assert (reported.about, reported.speed, reported.step, reported.limits) == (
        "A test.",
        12.5,
        2.0,
        RequestLimits(10, 100),
    )


@pytest.mark.parametrize(
    ("line", "kind", "side", "player", "position"),
    [
        (
            'at 23 goal home "D. Szoboszlai"(234)',
            IncidentKind.GOAL,
            MatchSide.HOME,
            FeedPerson("D. Szoboszlai", 234),
            (23, None),
        ),
        ('at 45+2 penalty away "B. Saka"(7)', IncidentKind.PENALTY, MatchSide.AWAY, FeedPerson("B. Saka", 7), (45, 2)),
        (
            'at 60 own-goal home "W. Saliba"(9)',
            IncidentKind.OWN_GOAL,
            MatchSide.HOME,
            FeedPerson("W. Saliba", 9),
            (60, None),
        ),
        (
            'at 61 missed-penalty home "M. Salah"(8)',
            IncidentKind.MISSED_PENALTY,
            MatchSide.HOME,
            FeedPerson("M. Salah", 8),
            (61, None),
        ),
        ("at 62 goal away unknown", IncidentKind.GOAL, MatchSide.AWAY, FeedPerson(), (62, None)),
        (
            'at 63 goal away "J. Placeholder"',
            IncidentKind.GOAL,
            MatchSide.AWAY,
            FeedPerson("J. Placeholder", None),
            (63, None),
        ),
        ('at 64   red   home   "X. Y"(1)', IncidentKind.RED, MatchSide.HOME, FeedPerson("X. Y", 1), (64, None)),
    ],
)
def test_what_happens_on_the_pitch(
    line: str, kind: IncidentKind, side: MatchSide, player: FeedPerson, position: tuple[int, int | None]
) -> None:
    (reported,) = match(TEAMS + line).incidents
    assert (reported.kind, reported.side, reported.player) == (kind, side, player)
    assert (reported.at.minute, reported.at.extra) == position


def test_an_assist_and_a_name_for_later() -> None:
    (reported,) = match(TEAMS + 'at 23 goal home "A"(1) assist "B"(2) as opener').incidents
    assert (reported.assist, reported.name) == (FeedPerson("B", 2), "opener")


def test_a_var_row_without_a_goal() -> None:
    (reported,) = match(TEAMS + 'at 23 var home "Goal Disallowed - offside" by "A"(1)').incidents
    assert (reported.kind, reported.text, reported.player) == (
        IncidentKind.VAR,
        "Goal Disallowed - offside",
        FeedPerson("A", 1),
    )


POLL_3 = WindowEdge(poll=3)


@pytest.mark.parametrize(
    ("head", "window"),
    [
        ("poll 3", FeedWindow(POLL_3, POLL_3)),
        ("poll 3-5", FeedWindow(POLL_3, WindowEdge(poll=5))),
        ("from poll 3", FeedWindow(POLL_3)),
        ("from poll 3 to poll 5", FeedWindow(POLL_3, WindowEdge(poll=5))),
        ("at poll 3", FeedWindow(POLL_3)),
        ("from 23", FeedWindow(WindowEdge(position=MatchPosition(PositionAnchor.MINUTE, 23)))),
        (
            "from 45+2 to HT+1",
            FeedWindow(
                WindowEdge(position=MatchPosition(PositionAnchor.MINUTE, 45, 2)),
                WindowEdge(position=MatchPosition(PositionAnchor.HALF_TIME, offset=1.0)),
            ),
        ),
        (
            "from poll 3 to FT-1",
            FeedWindow(POLL_3, WindowEdge(position=MatchPosition(PositionAnchor.END, offset=-1.0))),
        ),
    ],
)
def test_when_the_feed_departs_from_the_truth(head: str, window: FeedWindow) -> None:
    (effect,) = match(GOAL + f"{head} missing g1").effects
    assert (effect.window, effect.effect_kind, effect.goal) == (window, FeedEffectKind.MISSING, "g1")


@pytest.mark.parametrize(
    ("said", "does"),
    [
        ("uncounted g1", FeedEffectKind.UNCOUNTED),
        ("duplicate g1", FeedEffectKind.DUPLICATE),
        ("disallow g1", FeedEffectKind.DISALLOW),
        ('credit g1 to "X"(9)', FeedEffectKind.CREDIT),
        ('copy g1 to "X"(9) as own-goal', FeedEffectKind.COPY),
        ("move g1 to 45+2", FeedEffectKind.MOVE),
        ('assist g1 by "X"(9)', FeedEffectKind.ASSIST),
        ("events empty", FeedEffectKind.EVENTS),
        ("score 2-1", FeedEffectKind.SCORE),
        ('status COOL "Cooling Break"', FeedEffectKind.STATUS),
        ("frozen", FeedEffectKind.FROZEN),
        ("date +60", FeedEffectKind.DATE),
        ("unreported", FeedEffectKind.UNREPORTED),
        ("omitted", FeedEffectKind.OMITTED),
    ],
)
def test_how_the_feed_departs_from_the_truth(said: str, does: FeedEffectKind) -> None:
    assert [effect.effect_kind for effect in match(GOAL + f"from 30 {said}").effects] == [does]


def test_details_of_departures() -> None:
    lines = (
        'from 30 disallow g1 keeping the row with "Goal cancelled"',
        'from 31 credit g1 to "X"(9) as own-goal',
        "from 32 events reversed",
        "from 33 score none",
    )
    removed, credited, listed, scored = match(GOAL + "\n".join(lines)).effects
    assert (removed.keep_row, removed.text) == (True, "Goal cancelled")
    assert (credited.person, credited.kind) == (FeedPerson("X", 9), IncidentKind.OWN_GOAL)
    assert listed.listing is EventListing.REVERSED
    assert scored.score == (None, None)


@pytest.mark.parametrize(
    ("said", "breaks"),
    [
        ("http 500", AnswerFaultKind.HTTP),
        ("http 502 html", AnswerFaultKind.HTTP),
        ("http 429 retry after 5s", AnswerFaultKind.HTTP),
        ("html", AnswerFaultKind.HTML),
        ("errors rateLimit", AnswerFaultKind.ERRORS),
        ('errors bug "on our side"', AnswerFaultKind.ERRORS),
        ('errors-list "no"', AnswerFaultKind.ERRORS_LIST),
        ('errors-string "no"', AnswerFaultKind.ERRORS_STRING),
        ("hold 12s", AnswerFaultKind.HOLD),
        ("half-json", AnswerFaultKind.HALF_JSON),
        ("wrong-types", AnswerFaultKind.WRONG_TYPES),
        ("empty-body", AnswerFaultKind.EMPTY_BODY),
        ("disconnect", AnswerFaultKind.DISCONNECT),
    ],
)
def test_how_a_whole_answer_breaks(said: str, breaks: AnswerFaultKind) -> None:
    reported = script(TEAMS + f"poll 5 {said}\nlisting 2 {said}")
    assert [fault.fault.fault_kind for fault in reported.matches[0].faults] == [breaks]
    assert [fault.fault.fault_kind for fault in reported.listing_faults] == [breaks]


def test_clips_take_minute_score_and_teams_from_their_goal() -> None:
    reported = script(
        GOAL + 'at 67 goal away "B. Saka"(7) as g2\nclip c1 of g2 8s 1280x720 design stack angle 2 host 404\n'
        "clip c2 from c1 trim 1s-6.5s crf 31"
    )
    scene = reported.get_clip("c1").scene
    assert scene is not None
    assert (scene.score, scene.scorer_home, scene.clock // 60, scene.regular) == ((1, 0), False, 66, 90)
    assert (scene.duration, scene.width, scene.height, scene.design, scene.angle) == (8.0, 1280, 720, "stack", 2)
    assert reported.get_clip("c1").host is VideoHostAnswer.DELETED
    change = reported.get_clip("c2").change
    assert change is not None
    assert (change.start, change.end, change.crf, reported.get_clip("c2").goal) == (1.0, 6.5, 31, "g2")


def test_posts_and_searches() -> None:
    reported = script(
        GOAL + 'clip c1 of g1\npost 40s after g1 by fan x50 shows c1 id "12" "Goal # 1!"\n'
        'post at HT by other shows c1 "later"\nsearch 2-3 rate_limited 20s'
    )
    first, second = reported.posts
    assert (first.seconds, first.after, first.author, first.copies) == (40.0, "g1", "fan", 50)
    assert (first.id, first.text) == ("12", "Goal # 1!")
    assert second.at == MatchPosition(PositionAnchor.HALF_TIME)
    (fault,) = reported.search_faults
    assert (fault.first, fault.last, fault.fault_kind, fault.seconds) == (2, 3, SearchFaultKind.RATE_LIMITED, 20.0)


def test_comments_are_left_out_but_colours_and_hashtags_are_not() -> None:
    reported = script(
        '# a comment\nfixture 5000 # another\nhome "L"(1) kit #aabbcc/#ddeeff # red\naway "A"(2)\n'
        'at 1 goal home "X"(3) as g\nclip c of g\npost 1s after g by fan shows c "#LFC # 1" # end\n#'
    )
    assert reported.matches[0].home.kit == ("#aabbcc", "#ddeeff")
    assert reported.posts[0].text == "#LFC # 1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "test: a scenario needs at least one fixture"),
        ("kickoff 3", "test, line 1: this belongs to a match"),
        ("fixture 5000\n\nhum a tune", "test, line 3: no statement begins with `hum`; they begin with about"),
        ("fixture soon", "test, line 1: `fixture soon` is not understood; expected\n  fixture <id>"),
        ('fixture 5000\nhome "L"', "line 2: `home"),
        ('fixture 5000\nhome "L"(1)', "fixture 5000 needs a home and an away team"),
        (TEAMS + "fixture 5000", "line 4: fixture 5000 is already defined above"),
        (TEAMS + "poll 3 missing g9", "line 4: nothing in fixture 5000 is called g9"),
        (GOAL + 'at 30 goal away "B"(1) as g1', "line 5: g1 is already the name of something above"),
        (GOAL + "poll 5 explode", "line 5: the feed cannot do `explode`; it can:\n  missing <name>"),
        (GOAL + "poll 5-3 missing g1", "line 5: 5-3 is not a range"),
        (GOAL + "poll 5 frozen", "line 5: a frozen clock needs the place"),
        (GOAL + "clip c of g2", "line 5: nothing so far is called g2"),
        (GOAL + "clip c of g1 sideways", "line 5: a clip has no option `sideways`"),
        (GOAL + "clip c from d", "line 5: no clip above is called d"),
        (GOAL + "clip c of g1\nclip d from c angle 2", "line 6: d is made from c, so it cannot have angle"),
        (GOAL + "clip c of g1 mirror", "line 5: c is not made from another clip, so it cannot have mirror"),
        (GOAL + 'post 3s after g1 by x shows nothing "t"', "line 5: no clip above is called nothing"),
        (TEAMS + 'at 45+9 goal home "X"(1) as late', "late comes after the whistle"),
        (TEAMS + 'at 100 goal home "X"(1) as late', "minute 100 is never played in this match"),
        (GOAL + "from P1 missing g1", "this match never comes to P"),
        (TEAMS + "poll 5 reaches 60\npoll 8 reaches 30", "fixture 5000 would run backwards between poll 5 and poll 8"),
    ],
)
def test_a_script_that_cannot_be_read_says_where_and_why(text: str, message: str) -> None:
    with pytest.raises(ScriptError) as error:
        script(text)
    assert message in str(error.value)


@given(st.text(max_size=200))
def test_whatever_is_written_the_parser_only_ever_raises_its_own_error(text: str) -> None:
    with suppress(ScriptError):
        script(GOAL + text)
