"""Records new moments of goals and puts them into the outbox of the channels that the rules name."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta

from found_footy.domain.documents import FixtureDocument
from found_footy.domain.notify_documents import MomentDocument
from found_footy.notify.facts import build_facts
from found_footy.notify.messages import RecordedMoments
from found_footy.notify.metrics import MOMENTS
from found_footy.notify.moments import GoalMoment, build_moment_document, derive_moments
from found_footy.notify.rules import NotifyRule, select_channels
from found_footy.notify.store import NotifyStore
from found_footy.platform.clock import Clock
from found_footy.platform.failpoints import failpoint
from found_footy.platform.logs import ActionLogger

LoadRules = Callable[[], Awaitable[Sequence[NotifyRule]]]
logger = ActionLogger(__name__)


class MomentRecorder:
    """`load_rules` reads the rules of browsers, which change while this process runs."""

    def __init__(
        self, store: NotifyStore, rules: Sequence[NotifyRule], now: Clock, load_rules: LoadRules | None = None
    ) -> None:
        self._store = store
        self._rules = rules
        self._now = now
        self._load_rules = load_rules

    async def record_new(self, look_back: timedelta) -> RecordedMoments:
        """Look at all current fixtures once. A goal that was first seen before notifications were switched on, or
        longer ago than `look_back`, is not told.
        """
        now = self._now()
        since = max(await self._store.start_run(now, look_back), now - look_back)
        fixtures = [fixture async for fixture in self._store.iter_fixtures(now - look_back)]
        recorded = await self._store.load_moments([fixture["_id"] for fixture in fixtures])
        rules = (*self._rules, *(await self._load_rules() if self._load_rules else ()))
        moments = messages = 0
        for fixture in fixtures:
            for moment in derive_moments(fixture, recorded.get(fixture["_id"], ())):
                if moment.first_seen >= since:
                    messages += await self._record(fixture, moment, rules)
                    moments += 1
        return RecordedMoments(moments, messages)

    async def _record(self, fixture: FixtureDocument, moment: GoalMoment, rules: Sequence[NotifyRule]) -> int:
        """The outbox comes first: if the process dies before the moment is recorded, both are repeated to the same
        effect.
        """
        facts = build_facts(fixture, moment.event_id)
        channels = select_channels(rules, moment.moment, facts)
        document: MomentDocument = build_moment_document(moment, fixture["_id"], self._now())
        await self._store.add_wanted(channels, document, facts)
        failpoint("notify.outbox_written")
        if await self._store.record_moment(document):
            MOMENTS.labels(moment.moment.value).inc()
            logger.info(
                "%s: %s",
                moment.moment.value,
                moment.goal_id,
                action="moment_recorded",
                event_id=moment.event_id,
                moment=moment.moment.value,
                channels=channels,
            )
        return len(channels)
