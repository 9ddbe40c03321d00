"""Compares the bucket with the rows of every organization, and brings the rows to what is stored."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import timedelta

from found_footy.domain.uploads import compute_event_id, split_object_key
from found_footy.platform.clock import Clock, utc_now
from found_footy.platform.logs import ActionLogger
from found_footy.platform.objects import ObjectStore
from found_footy.uploads.agent import AgentFactory
from found_footy.uploads.messages import ObjectEventResult, ReconcileReport, ReconcileUploads
from found_footy.uploads.metrics import RECONCILED
from found_footy.uploads.store import UploadStore

MISSING, CHANGED, REMOVED, RESTARTED, FAILED = "missing", "changed", "removed", "restarted", "failed"
# As many organizations in a row fail by an outage, which the next attempt waits out.
_MAX_FAILURES = 3
_ROOM_WAIT = timedelta(milliseconds=200)

logger = ActionLogger(__name__)


@dataclass(frozen=True)
class OrganizationListing:
    """The versions that are stored of an organization's images, by name."""

    organization_id: str
    versions: dict[str, str]


def find_differences(stored: dict[str, str], shown: dict[str, str]) -> dict[str, str]:
    """Return the names whose row does not show the stored version, with the kind of the difference."""
    differences = {
        name: MISSING if name not in shown else CHANGED for name in stored if shown.get(name) != stored[name]
    }
    return differences | {name: REMOVED for name in shown if name not in stored}


@dataclass
class _Findings:
    listed: int = 0
    differences: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys((MISSING, CHANGED, REMOVED, RESTARTED), 0)
    )
    postponed: list[tuple[str, str]] = field(default_factory=list)
    failed: int = 0
    failed_in_a_row: int = 0

    def add(self, difference: str) -> None:
        self.differences[difference] += 1
        RECONCILED.labels(difference).inc()

    def to_report(self) -> ReconcileReport:
        return ReconcileReport(listed=self.listed, failed=self.failed, **self.differences)


class UploadReconciler:
    """A listing is not a snapshot: it only says what to look at. The agent looks at each object itself."""

    def __init__(self, store: UploadStore, objects: ObjectStore, agents: AgentFactory, now: Clock = utc_now) -> None:
        self._store = store
        self._objects = objects
        self._agents = agents
        self._now = now

    async def reconcile(self, request: ReconcileUploads) -> ReconcileReport:
        findings, unseen = _Findings(), set(await self._store.list_organizations())
        async for listing in self._list_organizations():
            unseen.discard(listing.organization_id)
            await self._try_organization(listing, request, findings)
        for organization_id in sorted(unseen):
            await self._try_organization(OrganizationListing(organization_id, {}), request, findings)
        await self._start_postponed(findings)
        report = findings.to_report()
        logger.info(
            "compared %d objects with the rows",
            report.listed,
            action="uploads_reconciled",
            failed=report.failed,
            **findings.differences,
        )
        return report

    async def _list_organizations(self) -> AsyncIterator[OrganizationListing]:
        """Stores list the keys of one organization one after another."""
        listing: OrganizationListing | None = None
        async for found in self._objects.list():
            parts = split_object_key(found.key)
            if parts is None:
                continue
            organization_id, name = parts
            if listing is None or listing.organization_id != organization_id:
                if listing is not None:
                    yield listing
                listing = OrganizationListing(organization_id, {})
            listing.versions[name] = compute_event_id(found.key, found.etag)
        if listing is not None:
            yield listing

    async def _try_organization(
        self, listing: OrganizationListing, request: ReconcileUploads, findings: _Findings
    ) -> None:
        """An organization that cannot be compared keeps no other from it. The next run tries it again."""
        try:
            await self._reconcile_organization(listing, request, findings)
        except Exception:
            findings.failed += 1
            findings.failed_in_a_row += 1
            RECONCILED.labels(FAILED).inc()
            if findings.failed_in_a_row >= _MAX_FAILURES:
                raise
            logger.exception(
                "the uploads of %s cannot be compared with the bucket",
                listing.organization_id,
                action="uploads_not_reconciled",
                organization_id=listing.organization_id,
            )
        else:
            findings.failed_in_a_row = 0

    async def _reconcile_organization(
        self, listing: OrganizationListing, request: ReconcileUploads, findings: _Findings
    ) -> None:
        organization_id, agent = listing.organization_id, self._agents.for_organization(listing.organization_id)
        shown = await self._store.list_shown_versions(organization_id)
        findings.listed += len(listing.versions)
        for name, difference in find_differences(listing.versions, shown).items():
            outcome = await agent.reconcile(name)
            if outcome.result not in (ObjectEventResult.UNCHANGED, ObjectEventResult.GONE):
                findings.add(difference)
            if outcome.result is ObjectEventResult.POSTPONED:
                findings.postponed.append((organization_id, name))
        for row in await self._store.list_neglected(organization_id, self._now() - request.open_for):
            outcome = await agent.restart(row)
            findings.add(RESTARTED)
            if outcome.result is ObjectEventResult.POSTPONED:
                findings.postponed.append((organization_id, row["name"]))

    async def _start_postponed(self, findings: _Findings) -> None:
        """Start what had to wait, in turns, so that no organization waits for all images of another. One image per turn
        asks whether another may start: thousands that ask would load store and database for nothing.
        """
        waiting: dict[str, deque[str]] = {}
        for organization_id, name in findings.postponed:
            waiting.setdefault(organization_id, deque()).append(name)
        while waiting:
            await asyncio.sleep(_ROOM_WAIT.total_seconds())
            for organization_id, names in list(waiting.items()):
                await self._start_until_full(organization_id, names)
                if not names:
                    del waiting[organization_id]

    async def _start_until_full(self, organization_id: str, names: deque[str]) -> None:
        agent = self._agents.for_organization(organization_id)
        while names and (await agent.reconcile(names[0])).result is not ObjectEventResult.POSTPONED:
            names.popleft()
