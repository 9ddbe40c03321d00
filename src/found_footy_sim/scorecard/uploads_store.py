"""Reads the data of an afternoon's scorecard from MongoDB and Temporal. Read-only."""

from collections import Counter
from datetime import UTC, datetime
from typing import Any

from temporalio.client import Client
from temporalio.service import RPCError

from found_footy.platform.errors import Unavailable
from found_footy.platform.mongo import Database, translate_mongo_errors
from found_footy_sim.scorecard.uploads_card import ObservedUpload

_READ_TIMEOUT_MS = 10_000


async def read_rows(database: Database, organization_id: str) -> list[dict[str, Any]]:
    with translate_mongo_errors():
        found = database["uploads"].find({"organizationId": organization_id}, {"_id": 0}, max_time_ms=_READ_TIMEOUT_MS)
        return await found.sort("name", 1).to_list()


def observe_upload(row: dict[str, Any]) -> ObservedUpload:
    completed_at = row.get("completedAt")
    if isinstance(completed_at, datetime) and completed_at.tzinfo is None:
        completed_at = completed_at.replace(tzinfo=UTC)
    return ObservedUpload(
        name=row["name"],
        etag=row.get("etag") or "",
        status=row.get("status") or "",
        label=row.get("classificationLabel") or "",
        error=row.get("error") or "",
        is_deleted=row.get("deletedAt") is not None,
        completed_at=completed_at,
    )


async def count_parked_notifications(database: Database) -> int:
    with translate_mongo_errors():
        return await database["upload_dead_letters"].count_documents({"kind": "notification"})


async def count_runs(client: Client) -> dict[str, int]:
    """Count the runs of every classification, by workflow id."""
    runs: Counter[str] = Counter()
    try:
        async for execution in client.list_workflows("WorkflowType = 'OrganizationWorkflow'"):
            runs[execution.id] += 1
    except RPCError as error:
        raise Unavailable("Temporal", f"the classifications cannot be listed: {error.message}") from error
    return dict(runs)


async def count_reconciliations(client: Client, since: datetime) -> int:
    """Count the completed comparisons of bucket and rows that began after `since`."""
    query = (
        "WorkflowType = 'ReconcileUploadsWorkflow' AND ExecutionStatus = 'Completed' "
        f"AND StartTime > '{since.isoformat()}'"
    )
    try:
        return (await client.count_workflows(query)).count
    except RPCError as error:
        raise Unavailable("Temporal", f"the reconciliations cannot be counted: {error.message}") from error
