"""The scaler: checks each pool in a loop of its own, applies decisions, explains them in log, metrics and database."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from found_footy.domain.documents import ScalerPoolDocument
from found_footy.platform.errors import FoundFootyError
from found_footy.platform.logs import ActionLogger
from found_footy.scaler import metrics
from found_footy.scaler.decision import (
    MeasuredLoad,
    PoolCheck,
    PoolHistory,
    ScalingDecision,
    ScalingRules,
    decide_count,
)
from found_footy.scaler.pool import ScaledPool
from found_footy.scaler.report import describe_decision
from found_footy.scaler.store import ScalerStore

logger = ActionLogger(__name__)


@dataclass(frozen=True)
class InstanceScaler:
    """Scales pools until cancelled. A pool whose load or place cannot be read keeps its instances."""

    pools: Sequence[ScaledPool]
    rules: ScalingRules
    store: ScalerStore
    clock: Callable[[], datetime]

    async def run(self) -> None:
        await self._forget_other_pools()
        async with asyncio.TaskGroup() as group:
            for pool in self.pools:
                group.create_task(self._watch_pool(pool), name=f"scale {pool.name}")

    async def _watch_pool(self, pool: ScaledPool) -> None:
        history, last_words = await self._load_history(pool), ""
        while True:
            history, last_words = await self.check_pool(pool, history, last_words)
            await asyncio.sleep(self.rules.check_interval.total_seconds())

    async def check_pool(self, pool: ScaledPool, history: PoolHistory, last_words: str) -> tuple[PoolHistory, str]:
        """Check and resize one pool; return its history and what was logged, so that nothing is logged twice in
        a row."""
        now, decision, error = self.clock(), None, ""
        try:
            load, error = await self._measure_load(pool)
            rules = self.rules.limit_to(await pool.instances.count_places())
            check = PoolCheck(now, await pool.instances.count_running(), load)
            decision, history = decide_count(rules, history, check)
            _export_decision(pool.name, decision)
            if decision.changes:
                # Logged before: instances that drain may take a while.
                last_words = self._log_decision(_to_document(pool, now, decision, history, error), last_words)
                await pool.instances.resize(decision.wanted)
        except FoundFootyError as failure:
            error = str(failure)
            metrics.FAILURES.labels(pool.name, type(failure).__name__).inc()
        document = _to_document(pool, now, decision, history, error)
        last_words = self._log_decision(document, last_words)
        await self._record(document)
        return history, last_words

    async def _measure_load(self, pool: ScaledPool) -> tuple[MeasuredLoad | None, str]:
        try:
            return await pool.measure(), ""
        except FoundFootyError as failure:
            metrics.FAILURES.labels(pool.name, type(failure).__name__).inc()
            return None, str(failure)

    def _log_decision(self, document: ScalerPoolDocument, last_words: str) -> str:
        """Compared without the figures: a load that wavers between the thresholds is no news."""
        words = f"{document['wanted']} {document['reason']} {document['error']}"
        if words != last_words:
            level = logger.warning if document["error"] else logger.info
            level(
                "%s",
                describe_decision(document),
                action="scaling_decision",
                pool=document["_id"],
                running=document["running"],
                wanted=document["wanted"],
                reason=document["reason"],
                expected=document["expected"],
            )
        return words

    async def _record(self, document: ScalerPoolDocument) -> None:
        try:
            await self.store.record_decision(document)
        except FoundFootyError as failure:
            logger.warning("the decision was not recorded: %s", failure, action="scaling_not_recorded")

    async def _forget_other_pools(self) -> None:
        """Otherwise the health page would show them for ever, and miss their checks."""
        try:
            await self.store.forget_other_pools([pool.name for pool in self.pools])
        except FoundFootyError as failure:
            logger.warning("old decisions were not deleted: %s", failure, action="scaling_not_recorded")

    async def _load_history(self, pool: ScaledPool) -> PoolHistory:
        """The cool-down of a change that an earlier process made goes on."""
        try:
            known = {one["_id"]: one for one in await self.store.list_pools()}
        except FoundFootyError as failure:
            logger.warning("earlier decisions could not be read: %s", failure, action="scaling_history_unknown")
            return PoolHistory()
        return PoolHistory(known[pool.name]["changed_at"]) if pool.name in known else PoolHistory()


def _export_decision(name: str, decision: ScalingDecision) -> None:
    metrics.DECISIONS.labels(name, decision.reason.value).inc()
    metrics.INSTANCES.labels(name).set(decision.running)
    metrics.WANTED_INSTANCES.labels(name).set(decision.wanted)
    if decision.expected is not None:
        metrics.EXPECTED_LOAD.labels(name).set(decision.expected)


def _to_document(
    pool: ScaledPool, now: datetime, decision: ScalingDecision | None, history: PoolHistory, error: str
) -> ScalerPoolDocument:
    return {
        "_id": pool.name,
        "at": now,
        "unit": pool.unit,
        "running": decision.running if decision else 0,
        "wanted": decision.wanted if decision else 0,
        "reason": decision.reason.value if decision else "",
        "expected": decision.expected if decision else None,
        "changed_at": history.changed_at,
        "error": error,
    }
