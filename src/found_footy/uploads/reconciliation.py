"""Compares the bucket with the rows of every organization, and brings the rows to what is stored."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import timedelta

from found_footy.domain.uploads import compute_event_id, split_object_key
from found_footy.platform.clock import Clock, utc_now
from found_footy.platform.logs import ActionLogger
from found_footy.platform.objects import ObjectStore
from found_footy.uploads.agent import AgentFactory
from found_footy.uploads.messages import IngestResult, ReconcileReport, ReconcileUploads
from found_footy.uploads.metrics import RECONCILED
from found_footy.uploads.store import UploadStore

MISSING, CHANGED, REMOVED, RESTARTED = "missing", "changed", "removed", "restarted"
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

    def add(self, difference: str) -> None:
        self.differences[difference] += 1
        RECONCILED.labels(difference).inc()

    def to_report(self) -> ReconcileReport:
        return ReconcileReport(listed=self.listed, **self.differences)


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
            await self._reconcile_organization(listing, request, findings)
        for organization_id in sorted(unseen):
            await self._reconcile_organization(OrganizationListing(organization_id, {}), request, findings)
        await self._start_postponed(findings)
        report = findings.to_report()
        logger.info(
            "compared %d objects with the rows", report.listed, action="uploads_reconciled", **findings.differences
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

    async def _reconcile_organization(
        self, listing: OrganizationListing, request: ReconcileUploads, findings: _Findings
    ) -> None:
        organization_id, agent = listing.organization_id, self._agents.for_organization(listing.organization_id)
        shown = await self._store.list_shown_versions(organization_id)
        findings.listed += len(listing.versions)
        for name, difference in find_differences(listing.versions, shown).items():
            outcome = await agent.reconcile(name)
            if outcome.result not in (IngestResult.UNCHANGED, IngestResult.GONE):
                findings.add(difference)
            if outcome.result is IngestResult.POSTPONED:
                findings.postponed.append((organization_id, name))
        for row in await self._store.list_neglected(organization_id, self._now() - request.open_for):
            await agent.restart(row)
            findings.add(RESTARTED)

    async def _start_postponed(self, findings: _Findings) -> None:
        """Start what had to wait, in turns, so that no organization waits for all images of another."""
        waiting = findings.postponed
        while waiting:
            results = [
                (each, (await self._agents.for_organization(each[0]).reconcile(each[1])).result) for each in waiting
            ]
            remaining = [each for each, result in results if result is IngestResult.POSTPONED]
            if len(remaining) == len(waiting):
                await asyncio.sleep(_ROOM_WAIT.total_seconds())
            waiting = remaining
