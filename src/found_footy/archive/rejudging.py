"""Judges the stored clips of a goal again, by what the feed says now of the goals of the match. Pure.

A clip is judged when it is fetched. A goal that the feed lists later may have shared its minute and its score, so the
stored readings are judged again: nothing is fetched or read. The result depends on the documents alone, so that
judging twice changes nothing.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from found_footy.archive.dedup.records import ClipRecord, proof_document, timestamp_fields
from found_footy.domain.clip_files import COPIES_FIELD
from found_footy.domain.documents import CandidateOutcomeDocument, FixtureDocument, GoalDocument
from found_footy.domain.goals import goal_from_document
from found_footy.domain.messages import Goal
from found_footy.domain.outcomes import ClipOutcome, TimestampStatus
from found_footy.domain.ranking import PINNED_FIELD, rank_clips
from found_footy.vision.errors import VisionUnavailable
from found_footy.vision.expectation import ExpectedGoal, ProofRules
from found_footy.vision.goal_expectation import to_expected_goal
from found_footy.vision.verdict import Accepted, FrameReading, Rejected, Verdict, decide_verdict

_READING_FIELDS = (
    "at",
    "soccer",
    "screen",
    "clock",
    "added",
    "stoppage_clock",
    "note",
    "is_confirmed",
    "teams",
    "score",
)


@dataclass(frozen=True)
class RejudgedClips:
    """The goal's clips as they should be. `withdrawn` show another goal of the match and are left out of `records`;
    `notes` names the candidates that they came from, by download and key, with the reason.
    """

    event_id: str
    records: list[ClipRecord]
    withdrawn: tuple[ClipRecord, ...] = ()
    notes: Mapping[tuple[str, str], str] | None = None


def rejudge_match(fixture: FixtureDocument, rules: ProofRules) -> Iterator[RejudgedClips]:
    """The goals of the match whose clips are no longer as the readings say."""
    for event in fixture.get("events") or ():
        if not event.get("_removed") and (changed := _rejudge_goal(fixture, event, rules)) is not None:
            yield changed


def current_goal(fixture: FixtureDocument, event: GoalDocument) -> Goal:
    """The goal as the feed has it now, with the aliases that are stored with any goal of the match."""
    events = fixture.get("events") or []
    goal = goal_from_document(fixture, event, events)
    by_team: dict[str, tuple[str, ...]] = {}
    for one in events:
        name = one["team"].get("name") or ""
        by_team[name] = tuple(dict.fromkeys((*by_team.get(name, ()), *(one.get("_twitter_aliases") or ()))))
    return replace(
        goal,
        home_aliases=by_team.get(goal.home_name, ()),
        away_aliases=by_team.get(goal.away_name, ()),
    )


def is_judged_by(goal: Goal, now: Goal) -> bool:
    """Whether clips that were checked for `goal` were checked by what the feed says now."""
    same_scores = (goal.score_before, goal.score_after) == (now.score_before, now.score_after)
    return same_scores and set(goal.other_goals) == set(now.other_goals)


def _rejudge_goal(fixture: FixtureDocument, event: GoalDocument, rules: ProofRules) -> RejudgedClips | None:
    stored = [dict(record) for record in event.get("_s3_videos") or ()]
    if not stored:
        return None
    expected = to_expected_goal(current_goal(fixture, event), rules)
    verdicts = _judge_copies(event, expected)
    judged = [_rejudge_record(record, verdicts) for record in stored]
    withdrawn = [old for old, new in zip(stored, judged, strict=True) if new is None]
    records = rank_clips(record for record in judged if record is not None)
    if records == stored:
        return None
    reasons = {
        md5: verdict.reason
        for record in withdrawn
        for md5 in _list_md5s(record)
        if isinstance(verdict := verdicts.get(md5), Rejected)
    }
    notes = {place: reasons[note["md5"]] for place, note in _iter_notes(event) if note.get("md5") in reasons}
    return RejudgedClips(event["_event_id"], records, tuple(withdrawn), notes)


def _rejudge_record(record: ClipRecord, verdicts: Mapping[str, Verdict]) -> ClipRecord | None:
    """The clip with what its readings prove now; None if they show another goal, and no copy shows this one. A clip
    that a moderator pinned stays.
    """
    copies = [_rejudge_copy(copy, verdicts) for copy in record.get(COPIES_FIELD) or ()]
    own = verdicts.get(record["md5"])
    changed = {**record, **({COPIES_FIELD: copies} if copies else {})}
    if own is None:
        return changed
    if isinstance(own, Rejected):
        if not record.get(PINNED_FIELD) and not any(copy["verified"] for copy in copies):
            return None
        changed |= timestamp_fields(TimestampStatus.UNVERIFIED, own.minute)
    else:
        changed |= timestamp_fields(own.status, own.minute)
    return changed | {"proof": proof_document(own.evidence.proof.truncate_texts())}


def _rejudge_copy(copy: Mapping[str, Any], verdicts: Mapping[str, Verdict]) -> dict[str, Any]:
    verdict = verdicts.get(copy["md5"])
    return dict(copy) if verdict is None else {**copy, "verified": _is_verified(verdict)}


def _judge_copies(event: GoalDocument, expected: ExpectedGoal) -> dict[str, Verdict]:
    """The verdict on each file that has readings: the best, if the same bytes were read several times."""
    found: dict[str, Verdict] = {}
    for _, note in _iter_notes(event):
        md5, verdict = note.get("md5"), _judge_note(note, expected)
        if md5 and verdict is not None:
            known = found.get(md5)
            found[md5] = verdict if known is None else max(known, verdict, key=_verdict_order)
    return found


def _judge_note(note: CandidateOutcomeDocument, expected: ExpectedGoal) -> Verdict | None:
    """None if the readings do not suffice, or contradict more than which goal of the match it is: that was decided
    when they were made.
    """
    evidence = note.get("evidence") or {}
    frames = [frame for frame in evidence.get("frames") or () if all(name in frame for name in _READING_FIELDS)]
    readings = [FrameReading(**{name: frame[name] for name in _READING_FIELDS}) for frame in frames]
    try:
        verdict = decide_verdict(evidence.get("reader") or "", readings, expected)
    except VisionUnavailable:
        return None
    is_other = isinstance(verdict, Rejected) and verdict.outcome is not ClipOutcome.WRONG_GOAL
    return None if is_other else verdict


def _verdict_order(verdict: Verdict) -> int:
    return _is_verified(verdict) + isinstance(verdict, Accepted)


def _is_verified(verdict: Verdict) -> bool:
    return isinstance(verdict, Accepted) and verdict.status is TimestampStatus.VERIFIED


def _iter_notes(event: GoalDocument) -> Iterator[tuple[tuple[str, str], CandidateOutcomeDocument]]:
    telemetry = event.get("_telemetry")
    for download_id, attempt in ((telemetry.get("attempts") or {}) if telemetry else {}).items():
        for key, note in (attempt.get("clips") or {}).items():
            yield (download_id, key), note


def _list_md5s(record: Mapping[str, Any]) -> Iterable[str]:
    return {record["md5"], *(record.get("_md5s") or ())}


def parse_fixture(row: Mapping[str, Any]) -> FixtureDocument:
    return cast(FixtureDocument, row)
