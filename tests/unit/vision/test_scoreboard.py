"""How much text recognition it takes to read a clip's clock."""

from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from found_footy.model.outcome import ClipOutcome, TimestampStatus
from found_footy.vision.frames import Beside, ClipFrames, Expected, Frame, FrameWanted, Pixels
from found_footy.vision.local.boxes import Box, TextBox
from found_footy.vision.local.places import Places
from found_footy.vision.local.reader import LocalReader
from found_footy.vision.local.scoreboard import Place, Search, read_scoreboard
from found_footy.vision.verdict import Accepted, Rejected

TOP_LEFT = Box(0.05, 0.05, 0.11, 0.09)
FOOT = Box(0.05, 0.9, 0.11, 0.94)


MIRROR = 100


@dataclass
class Eyes:
    """Sees what is written at a place, in the frame whose first pixel is the key, with MIRROR added to it in the
    frame's mirror image. `shy` text needs the slow way.
    """

    written: dict[int, list[tuple[str, Box]]]
    shy: bool = False
    reads: list[Box] = field(default_factory=list)
    lines: int = 0

    def read(self, picture: Pixels, part: Box, *, slow: bool = False) -> list[TextBox]:
        self.reads.append(part)
        if self.shy and not slow:
            return []
        return [TextBox(box, words, 0.99) for words, box in self._in(picture) if part.covers(box)]

    def line(self, picture: Pixels, part: Box) -> TextBox | None:
        self.lines += 1
        if self.shy:
            return None
        return next((TextBox(part, words, 0.99) for words, box in self._in(picture) if part.covers(box)), None)

    def _in(self, picture: Pixels) -> list[tuple[str, Box]]:
        return self.written.get(int(picture[0, 0, 0]), [])


def frame(at: float, key: int, width: int = 640) -> Frame:
    pixels = np.full((90, width, 3), key, np.uint8)
    pixels[:, -1] = key + MIRROR
    return Frame(at, pixels)


CLIP = ClipFrames((frame(5.0, 1), frame(15.0, 3)), frame(10.0, 2))


def seen_in(eyes: Eyes, *known: Place, clip: ClipFrames = CLIP) -> list[str]:
    return [clock.clock for _, clock in sorted(read_scoreboard(eyes, clip, known).clocks.items())]


def test_the_second_frame_is_read_only_where_the_first_had_its_clock() -> None:
    eyes = Eyes({1: [("34:10", TOP_LEFT)], 3: [("34:20", TOP_LEFT)]})
    assert seen_in(eyes) == ["34:10", "34:20"]
    assert (len(eyes.reads), eyes.lines) == (1, 1)


def test_a_known_place_spares_the_search() -> None:
    eyes = Eyes({1: [("64:10", TOP_LEFT)], 3: [("64:20", TOP_LEFT)]})
    assert seen_in(eyes, Place(TOP_LEFT, TOP_LEFT)) == ["64:10", "64:20"]
    assert (len(eyes.reads), eyes.lines) == (0, 2)


@pytest.mark.parametrize(
    ("place", "beside"), [(TOP_LEFT, Box(0.3, 0.05, 0.34, 0.09)), (FOOT, Box(0.3, 0.9, 0.34, 0.94))]
)
def test_at_a_known_place_the_half_is_looked_for_that_the_clock_may_have_started_again_in(
    place: Box, beside: Box
) -> None:
    eyes = Eyes({1: [("2H", beside), ("08:14", place)], 3: [("2H", beside), ("08:24", place)]})
    assert seen_in(eyes, Place(place, place)) == seen_in(eyes) == ["2H 08:14", "2H 08:24"]


def test_at_a_known_place_a_clock_of_the_first_half_costs_one_look_around_it() -> None:
    eyes = Eyes({1: [("34:10", TOP_LEFT)], 3: [("34:20", TOP_LEFT)]})
    assert seen_in(eyes, Place(TOP_LEFT, TOP_LEFT)) == ["34:10", "34:20"]
    assert (len(eyes.reads), eyes.lines) == (1, 2)


def test_a_known_place_that_has_moved_costs_a_look_and_nothing_more() -> None:
    eyes = Eyes({1: [("34:10", TOP_LEFT)], 3: [("34:20", TOP_LEFT)]})
    assert seen_in(eyes, Place(FOOT, FOOT)) == ["34:10", "34:20"]


