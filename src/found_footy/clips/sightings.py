"""From the vision library's words to this stage's: frames in, a sighting out. Pure."""

from collections.abc import Mapping

from found_footy.clips.decoding import outcome_of
from found_footy.clips.messages import Evidence, FrameSeen, Sighting
from found_footy.model.outcome import TimestampStatus
from found_footy.platform.media import Unusable
from found_footy.platform.media_frames import Picture, Pictures
from found_footy.vision.frames import ClipFrames, Frame
from found_footy.vision.verdict import FrameAnswer, Rejected, Verdict

# Evidence lies in the goal's document: what a reader wrote is cut to this.
_LONGEST_TEXT = 200
_LONGEST_REASON = 400
_MOST_NOTES = 6


def clip_frames(pictures: Pictures) -> ClipFrames:
    outer = tuple(_frame(one) for one in (pictures.quarter, pictures.three_quarters) if one is not None)
    middle = None if pictures.half is None else _frame(pictures.half)
    return ClipFrames(outer, middle, tuple(_frame(one) for one in pictures.small))


def sighting(verdict: Verdict, kept: Mapping[float, str]) -> Sighting:
    """`kept` has the keys of the small copies, by the time of their frames."""
    found = verdict.evidence
    evidence = Evidence(
        reader=found.reader,
        expected=found.expected,
        rule=_short(found.rule),
        frames=tuple(_seen(answer, kept) for answer in found.answers),
        notes=tuple(_short(note) for note in found.notes[:_MOST_NOTES]),
    )
    if isinstance(verdict, Rejected):
        reason = _with_figures(verdict.reason, evidence)
        return Sighting(
            found.reader, TimestampStatus.REJECTED, verdict.minute, verdict.outcome, reason, evidence
        )  # fmt: skip
    return Sighting(found.reader, verdict.status, verdict.minute, None, evidence.rule, evidence)


def unusable(reader: str, why: Unusable) -> Sighting:
    """A file whose frames cannot be decoded. Nobody looked, but nobody ever could."""
    reason = f"{why.fault}: {why.detail}"[:_LONGEST_REASON]
    return Sighting(reader, TimestampStatus.REJECTED, None, outcome_of(why.fault), reason)


def _with_figures(reason: str, evidence: Evidence) -> str:
    return "; ".join([f"{reason} (goal in minute {evidence.expected})", *evidence.notes])[:_LONGEST_REASON]


def _seen(answer: FrameAnswer, kept: Mapping[float, str]) -> FrameSeen:
    return FrameSeen(
        at=answer.at,
        soccer=answer.soccer,
        screen=answer.screen,
        clock=_maybe(answer.clock),
        added=_maybe(answer.added),
        stoppage_clock=_maybe(answer.stoppage_clock),
        note=_short(answer.note),
        picture=kept.get(answer.at, ""),
    )


def _frame(picture: Picture) -> Frame:
    return Frame(picture.at, picture.pixels)


def _maybe(text: str | None) -> str | None:
    return None if text is None else _short(text)


def _short(text: str) -> str:
    return text[:_LONGEST_TEXT]
