"""Converts between the vision library's types and this stage's: frames in, a CheckResult out. Pure."""

from collections.abc import Mapping

from found_footy.clips.decoding import outcome_for_fault
from found_footy.clips.messages import CheckEvidence, CheckResult, FrameEvidence
from found_footy.domain.outcomes import TimestampStatus
from found_footy.platform.media.frames import ExtractedFrame, ExtractedFrames
from found_footy.platform.media.probe import UnusableMedia
from found_footy.vision.frames import ClipFrames, Frame
from found_footy.vision.verdict import FrameReading, Rejected, Verdict

# Evidence is stored in the goal's document: a reader's texts are truncated to this.
_MAX_TEXT_LENGTH = 200
_MAX_REASON_LENGTH = 400
_MAX_NOTES = 6


def to_clip_frames(pictures: ExtractedFrames) -> ClipFrames:
    outer = tuple(_to_frame(one) for one in (pictures.quarter, pictures.three_quarters) if one is not None)
    middle = None if pictures.half is None else _to_frame(pictures.half)
    return ClipFrames(outer, middle, tuple(_to_frame(one) for one in pictures.small))


def to_check_result(verdict: Verdict, picture_keys: Mapping[float, str]) -> CheckResult:
    """`picture_keys` maps the times of frames to the keys of their small copies."""
    found = verdict.evidence
    evidence = CheckEvidence(
        reader=found.reader,
        expected=found.expected,
        rule=_truncate_text(found.rule),
        frames=tuple(_to_frame_evidence(answer, picture_keys) for answer in found.readings),
        notes=tuple(_truncate_text(note) for note in found.notes[:_MAX_NOTES]),
        proof=found.proof.truncate_texts(),
    )
    if isinstance(verdict, Rejected):
        reason = _format_reason(verdict.reason, evidence)
        return CheckResult(found.reader, TimestampStatus.REJECTED, verdict.minute, verdict.outcome, reason, evidence)
    return CheckResult(found.reader, verdict.status, verdict.minute, None, evidence.rule, evidence)


def to_undecodable_result(reader: str, why: UnusableMedia) -> CheckResult:
    """The result for a file whose frames cannot be decoded: rejected without a reading."""
    reason = f"{why.fault}: {why.detail}"[:_MAX_REASON_LENGTH]
    return CheckResult(reader, TimestampStatus.REJECTED, None, outcome_for_fault(why.fault), reason)


def _format_reason(reason: str, evidence: CheckEvidence) -> str:
    return "; ".join([f"{reason} (goal in minute {evidence.expected})", *evidence.notes])[:_MAX_REASON_LENGTH]


def _to_frame_evidence(answer: FrameReading, picture_keys: Mapping[float, str]) -> FrameEvidence:
    return FrameEvidence(
        at=answer.at,
        soccer=answer.soccer,
        screen=answer.screen,
        clock=_truncate_optional(answer.clock),
        added=_truncate_optional(answer.added),
        stoppage_clock=_truncate_optional(answer.stoppage_clock),
        note=_truncate_text(answer.note),
        teams=_truncate_optional(answer.teams),
        score=_truncate_optional(answer.score),
        picture=picture_keys.get(answer.at, ""),
        is_confirmed=answer.is_confirmed,
    )


def _to_frame(picture: ExtractedFrame) -> Frame:
    return Frame(picture.at, picture.pixels)


def _truncate_optional(text: str | None) -> str | None:
    return None if text is None else _truncate_text(text)


def _truncate_text(text: str) -> str:
    return text[:_MAX_TEXT_LENGTH]