def test_the_foot_of_the_picture_is_read_when_the_top_has_no_clock() -> None:
    eyes = Eyes({1: [("34:10", FOOT)], 3: [("34:20", FOOT)]})
    assert seen_in(eyes) == ["34:10", "34:20"]


def test_the_middle_helps_when_one_frame_shows_no_clock() -> None:
    eyes = Eyes({1: [("34:10", TOP_LEFT)], 2: [("34:15", TOP_LEFT)]})
    board = read_scoreboard(eyes, CLIP)
    assert board.agreed
    assert sorted(board.clocks) == [5.0, 10.0]


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
        return ClipFrames(CLIP.outer, later=self)


def test_the_search_goes_on_from_where_the_middle_was_missing() -> None:
    eyes = Eyes({1: [("34:10", TOP_LEFT)], 2: [("34:15", TOP_LEFT)]})
    search = Search(eyes)
    with pytest.raises(FrameWanted):
        search.through(Later(CLIP.middle).clip)
    reads = len(eyes.reads)
    assert search.through(CLIP).agreed
    assert len(eyes.reads) == reads, "the outer frames are not read again, and the middle where the clock was"


async def test_a_middle_that_nobody_needs_is_not_taken_out() -> None:
    later = Later(CLIP.middle)
    verdict = await LocalReader(Eyes({1: [("34:10", TOP_LEFT)], 3: [("34:20", TOP_LEFT)]})).read(
        later.clip, Expected(34)
    )
    assert [answer.clock for answer in verdict.evidence.answers] == ["34:10", "34:20"]
    assert later.taken == 0


@pytest.mark.parametrize(
    ("middle", "expected"), [(CLIP.middle, ["34:10", "34:15", None]), (None, ["34:10", None])], ids=["there", "missing"]
)
async def test_a_middle_that_is_needed_is_taken_out_once(middle: Frame | None, expected: list[str | None]) -> None:
    later, eyes = Later(middle), Eyes({1: [("34:10", TOP_LEFT)], 2: [("34:15", TOP_LEFT)]})
    verdict = await LocalReader(eyes).read(later.clip, Expected(34))
    assert [answer.clock for answer in verdict.evidence.answers] == expected
    assert later.taken == 1


def test_what_stands_still_is_no_match_clock() -> None:
    eyes = Eyes({key: [("20:45", TOP_LEFT)] for key in (1, 2, 3)})
    assert seen_in(eyes) == []


def test_a_reading_that_nothing_confirms_is_no_clock() -> None:
    board = read_scoreboard(Eyes({1: [("53:30", TOP_LEFT)]}), CLIP)
    assert board.clocks == {}
    assert [clock.clock for clock in board.doubtful.values()] == ["53:30"]
    assert board.bug is None, "what is not there cannot sway: such a clip must not be taken for a filmed screen"


GARBLED = [("VIL 0-1 2RA", TOP_LEFT)]
GREEN = (60, 160, 40)


def marked(seed: int = 1) -> tuple[Frame, ...]:
    """Eight small frames in which everything moves but a mark that somebody has put in, and two bars."""
    dice, frames = np.random.default_rng(seed), []
    for number in range(8):
        pixels = dice.integers(0, 255, (360, 640, 3), np.uint8)
        pixels[300:330, 400:600] = 0
        pixels[306:324, 410:590:6] = 255
        pixels[:20] = pixels[-20:] = 0
        frames.append(Frame(12 + 0.35 * number, pixels))
    return tuple(frames)


def green(at: float, key: int) -> Frame:
    pixels = np.empty((90, 640, 3), np.uint8)
    pixels[:] = GREEN
    pixels[0, 0] = (key, *GREEN[1:])
    pixels[:, -1] = (key + MIRROR, *GREEN[1:])
    return Frame(at, pixels)


@dataclass
class Taking:
    """Takes out a frame beside another, two seconds later; its key is that of the other and 50. Remembers for which."""

    small: tuple[Frame, ...] = ()
    asked: list[float] = field(default_factory=list)

    async def __call__(self, at: float) -> Beside:
        self.asked.append(at)
        return Beside(green(at + 2.0, {5.0: 51, 10.0: 52, 15.0: 53}[at]), self.small)


