"""How much text recognition it takes to read a clip's clock."""

from dataclasses import dataclass

import pytest

from found_footy.vision.expectation import ExpectedGoal
from found_footy.vision.frames import ClipFrames, Frame, FrameNotLoaded
from found_footy.vision.local.reader import LocalReader
from found_footy.vision.local.score_bug_cache import ScoreBugCache
from found_footy.vision.local.scoreboard import ScoreBugLocation
from found_footy.vision.local.scoreboard_search import ScoreboardSearch, read_scoreboard
from found_footy.vision.local.text_boxes import RelativeBox
from tests.support.vision.scripted_recognizer import CLIP, FOOT, GARBLED, TOP_LEFT, ScriptedRecognizer, frame


def seen_in(recognizer: ScriptedRecognizer, *known: ScoreBugLocation, clip: ClipFrames = CLIP) -> list[str]:
    return [clock.clock for _, clock in sorted(read_scoreboard(recognizer, clip, known).confirmed_clocks.items())]


def test_the_second_frame_is_read_only_where_the_first_had_its_clock() -> None:
    recognizer = ScriptedRecognizer({1: [("34:10", TOP_LEFT)], 3: [("34:20", TOP_LEFT)]})
    assert seen_in(recognizer) == ["34:10", "34:20"]
    assert (len(recognizer.reads), recognizer.lines) == (1, 1)


def test_a_known_place_spares_the_search() -> None:
    recognizer = ScriptedRecognizer({1: [("64:10", TOP_LEFT)], 3: [("64:20", TOP_LEFT)]})
    assert seen_in(recognizer, ScoreBugLocation(TOP_LEFT, TOP_LEFT)) == ["64:10", "64:20"]
    assert (len(recognizer.reads), recognizer.lines) == (0, 2)


@pytest.mark.parametrize(
    ("place", "beside"), [(TOP_LEFT, RelativeBox(0.3, 0.05, 0.34, 0.09)), (FOOT, RelativeBox(0.3, 0.9, 0.34, 0.94))]
)
def test_at_a_known_place_the_half_is_looked_for_that_the_clock_may_have_started_again_in(
    place: RelativeBox, beside: RelativeBox
) -> None:
    recognizer = ScriptedRecognizer({1: [("2H", beside), ("08:14", place)], 3: [("2H", beside), ("08:24", place)]})
    assert seen_in(recognizer, ScoreBugLocation(place, place)) == seen_in(recognizer) == ["2H 08:14", "2H 08:24"]


def test_at_a_known_place_a_clock_of_the_first_half_needs_one_reading_around_it() -> None:
    recognizer = ScriptedRecognizer({1: [("34:10", TOP_LEFT)], 3: [("34:20", TOP_LEFT)]})
    assert seen_in(recognizer, ScoreBugLocation(TOP_LEFT, TOP_LEFT)) == ["34:10", "34:20"]
    assert (len(recognizer.reads), recognizer.lines) == (1, 2)


def test_a_known_place_that_has_moved_needs_one_more_reading() -> None:
    recognizer = ScriptedRecognizer({1: [("34:10", TOP_LEFT)], 3: [("34:20", TOP_LEFT)]})
    assert seen_in(recognizer, ScoreBugLocation(FOOT, FOOT)) == ["34:10", "34:20"]


def test_the_bottom_of_the_picture_is_read_when_the_top_has_no_clock() -> None:
    recognizer = ScriptedRecognizer({1: [("34:10", FOOT)], 3: [("34:20", FOOT)]})
    assert seen_in(recognizer) == ["34:10", "34:20"]


def test_the_middle_helps_when_one_frame_shows_no_clock() -> None:
    recognizer = ScriptedRecognizer({1: [("34:10", TOP_LEFT)], 2: [("34:15", TOP_LEFT)]})
    board = read_scoreboard(recognizer, CLIP)
    assert board.has_confirmed_clock
    assert sorted(board.confirmed_clocks) == [5.0, 10.0]


@dataclass
class Later:
    """A clip whose middle has to be taken out first; remembers how often that was done."""

    middle: Frame | None
    taken: int = 0

    async def __call__(self) -> Frame | None:
        self.taken += 1
        return self.middle

    @property
    def clip(self) -> ClipFrames:
        return ClipFrames(CLIP.outer_frames, load_middle=self)


def test_the_search_goes_on_from_where_the_middle_was_missing() -> None:
    recognizer = ScriptedRecognizer({1: [("34:10", TOP_LEFT)], 2: [("34:15", TOP_LEFT)]})
    search = ScoreboardSearch(recognizer)
    with pytest.raises(FrameNotLoaded):
        search.search_clip(Later(CLIP.middle_frame).clip)
    reads = len(recognizer.reads)
    assert search.search_clip(CLIP).has_confirmed_clock
    assert len(recognizer.reads) == reads, "the outer frames are not read again, and the middle where the clock was"


