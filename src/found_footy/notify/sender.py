"""Sends the messages of the outbox: claims one, records the intent, sends, records the outcome.

Whatever happens between two of these steps, the next run continues: a claim expires, and an intent that is left over
says that its request may have arrived.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from found_footy.domain.notify_documents import IntentDocument, OutboxDocument
from found_footy.notify.channels.base import ChannelMessage, NotifyChannel
from found_footy.notify.errors import MessageGone
from found_footy.notify.facts import build_text, facts_from_document, moment_of_id
from found_footy.notify.messages import SentMessages
from found_footy.notify.metrics import MESSAGES
from found_footy.notify.outbox import DeliveryAction, DeliveryPlan, judge_failure, plan_delivery
from found_footy.notify.rules import NotifyRule, select_wording
from found_footy.notify.store import NotifyStore
from found_footy.notify.templates import apply_template
from found_footy.platform.clock import Clock
from found_footy.platform.errors import FoundFootyError
from found_footy.platform.failpoints import failpoint
from found_footy.platform.logs import ActionLogger

# Messages of one channel in one run; the others stay due for the next.
_MAX_MESSAGES_PER_RUN = 50
# A call may be under way when the time is up.
_RUN_TIME = timedelta(minutes=2)
SENT, POSTPONED, FAILED, HELD = "sent", "postponed", "failed", "held"

LoadChannels = Callable[[], Awaitable[Mapping[str, NotifyChannel]]]
logger = ActionLogger(__name__)


@dataclass(frozen=True)
class SendingRules:
    lease: timedelta
    send_within: timedelta
    resends_in_doubt: bool
    page_url: str | None
    rules: Sequence[NotifyRule] = ()
    """Those of the settings, which say how messages are written."""


class OutboxSender:
    def __init__(
        self,
        store: NotifyStore,
        channels: Mapping[str, NotifyChannel],
        rules: SendingRules,
        now: Clock,
        new_holder: Callable[[], str],
        load_channels: LoadChannels | None = None,
    ) -> None:
        """`load_channels` gives the channels of browsers, which change while this process runs."""
        self._store = store
        self._fixed_channels = channels
        self._channels = channels
        self._load_channels = load_channels
        self._rules = rules
        self._now = now
        self._new_holder = new_holder

    async def send_due(self) -> SentMessages:
        """Send what is due, to all channels at once: a slow one delays no other."""
        if self._load_channels:
            self._channels = {**await self._load_channels(), **self._fixed_channels}
        paused = await self._store.find_paused_channels(self._now())
        counts = await asyncio.gather(*(self._send_channel(name) for name in self._channels if name not in paused))
        total = sum(counts, Counter[str]())
        return SentMessages(total[SENT], total[POSTPONED], total[FAILED], total[HELD])

    async def _send_channel(self, name: str) -> Counter[str]:
        outcomes, until = Counter[str](), self._now() + _RUN_TIME
        while outcomes.total() < _MAX_MESSAGES_PER_RUN and self._now() < until:
            holder = self._new_holder()
            entry = await self._store.claim(name, holder, self._now(), self._rules.lease)
            if entry is None:
                break
            failpoint("notify.claimed")
            outcome = await self._deliver(entry, holder)
            outcomes[outcome] += 1
            MESSAGES.labels(name, outcome).inc()
            if name in await self._store.find_paused_channels(self._now()):
                break
        return outcomes

    async def _deliver(self, entry: OutboxDocument, holder: str) -> str:
        channel, rules = self._channels[entry["channel"]], self._rules
        plan = plan_delivery(entry, channel.traits, self._now(), rules.send_within, resends=rules.resends_in_doubt)
        moments = plan.intent["moments"]
        if plan.action is DeliveryAction.HOLD:
            text = "may have been sent when its worker died or its answer was lost; it is not sent again"
            await self._store.settle_unsent(entry["_id"], holder, moments, text, doubtful=True)
            _log_outcome(entry, moments, HELD, text)
            return HELD
        if plan.action is DeliveryAction.GIVE_UP:
            text = f"not sent in time; the last failure: {entry.get('failure') or 'none'}"
            await self._store.settle_unsent(entry["_id"], holder, moments, text, doubtful=False)
            _log_outcome(entry, moments, FAILED, text)
            return FAILED
        if not moments or not await self._store.begin(entry["_id"], holder, plan.intent):
            return POSTPONED
        failpoint("notify.before_send")
        return await self._send(channel, entry, plan, holder)

    async def _send(self, channel: NotifyChannel, entry: OutboxDocument, plan: DeliveryPlan, holder: str) -> str:
        moments, message_id = plan.intent["moments"], entry.get("message_id")
        message = self._build_message(entry, plan.intent)
        try:
            if plan.action is DeliveryAction.EDIT and message_id is not None:
                await channel.edit(message_id, message)
            else:
                message_id = await channel.send(message)
        except MessageGone:
            await self._store.forget_message(entry["_id"], holder)
            return POSTPONED
        except FoundFootyError as error:
            return await self._settle_failure(entry, plan, holder, error)
        failpoint("notify.after_send")
        await self._store.settle_sent(entry["_id"], holder, moments, message_id, self._now())
        _log_outcome(entry, moments, SENT, plan.action.value)
        return SENT

    async def _settle_failure(
        self, entry: OutboxDocument, plan: DeliveryPlan, holder: str, error: FoundFootyError
    ) -> str:
        verdict, moments = judge_failure(error, len(entry.get("tries") or ())), plan.intent["moments"]
        if verdict.pause is None:
            await self._store.settle_unsent(entry["_id"], holder, moments, str(error), doubtful=False)
            _log_outcome(entry, moments, FAILED, str(error))
            return FAILED
        until = self._now() + verdict.pause
        if verdict.pauses_channel:
            await self._store.pause_channel(entry["channel"], until)
        await self._store.postpone(entry["_id"], holder, until, str(error), keeps_intent=verdict.may_have_arrived)
        _log_outcome(entry, moments, POSTPONED, str(error))
        return POSTPONED

    def _build_message(self, entry: OutboxDocument, intent: IntentDocument) -> ChannelMessage:
        facts, goal = facts_from_document(entry["facts"]), entry["goal"]
        told = sorted({*intent["moments"], *(entry.get("told") or ())})
        shown = [moment_of_id(moment, goal) for moment in told]
        text = build_text(facts, shown, self._rules.page_url)
        news = tuple(dict.fromkeys(moment_of_id(moment, goal) for moment in intent["moments"]))
        wording = select_wording(self._rules.rules, entry["channel"], news, facts)
        written = apply_template(wording.template, facts, text) if wording.template else text
        return ChannelMessage(intent["id"], goal, replace(written, role=wording.role), intent["at"], news, facts)


def _log_outcome(entry: OutboxDocument, moments: list[str], outcome: str, text: str) -> None:
    log = logger.info if outcome == SENT else logger.warning
    fields = {"channel": entry["channel"], "moments": moments, "event_id": entry["facts"]["event_id"]}
    log("message to %s %s: %s", entry["channel"], outcome, text, action=f"message_{outcome}", **fields)