MARKED = ClipFrames((green(5.0, 1), green(15.0, 3)), None, marked())


@pytest.mark.parametrize("clock", ["53:30", "00:02", "20:45"])
@pytest.mark.parametrize("goal", [Expected(53), Expected(2), Expected(60), Expected(45, 1), Expected(90, 2)])
async def test_a_reading_that_nothing_confirms_verifies_and_refuses_nothing_whatever_else_stands_still(
    clock: str, goal: Expected
) -> None:
    eyes, taking = Eyes({1: [(clock, TOP_LEFT)]}), Taking()
    for clip in (MARKED, replace(MARKED, take_beside=taking)):
        verdict = await LocalReader(eyes).read(clip, goal)
        if isinstance(verdict, Rejected):
            assert verdict.outcome is ClipOutcome.NOT_SOCCER, (
                "by the weaker rule, for which a recorder's timer is no clock"
            )
            assert clock == "00:02"
            continue
        assert (verdict.status, verdict.minute) == (TimestampStatus.UNVERIFIED, None)
        assert [answer.screen for answer in verdict.evidence.answers] == [None] * len(verdict.evidence.answers)
    assert len(taking.asked) <= 1


async def test_one_more_frame_confirms_the_clock_of_a_single_one() -> None:
    eyes, taking = Eyes({1: [("53:30", TOP_LEFT)], 51: [("53:32", TOP_LEFT)]}), Taking()
    verdict = await LocalReader(eyes).read(replace(MARKED, take_beside=taking), Expected(53))
    assert [(answer.clock, answer.confirmed) for answer in verdict.evidence.answers] == [
        ("53:30", True), ("53:32", True), (None, False),
    ]  # fmt: skip
    assert verdict.minute == 53
    assert isinstance(await LocalReader(eyes).read(replace(MARKED, take_beside=taking), Expected(80)), Rejected)
    assert taking.asked == [5.0, 5.0], "once each, for the frame that shows the clock"


async def test_a_misread_clock_gives_way_to_what_its_neighbours_show() -> None:
    """65:27, read as 85:26 in one frame."""
    eyes = Eyes({1: [("85:26", TOP_LEFT)], 51: [("65:29", TOP_LEFT)], 3: [("65:37", TOP_LEFT)]})
    verdict = await LocalReader(eyes).read(replace(MARKED, take_beside=Taking()), Expected(86))
    assert isinstance(verdict, Rejected)
    assert verdict.minute == 65
    assert (await LocalReader(eyes).read(replace(MARKED, take_beside=Taking()), Expected(65))).minute == 65


EDITED = {1: [("34:10", TOP_LEFT)], 51: [("34:12", TOP_LEFT)], 3: [("67:30", FOOT)], 53: [("67:32", FOOT)]}


@pytest.mark.parametrize(("minute", "asked"), [(34, [5.0]), (67, [15.0]), (80, [5.0])])
async def test_an_edited_clip_is_of_every_minute_that_it_shows(minute: int, asked: list[float]) -> None:
    taking = Taking()
    verdict = await LocalReader(Eyes(EDITED)).read(replace(MARKED, take_beside=taking), Expected(minute))
    assert isinstance(verdict, Rejected) is (minute == 80)
    assert verdict.minute == (minute if minute != 80 else 34)
    assert taking.asked == asked


async def test_the_half_that_was_read_before_a_cut_is_not_that_of_the_clock_after_it() -> None:
    beside = Box(0.12, 0.05, 0.15, 0.09)
    halves = {
        1: [("1H", beside), ("34:10", TOP_LEFT)], 51: [("1H", beside), ("34:12", TOP_LEFT)],
        3: [("2H", beside), ("52:30", TOP_LEFT)], 53: [("2H", beside), ("52:32", TOP_LEFT)],
    }  # fmt: skip
    verdict = await LocalReader(Eyes(halves)).read(replace(MARKED, take_beside=Taking()), Expected(52))
    assert isinstance(verdict, Accepted)
    assert verdict.minute == 52


async def test_the_goals_minute_is_confirmed_even_if_another_one_was_seen_to_run() -> None:
    """The first shot shows the goal, and the middle and the end another minute."""
    eyes, taking = Eyes({**EDITED, 2: [("67:25", FOOT)]}), Taking()
    clip = ClipFrames(MARKED.outer, green(10.0, 2), take_beside=taking)
    verdict = await LocalReader(eyes).read(clip, Expected(34))
    assert isinstance(verdict, Accepted)
    assert verdict.minute == 34
    assert taking.asked == [5.0]


