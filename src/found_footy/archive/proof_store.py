"""Applies what the goals of a match say about each other's clips. Each change is one operation and idempotent."""

from found_footy.archive.rejudging import RejudgedClips, current_goal, is_judged_by, parse_fixture, rejudge_match
from found_footy.domain.clip_files import list_named_keys
from found_footy.domain.documents import FixtureDocument
from found_footy.domain.messages import Goal
from found_footy.domain.outcomes import ClipOutcome, RetryAdvice
from found_footy.platform.errors import Unavailable
from found_footy.platform.failpoints import failpoint
from found_footy.platform.logs import ActionLogger
from found_footy.platform.mongo import SYSTEM, Database, Document
from found_footy.platform.paired_collections import PairedCollections
from found_footy.vision.expectation import ProofRules

_GOAL_FIELDS = (
    "_event_id",
    "_slug",
    "_first_seen",
    "_fell_at",
    "_removed",
    "_ghost_at",
    "_twitter_aliases",
    "team",
    "player",
    "time",
    "_score_before",
    "_score_after",
)
_FACTS_PROJECTION: Document = {"teams": 1, **{f"events.{name}": 1 for name in _GOAL_FIELDS}}
_MATCH_PROJECTION: Document = {**_FACTS_PROJECTION, "events._s3_videos": 1, "events._telemetry.attempts": 1}
# Other writers of a goal's clips interfere once or twice.
_MAX_WRITE_ATTEMPTS = 20

logger = ActionLogger(__name__)


class ProofStore:
    def __init__(self, database: Database, rules: ProofRules) -> None:
        self._goals = PairedCollections(database)
        self._rules = rules

    async def is_outdated(self, goal: Goal) -> bool:
        """Whether the feed has listed other goals of the match, or other scores, since clips were checked for it."""
        fixture = await self._find_match(goal.fixture_id, _FACTS_PROJECTION)
        events = [event for event in fixture.get("events") or () if event["_event_id"] == goal.event_id]
        return any(not is_judged_by(goal, current_goal(fixture, event)) for event in events)

    async def rejudge_match(self, fixture_id: int) -> tuple[str, ...]:
        """Judge the clips of all goals of the match by the goals that it has now. Returns the keys of the objects that
        no clip refers to afterwards.
        """
        unused: set[str] = set()
        for _ in range(_MAX_WRITE_ATTEMPTS):
            fixture = await self._find_match(fixture_id, _MATCH_PROJECTION)
            stored = {event["_event_id"]: event.get("_s3_videos") for event in fixture.get("events") or ()}
            is_written = True
            for changed in rejudge_match(fixture, self._rules):
                if not await self._write(fixture_id, stored[changed.event_id], changed):
                    is_written = False
                    continue
                unused |= {key for record in changed.withdrawn for key in list_named_keys(record)}
                _log_changes(changed)
            if is_written:
                failpoint("archive.rejudged")
                return tuple(sorted(unused))
        raise Unavailable(SYSTEM, f"the clips of fixture {fixture_id} changed while they were judged again")

    async def _find_match(self, fixture_id: int, projection: Document) -> FixtureDocument:
        row = await self._goals.find_one({"_id": fixture_id}, projection)
        return parse_fixture(row or {"_id": fixture_id, "events": []})

    async def _write(self, fixture_id: int, stored: object, changed: RejudgedClips) -> bool:
        """Replace the list if it is as it was read, and note what became of the candidates of withdrawn clips."""
        same = {"_event_id": changed.event_id, "_s3_videos": {"$eq": stored}}
        fields: Document = {"events.$._s3_videos": changed.records}
        for (download_id, key), reason in (changed.notes or {}).items():
            place = f"events.$._telemetry.attempts.{download_id}.clips.{key}"
            fields[f"{place}.outcome"] = ClipOutcome.WRONG_GOAL.value
            fields[f"{place}.retry"] = RetryAdvice.NEVER.value
            fields[f"{place}.reason"] = reason
        condition = {"_id": fixture_id, "events": {"$elemMatch": same}}
        return await self._goals.update_one(condition, {"$set": fields})


def _log_changes(changed: RejudgedClips) -> None:
    logger.info(
        "clips were judged again by the goals that the match has now: %d withdrawn",
        len(changed.withdrawn),
        action="clips_rejudged",
        event_id=changed.event_id,
        clips=len(changed.records),
        withdrawn=[record["clip_id"] for record in changed.withdrawn],
    )