async def test_an_unneeded_middle_frame_is_not_decoded() -> None:
    later = Later(CLIP.middle_frame)
    verdict = await LocalReader(ScriptedRecognizer({1: [("34:10", TOP_LEFT)], 3: [("34:20", TOP_LEFT)]})).read(
        later.clip, ExpectedGoal(34)
    )
    assert [answer.clock for answer in verdict.evidence.readings] == ["34:10", "34:20"]
    assert later.taken == 0


@pytest.mark.parametrize(
    ("middle", "expected"),
    [(CLIP.middle_frame, ["34:10", "34:15", None]), (None, ["34:10", None])],
    ids=["there", "missing"],
)
async def test_a_needed_middle_frame_is_decoded_once(middle: Frame | None, expected: list[str | None]) -> None:
    later, recognizer = Later(middle), ScriptedRecognizer({1: [("34:10", TOP_LEFT)], 2: [("34:15", TOP_LEFT)]})
    verdict = await LocalReader(recognizer).read(later.clip, ExpectedGoal(34))
    assert [answer.clock for answer in verdict.evidence.readings] == expected
    assert later.taken == 1


def test_what_stands_still_is_no_match_clock() -> None:
    recognizer = ScriptedRecognizer({key: [("20:45", TOP_LEFT)] for key in (1, 2, 3)})
    assert seen_in(recognizer) == []


def test_a_reading_that_nothing_confirms_is_no_clock() -> None:
    board = read_scoreboard(ScriptedRecognizer({1: [("53:30", TOP_LEFT)]}), CLIP)
    assert board.confirmed_clocks == {}
    assert [clock.clock for clock in board.unconfirmed_clocks.values()] == ["53:30"]
    assert board.bug is None, "what is not there cannot sway: such a clip must not be taken for a filmed screen"


def test_the_same_misreading_twice_within_a_second_is_no_clock() -> None:
    recognizer = ScriptedRecognizer({key: [("00:24", TOP_LEFT)] for key in (1, 2)})
    clip = ClipFrames((frame(1.0, 1), frame(3.0, 3)), frame(2.0, 2))
    assert not read_scoreboard(recognizer, clip).has_confirmed_clock


@pytest.mark.parametrize(("middle", "believed"), [("34:25", True), ("34:11", False), ("61:02", False)])
def test_a_clock_at_an_odd_speed_needs_a_third_reading(middle: str, believed: bool) -> None:
    recognizer = ScriptedRecognizer({1: [("34:10", TOP_LEFT)], 2: [(middle, TOP_LEFT)], 3: [("34:40", TOP_LEFT)]})
    assert read_scoreboard(recognizer, CLIP).has_confirmed_clock is believed


def test_two_misreadings_that_advance_by_chance_give_way_to_the_mirror() -> None:
    recognizer = ScriptedRecognizer(
        {2: [("3:33", TOP_LEFT)], 3: [("3:58", TOP_LEFT)], 101: [("53:10", TOP_LEFT)], 103: [("53:20", TOP_LEFT)]}
    )
    assert seen_in(recognizer) == ["53:10", "53:20"]


GLANCES = tuple(frame(8.0 + 0.35 * number, 10 + number) for number in range(8))


@pytest.mark.parametrize(("small", "believed"), [("34:13", True), ("34:10", False), ("61:02", False)])
def test_small_frames_show_whether_the_clock_of_a_single_frame_runs(small: str, believed: bool) -> None:
    written = {10 + number: [(small, TOP_LEFT)] for number in range(8)}
    recognizer = ScriptedRecognizer({1: [("34:10", TOP_LEFT)], **written})
    board = read_scoreboard(recognizer, ClipFrames(CLIP.outer_frames, CLIP.middle_frame, GLANCES))
    assert board.has_confirmed_clock is believed
    assert recognizer.lines <= 2 + 2 * 4


def test_small_frames_alone_show_no_clock() -> None:
    written = {10 + number: [(f"34:{10 + number}", TOP_LEFT)] for number in range(8)}
    assert not read_scoreboard(
        ScriptedRecognizer(written), ClipFrames(CLIP.outer_frames, CLIP.middle_frame, GLANCES)
    ).has_confirmed_clock


