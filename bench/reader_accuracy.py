"""How often the reader is right on your own recordings.

`python -m bench.reader_accuracy --clips DIR --truth FILE [--reader local|llm] [--faults]` checks every clip that FILE
names as the product would, and prints a table per group. docs/vision.md describes FILE.
"""

import argparse
import asyncio
import csv
import re
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from found_footy.clips.check.conversion import to_clip_frames
from found_footy.domain.outcomes import ClipOutcome, TimestampStatus
from found_footy.embedded.endpoints import default_data_dir
from found_footy.platform.errors import ExternalSystemError
from found_footy.platform.media.frames import (
    ExtractedFrame,
    extract_adjacent_frames,
    extract_frames,
    extract_middle_frame,
)
from found_footy.platform.media.probe import UnusableMedia
from found_footy.settings import load_settings
from found_footy.vision.clock import frame_minute
from found_footy.vision.expectation import ExpectedGoal, MatchTeams
from found_footy.vision.frames import ClipFrames, Frame, NeighbourFrames
from found_footy.vision.halves import describe_half
from found_footy.vision.reader import VisionReader
from found_footy.vision.reader_factory import build_reader
from found_footy.vision.verdict import FrameReading, Rejected, Verdict

COLUMNS = ("file", "minute", "clock", "home", "away", "score", "half", "filmed", "football", "group")
# Fields of a reading that are compared as they are printed.
PRINTED = ("home", "away", "score", "half")
QUESTIONS = ("verdict", "clock", *PRINTED)
_MINUTE = re.compile(r"(\d{1,3})(?:\+(\d{1,2}))?")
_CLOCK = re.compile(r"(\d{1,3}):([0-5]\d)")
_YES_NO = {"": None, "yes": True, "no": False}


class BadTruth(ValueError):
    """A truth file that cannot be used."""


class Answer(StrEnum):
    RIGHT = "right"
    UNREAD = "unread"
    WRONG = "wrong"


@dataclass(frozen=True)
class Recording:
    """A line of the truth file. `clock` is the match second that the clock shows at the clip's start, None if no clock
    can be read; `printed` what the score bug shows, by column, where the file says so.
    """

    file: str
    elapsed: int
    extra: int | None = None
    clock: int | None = None
    printed: dict[str, str] = field(default_factory=dict)
    is_filmed: bool = False
    is_football: bool = True
    group: str = ""

    @property
    def expected(self) -> ExpectedGoal:
        """Teams are looked for only where they are expected."""
        home, away = (tuple(filter(None, self.printed.get(side, "").split("|"))) for side in ("home", "away"))
        return ExpectedGoal(self.elapsed, self.extra, teams=MatchTeams(home, away) if home and away else None)

    @property
    def wanted(self) -> str:
        """The verdict that is right: verified, unverified, or the outcome of a rejection."""
        if not self.is_football:
            return ClipOutcome.NOT_SOCCER
        if self.is_filmed:
            return ClipOutcome.PHONE_SCREEN
        return TimestampStatus.UNVERIFIED if self.clock is None else TimestampStatus.VERIFIED


def parse_truth(lines: Iterable[str]) -> list[Recording]:
    """Raises BadTruth with the number of the line that is at fault."""
    rows = csv.DictReader(lines)
    if unknown := set(rows.fieldnames or ()) - set(COLUMNS):
        raise BadTruth(f"line 1: unknown column {', '.join(sorted(map(str, unknown)))}; there are {', '.join(COLUMNS)}")
    recordings = []
    for row in rows:
        try:
            _require_columns(row)
            recordings.append(_parse_row({name: (row.get(name) or "").strip() for name in COLUMNS}))
        except BadTruth as error:
            raise BadTruth(f"line {rows.line_num}: {error}") from error
    if not recordings:
        raise BadTruth("no clip is named")
    return recordings


def _require_columns(row: Mapping[str | None, object]) -> None:
    """The csv module puts what exceeds the columns under None."""
    if None in row:
        raise BadTruth("more fields than columns")


