"""Where a score bug is in a picture, and which clocks were read in the frames of a clip."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from found_footy.vision.local.clock_readings import ClockReading
from found_footy.vision.local.text_boxes import RelativeBox, TextRow, join_boxes

# The rows of a score bug from top to bottom, each with the texts of its boxes from left to right.
BugRows = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class ScoreBugLocation:
    """Where a score bug is: the box of the row with its clock, the box of the clock, the label of the half beside it,
    the minute that was read, and the box of the whole bug, None if only its clock was read.
    """

    bug: RelativeBox
    clock_box: RelativeBox
    period: str = ""
    minute: int = 0
    panel: RelativeBox | None = None

    @property
    def reusable_location(self) -> "ScoreBugLocation | None":
        """The location if other clips can reuse it: a label of the half differs there and must be read again."""
        return None if self.period else self


@dataclass(frozen=True)
class ScoreboardReading:
    """The confirmed clocks by time of frame; `location` is where the deciding one is, in the large frames at
    `location_times`. Readings that nothing confirms are in `unconfirmed_clocks`; their location does not count.

    `rows` is the text beside clocks, `ocr_calls` how often text was recognized, `line_ocr_calls` how often a line at a
    known location. `bug_rows` is the text of the whole bug by time of frame. If `is_mirrored`, the clip is mirrored and
    `location` refers to the unmirrored picture.
    """

    confirmed_clocks: dict[float, ClockReading] = field(default_factory=dict)
    location: ScoreBugLocation | None = None
    unconfirmed_clocks: dict[float, ClockReading] = field(default_factory=dict)
    rows: tuple[TextRow, ...] = ()
    ocr_calls: int = 0
    line_ocr_calls: int = 0
    is_mirrored: bool = False
    bug_rows: dict[float, BugRows] = field(default_factory=dict)
    location_times: tuple[float, ...] = ()

    @property
    def clocks(self) -> dict[float, ClockReading]:
        """The confirmed clocks; if there are none, those that nothing confirms."""
        return self.confirmed_clocks or self.unconfirmed_clocks

    @property
    def has_confirmed_clock(self) -> bool:
        return bool(self.confirmed_clocks)

    @property
    def bug(self) -> RelativeBox | None:
        """The box of the score bug in the clip."""
        if self.location is None:
            return None
        return self.location.bug.mirror_image if self.is_mirrored else self.location.bug

    @property
    def clock_box(self) -> RelativeBox | None:
        """The box of its clock in the clip."""
        if self.location is None:
            return None
        return self.location.clock_box.mirror_image if self.is_mirrored else self.location.clock_box


def to_bug_rows(rows: Sequence[TextRow]) -> BugRows:
    return tuple(tuple(part.text for part in row.parts) for row in rows)


def locate_score_bug(clock: ClockReading) -> ScoreBugLocation:
    """The score bug around a clock, enlarged for a text that is a little longer or lower in another frame."""
    height = clock.box.height
    bug = join_boxes([clock.bug, clock.box]).expand(height * 0.8, height * 0.8)
    period = clock.clock.rpartition(" ")[0]
    return ScoreBugLocation(bug, clock.box.expand(height * 0.1, 0.0), period, clock.printed_minute, clock.panel)