def test_a_mirrored_clock_is_read_in_the_mirror() -> None:
    recognizer = ScriptedRecognizer({1: GARBLED, 3: GARBLED, 101: [("34:10", TOP_LEFT)], 103: [("34:20", TOP_LEFT)]})
    board = ScoreboardSearch(recognizer).search_clip(Later(None).clip)
    assert [clock.clock for _, clock in sorted(board.confirmed_clocks.items())] == ["34:10", "34:20"]
    assert board.is_mirrored
    assert board.location is not None
    assert board.bug == board.location.bug.mirror_image
    assert board.location.bug.contains_centre(TOP_LEFT), (
        "the place in the broadcast's own picture, for clips that are not mirrored"
    )


def test_a_misread_clock_of_a_mirrored_clip_gives_way_to_the_right_one() -> None:
    recognizer = ScriptedRecognizer({1: [("53:30", TOP_LEFT)], 101: [("06:55", TOP_LEFT)], 103: [("07:05", TOP_LEFT)]})
    assert seen_in(recognizer) == ["06:55", "07:05"]


def test_a_known_place_spares_the_search_in_the_mirror_too() -> None:
    recognizer = ScriptedRecognizer({101: [("64:10", TOP_LEFT)], 103: [("64:20", TOP_LEFT)]})
    board = read_scoreboard(recognizer, CLIP, [ScoreBugLocation(TOP_LEFT, TOP_LEFT)])
    assert board.is_mirrored
    assert all(part.contains_centre(TOP_LEFT) or part.contains_centre(FOOT) for part in recognizer.reads)
    assert len(recognizer.reads) == 6, (
        "the bug, the top and the foot of both frames, and nothing of their mirror images"
    )


def test_without_text_the_mirror_image_is_not_read() -> None:
    recognizer = ScriptedRecognizer({})
    ScoreboardSearch(recognizer).search_clip(CLIP)
    plain = len(recognizer.reads)
    recognizer = ScriptedRecognizer({key: [("ADS", FOOT)] for key in (1, 2, 3)})
    ScoreboardSearch(recognizer).search_clip(CLIP)
    assert len(recognizer.reads) == plain + 2, "the foot of both frames"


def test_a_running_clock_is_not_searched_for_in_the_mirror_image() -> None:
    recognizer = ScriptedRecognizer({1: [("34:10", TOP_LEFT)], 3: [("34:20", TOP_LEFT)], 101: [("11:10", TOP_LEFT)]})
    assert not read_scoreboard(recognizer, CLIP).is_mirrored
    assert len(recognizer.reads) == 1


def test_small_frames_are_read_again_slowly() -> None:
    recognizer = ScriptedRecognizer({1: [("34:10", TOP_LEFT)], 3: [("34:20", TOP_LEFT)]}, shy=True)
    clip = ClipFrames((frame(5.0, 1, 398), frame(15.0, 3, 398)), frame(10.0, 2, 398))
    assert seen_in(recognizer, clip=clip) == ["34:10", "34:20"]


def test_a_clip_without_a_clock_ends_the_search() -> None:
    recognizer = ScriptedRecognizer({})
    assert seen_in(recognizer) == []
    assert len(recognizer.reads) <= 7


def test_a_timer_that_appears_beside_a_standing_clock_is_looked_for() -> None:
    timer = RelativeBox(0.13, 0.05, 0.19, 0.09)
    recognizer = ScriptedRecognizer({key: [("90:00", TOP_LEFT), (f"02:{5 + 5 * key:02d}", timer)] for key in (1, 3)})
    board = read_scoreboard(recognizer, CLIP, [ScoreBugLocation(TOP_LEFT, TOP_LEFT)])
    assert [clock.stoppage_clock for _, clock in sorted(board.confirmed_clocks.items())] == ["02:10", "02:20"]


def test_the_name_of_the_half_goes_with_the_line() -> None:
    recognizer = ScriptedRecognizer({1: [("2T 04:10", TOP_LEFT)], 3: [("04:20", TOP_LEFT)]})
    assert seen_in(recognizer) == ["2T 04:10", "2T 04:20"]


def test_a_broadcast_remembers_its_last_places_and_no_other() -> None:
    places = ScoreBugCache()
    for number in range(5):
        left = number / 10
        places.remember_location("match", ScoreBugLocation(TOP_LEFT, RelativeBox(left, 0, left + 0.05, 0.1)))
    places.remember_location("match", ScoreBugLocation(TOP_LEFT, RelativeBox(0.41, 0, 0.46, 0.1)))
    assert [place.clock_box.left for place in places.get_locations("match")] == [0.41, 0.3, 0.2]
    assert places.get_locations("other") == ()
    places.remember_location("", ScoreBugLocation(TOP_LEFT, TOP_LEFT))
    assert places.get_locations("") == ()