def load_truth(file: Path, clips: Path) -> list[Recording]:
    """Raises BadTruth, also for a clip that is not there."""
    with file.open(encoding="utf-8", newline="") as lines:
        recordings = parse_truth(lines)
    if missing := [one.file for one in recordings if not (clips / one.file).is_file()]:
        raise BadTruth(f"not in {clips}: {', '.join(missing)}")
    return recordings


def _parse_row(row: dict[str, str]) -> Recording:
    if not row["file"]:
        raise BadTruth("no file is named")
    minute, clock = _MINUTE.fullmatch(row["minute"]), _CLOCK.fullmatch(row["clock"])
    if minute is None:
        raise BadTruth(f"{row['minute']!r} is no minute, such as 67 or 45+2")
    if row["clock"] and clock is None:
        raise BadTruth(f"{row['clock']!r} is no clock, such as 66:20")
    return Recording(
        row["file"],
        int(minute[1]),
        int(minute[2]) if minute[2] else None,
        int(clock[1]) * 60 + int(clock[2]) if clock else None,
        {name: row[name] for name in PRINTED if row[name]},
        _parse_yes_no(row, "filmed") or False,
        _parse_yes_no(row, "football") is not False,
        row["group"],
    )


def _parse_yes_no(row: dict[str, str], name: str) -> bool | None:
    if row[name] not in _YES_NO:
        raise BadTruth(f"{name} is yes or no, not {row[name]!r}")
    return _YES_NO[row[name]]


def judge(recording: Recording, verdict: Verdict) -> dict[str, Answer]:
    """What was asked of a clip, and how it was answered. What the truth does not say is not asked."""
    got = verdict.outcome if isinstance(verdict, Rejected) else verdict.status
    answers = {"verdict": _judge_verdict(recording.wanted, got)}
    readings = verdict.evidence.readings
    if recording.clock is not None:
        answers["clock"] = _combine(_judge_clock(recording.clock, reading) for reading in readings)
    for name, shown in recording.printed.items():
        answers[name] = _combine(_judge_printed(shown, _read_printed(reading, name)) for reading in readings)
    return answers


def _judge_verdict(wanted: str, got: str) -> Answer:
    """What passes without being verified is a doubt; it is wrong only to reject what is right, or to verify what is
    not.
    """
    if wanted == got:
        return Answer.RIGHT
    return Answer.UNREAD if got == TimestampStatus.UNVERIFIED else Answer.WRONG


def _judge_clock(start: int, reading: FrameReading) -> Answer:
    minute = frame_minute(reading)
    if reading.clock is None or minute is None:
        return Answer.UNREAD
    seconds = minute * 60 + int((reading.stoppage_clock or reading.clock)[-2:])
    return Answer.RIGHT if abs(seconds - start - int(reading.at)) <= 1 else Answer.WRONG


def _read_printed(reading: FrameReading, name: str) -> str:
    home, _, away = (reading.teams or "").partition("–")
    half = describe_half([reading]) if reading.clock else ""
    return {"home": home, "away": away, "score": reading.score or "", "half": half}[name]


def _judge_printed(shown: str, read: str) -> Answer:
    """Letters and digits count; `shown` may list several values, such as the score before and after the goal."""
    if not read:
        return Answer.UNREAD
    return Answer.RIGHT if _fold(read) in map(_fold, shown.split("|")) else Answer.WRONG