async def test_no_more_than_two_frames_are_taken_out_beside_others() -> None:
    eyes = Eyes({key: [(f"{key}:10", TOP_LEFT)] for key in (1, 2, 3, 51, 52, 53)})
    taking = Taking()
    clip = ClipFrames(MARKED.outer, green(10.0, 2), take_beside=taking)
    await LocalReader(eyes).read(clip, Expected(60))
    assert len(taking.asked) == 2


def test_what_reads_like_a_clock_both_ways_round_waits_for_another_frame() -> None:
    written = {1: [("53:30", TOP_LEFT)], 101: [("06:32", TOP_LEFT)]}
    board = read_scoreboard(Eyes(written), CLIP)
    assert (board.clocks, [clock.clock for clock in board.doubtful.values()]) == ({}, ["53:30"])
    besides = {5.0: Beside(green(7.0, 51))}
    right = read_scoreboard(Eyes({**written, 51: [("53:32", TOP_LEFT)]}), replace(CLIP, besides=besides))
    assert ([clock.clock for clock in right.clocks.values()], right.mirrored) == (["53:30", "53:32"], False)
    mirrored = read_scoreboard(Eyes({**written, 151: [("06:34", TOP_LEFT)]}), replace(CLIP, besides=besides))
    assert ([clock.clock for clock in mirrored.clocks.values()], mirrored.mirrored) == (["06:32", "06:34"], True)


def test_the_mirror_is_looked_into_even_if_the_first_frame_has_no_clock() -> None:
    eyes = Eyes({1: GARBLED, 3: GARBLED, 103: [("34:20", TOP_LEFT)], 153: [("34:22", TOP_LEFT)]})
    board = read_scoreboard(eyes, ClipFrames(CLIP.outer, besides={15.0: Beside(green(17.0, 53))}))
    assert board.mirrored
    assert [clock.clock for clock in board.clocks.values()] == ["34:20", "34:22"]


def test_the_same_misreading_twice_within_a_second_is_no_clock() -> None:
    eyes = Eyes({key: [("00:24", TOP_LEFT)] for key in (1, 2)})
    clip = ClipFrames((frame(1.0, 1), frame(3.0, 3)), frame(2.0, 2))
    assert not read_scoreboard(eyes, clip).agreed


@pytest.mark.parametrize(("middle", "believed"), [("34:25", True), ("34:11", False), ("61:02", False)])
def test_a_clock_at_an_odd_speed_needs_a_third_reading(middle: str, believed: bool) -> None:
    eyes = Eyes({1: [("34:10", TOP_LEFT)], 2: [(middle, TOP_LEFT)], 3: [("34:40", TOP_LEFT)]})
    assert read_scoreboard(eyes, CLIP).agreed is believed


def test_two_misreadings_that_advance_by_chance_give_way_to_the_mirror() -> None:
    eyes = Eyes(
        {2: [("3:33", TOP_LEFT)], 3: [("3:58", TOP_LEFT)], 101: [("53:10", TOP_LEFT)], 103: [("53:20", TOP_LEFT)]}
    )
    assert seen_in(eyes) == ["53:10", "53:20"]


GLANCES = tuple(frame(8.0 + 0.35 * number, 10 + number) for number in range(8))


@pytest.mark.parametrize(("small", "believed"), [("34:13", True), ("34:10", False), ("61:02", False)])
def test_small_frames_tell_whether_the_clock_of_a_single_frame_runs(small: str, believed: bool) -> None:
    written = {10 + number: [(small, TOP_LEFT)] for number in range(8)}
    eyes = Eyes({1: [("34:10", TOP_LEFT)], **written})
    board = read_scoreboard(eyes, ClipFrames(CLIP.outer, CLIP.middle, GLANCES))
    assert board.agreed is believed
    assert eyes.lines <= 2 + 2 * 4


def test_small_frames_alone_show_no_clock() -> None:
    written = {10 + number: [(f"34:{10 + number}", TOP_LEFT)] for number in range(8)}
    assert not read_scoreboard(Eyes(written), ClipFrames(CLIP.outer, CLIP.middle, GLANCES)).agreed


def test_a_mirrored_clock_is_read_in_the_mirror() -> None:
    eyes = Eyes({1: GARBLED, 3: GARBLED, 101: [("34:10", TOP_LEFT)], 103: [("34:20", TOP_LEFT)]})
    board = Search(eyes).through(Later(None).clip)
    assert [clock.clock for _, clock in sorted(board.clocks.items())] == ["34:10", "34:20"]
    assert board.mirrored
    assert board.place is not None
    assert board.bug == board.place.bug.mirrored
    assert board.place.bug.covers(TOP_LEFT), "the place in the broadcast's own picture, for clips that are not mirrored"


def test_a_misread_clock_of_a_mirrored_clip_gives_way_to_the_right_one() -> None:
    eyes = Eyes({1: [("53:30", TOP_LEFT)], 101: [("06:55", TOP_LEFT)], 103: [("07:05", TOP_LEFT)]})
    assert seen_in(eyes) == ["06:55", "07:05"]


def test_a_known_place_spares_the_search_in_the_mirror_too() -> None:
    eyes = Eyes({101: [("64:10", TOP_LEFT)], 103: [("64:20", TOP_LEFT)]})
    board = read_scoreboard(eyes, CLIP, [Place(TOP_LEFT, TOP_LEFT)])
    assert board.mirrored
    assert all(part.covers(TOP_LEFT) or part.covers(FOOT) for part in eyes.reads)
    assert len(eyes.reads) == 6, "the bug, the top and the foot of both frames, and nothing of their mirror images"


def test_where_nothing_is_written_there_is_no_mirror_to_look_into() -> None:
    eyes = Eyes({})
    Search(eyes).through(CLIP)
    plain = len(eyes.reads)
    eyes = Eyes({key: [("ADS", FOOT)] for key in (1, 2, 3)})
    Search(eyes).through(CLIP)
    assert len(eyes.reads) == plain + 2, "the foot of both frames"


def test_a_clock_that_runs_is_not_looked_for_in_the_mirror() -> None:
    eyes = Eyes({1: [("34:10", TOP_LEFT)], 3: [("34:20", TOP_LEFT)], 101: [("11:10", TOP_LEFT)]})
    assert not read_scoreboard(eyes, CLIP).mirrored
    assert len(eyes.reads) == 1


def test_small_frames_are_read_again_slowly() -> None:
    eyes = Eyes({1: [("34:10", TOP_LEFT)], 3: [("34:20", TOP_LEFT)]}, shy=True)
    clip = ClipFrames((frame(5.0, 1, 398), frame(15.0, 3, 398)), frame(10.0, 2, 398))
    assert seen_in(eyes, clip=clip) == ["34:10", "34:20"]


def test_a_clip_without_a_clock_ends_the_search() -> None:
    eyes = Eyes({})
    assert seen_in(eyes) == []
    assert len(eyes.reads) <= 7


def test_a_timer_that_appears_beside_a_standing_clock_is_looked_for() -> None:
    timer = Box(0.13, 0.05, 0.19, 0.09)
    eyes = Eyes({key: [("90:00", TOP_LEFT), (f"02:{5 + 5 * key:02d}", timer)] for key in (1, 3)})
    board = read_scoreboard(eyes, CLIP, [Place(TOP_LEFT, TOP_LEFT)])
    assert [clock.stoppage_clock for _, clock in sorted(board.clocks.items())] == ["02:10", "02:20"]


def test_the_name_of_the_half_goes_with_the_line() -> None:
    eyes = Eyes({1: [("2T 04:10", TOP_LEFT)], 3: [("04:20", TOP_LEFT)]})
    assert seen_in(eyes) == ["2T 04:10", "2T 04:20"]


def test_a_broadcast_remembers_its_last_places_and_no_other() -> None:
    places = Places()
    for number in range(5):
        left = number / 10
        places.remember("match", Place(TOP_LEFT, Box(left, 0, left + 0.05, 0.1)))
    places.remember("match", Place(TOP_LEFT, Box(0.41, 0, 0.46, 0.1)))
    assert [place.line.left for place in places.of("match")] == [0.41, 0.3, 0.2]
    assert places.of("other") == ()
    places.remember("", Place(TOP_LEFT, TOP_LEFT))
    assert places.of("") == ()