def _fold(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def _combine(answers: Iterable[Answer]) -> Answer:
    """One wrong reading makes the clip wrong, one right one without it right."""
    given = set(answers)
    return next((answer for answer in (Answer.WRONG, Answer.RIGHT) if answer in given), Answer.UNREAD)


async def read_clip(reader: VisionReader, file: Path, recording: Recording) -> Verdict | str:
    """Check one clip as the product does; the reason, if it could not be checked."""
    async with _workspace() as folder:
        extracted = await extract_frames(file, folder)
    if isinstance(extracted, UnusableMedia):
        return f"{extracted.fault}: {extracted.detail}"
    frames = to_clip_frames(extracted)
    clip = ClipFrames(
        frames.outer_frames,
        frames.middle_frame,
        frames.small_frames,
        load_middle=lambda: _extract_middle(file),
        load_neighbour=lambda at: _extract_beside(file, at),
    )
    try:
        return await reader.read(clip, recording.expected)
    except ExternalSystemError as error:
        return str(error)


@asynccontextmanager
async def _workspace() -> AsyncIterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


async def _extract_middle(file: Path) -> Frame | None:
    async with _workspace() as folder:
        picture = await extract_middle_frame(file, folder)
    return None if isinstance(picture, UnusableMedia) else _to_frame(picture)


async def _extract_beside(file: Path, at: float) -> NeighbourFrames:
    async with _workspace() as folder:
        pictures = await extract_adjacent_frames(file, folder, at)
    if isinstance(pictures, UnusableMedia) or pictures.beside is None:
        return NeighbourFrames(None)
    return NeighbourFrames(_to_frame(pictures.beside), tuple(map(_to_frame, pictures.small)))


def _to_frame(picture: ExtractedFrame) -> Frame:
    return Frame(picture.at, picture.pixels)


@dataclass
class Table:
    """Answers per group and question."""

    counts: Counter[tuple[str, str, Answer]] = field(default_factory=Counter)
    unchecked: int = 0

    def add(self, group: str, answers: dict[str, Answer]) -> None:
        for question, answer in answers.items():
            self.counts[group, question, answer] += 1

    def render(self) -> str:
        groups = sorted({group for group, _, _ in self.counts})
        width = max(len("right/unread/wrong"), *(len(group) for group in groups), 0) + 2
        lines = [f"{'right/unread/wrong':{width}}" + "".join(f"{question:>12}" for question in QUESTIONS)]
        lines += [f"{group or '-':{width}}" + self._render_row([group]) for group in groups]
        lines += [f"{'all':{width}}" + self._render_row(groups)] if len(groups) > 1 else []
        return "\n".join([*lines, *([f"not checked: {self.unchecked}"] if self.unchecked else [])])

    def _render_row(self, groups: Sequence[str]) -> str:
        return "".join(f"{self._render_cell(groups, question):>12}" for question in QUESTIONS)

    def _render_cell(self, groups: Sequence[str], question: str) -> str:
        counts = [sum(self.counts[group, question, answer] for group in groups) for answer in Answer]
        return "/".join(map(str, counts)) if any(counts) else "-"


async def measure(reader: VisionReader, folder: Path, recordings: Sequence[Recording], *, faults: bool) -> Table:
    table = Table()
    for recording in recordings:
        verdict = await read_clip(reader, folder / recording.file, recording)
        if isinstance(verdict, str):
            table.unchecked += 1
            print(f"{recording.file}: not checked: {verdict}", flush=True)
            continue
        answers = judge(recording, verdict)
        table.add(recording.group, answers)
        wrong = [question for question, answer in answers.items() if answer is not Answer.RIGHT]
        if faults and wrong:
            print(f"{recording.file}: {', '.join(wrong)}: {verdict}", flush=True)
    return table


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clips", type=Path, required=True, help="folder of the clips")
    parser.add_argument("--truth", type=Path, required=True, help="CSV file that says what they show")
    parser.add_argument("--reader", choices=["local", "llm"], default="local", help="llm: the server at LLAMA_URL")
    parser.add_argument("--faults", action="store_true", help="print what was read of every clip that is not all right")
    asked = parser.parse_args(argv)
    try:
        recordings = load_truth(asked.truth, asked.clips)
    except (BadTruth, OSError, UnicodeDecodeError) as error:
        sys.stderr.write(f"{asked.truth}: {error}\n")
        return 2
    settings = load_settings().settings.vision.model_copy(update={"reader": asked.reader})
    table = asyncio.run(_run(build_reader(settings, default_data_dir()), asked.clips, recordings, faults=asked.faults))
    print(table.render())
    return 0


async def _run(reader: VisionReader, folder: Path, recordings: Sequence[Recording], *, faults: bool) -> Table:
    try:
        return await measure(reader, folder, recordings, faults=faults)
    finally:
        await reader.aclose()


if __name__ == "__main__":
    sys.exit(main())
