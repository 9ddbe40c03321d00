"""Replays recorded histories with the workflows of this build: whether runs in progress could go on with it."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from google.protobuf.json_format import ParseError
from temporalio.client import Client, WorkflowHistory
from temporalio.service import RPCError
from temporalio.worker import Replayer, UnsandboxedWorkflowRunner

from found_footy.platform.errors import BadInput, Unavailable
from found_footy.platform.temporal.client import DATA_CONVERTER, describe_root_cause

# Larger than any history that Temporal accepts.
_MAX_HISTORY_BYTES = 60 * 2**20
_CALL_TIMEOUT = timedelta(seconds=30)


@dataclass(frozen=True)
class ReplayOutcome:
    """`failure` is empty if the history replays."""

    workflow_id: str
    workflow_type: str
    events: int
    failure: str


def read_histories(folder: Path) -> list[WorkflowHistory]:
    """Read every .json file of the folder, as `temporal workflow show --output json` writes it. Raises BadInput for a
    folder without any, and for a file that is none.
    """
    files = sorted(folder.glob("*.json"))
    if not files:
        raise BadInput(f"{folder} has no history (*.json)")
    return [_read_history(path) for path in files]


def _read_history(path: Path) -> WorkflowHistory:
    if path.stat().st_size > _MAX_HISTORY_BYTES:
        raise BadInput(f"{path} is larger than a history can be")
    try:
        history = WorkflowHistory.from_json(path.stem, path.read_text(encoding="utf-8"))
    except (ParseError, UnicodeDecodeError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadInput(f"{path} is not the history of a workflow: {str(error)[:200]}") from error
    if not history.events or not history.events[0].HasField("workflow_execution_started_event_attributes"):
        raise BadInput(f"{path} is not the history of a workflow: it does not begin with its start")
    return history


async def fetch_open_histories(client: Client, limit: int) -> AsyncIterator[WorkflowHistory]:
    """Fetch the histories of workflows that are running now, at most `limit`."""
    try:
        runs = client.list_workflows("ExecutionStatus = 'Running'", limit=limit, rpc_timeout=_CALL_TIMEOUT)
        async for history in runs.map_histories(rpc_timeout=_CALL_TIMEOUT):
            yield history
    except RPCError as error:
        raise Unavailable("Temporal", f"histories: {error}") from error


async def replay_histories(
    workflows: Sequence[type], histories: AsyncIterator[WorkflowHistory]
) -> AsyncIterator[ReplayOutcome]:
    """Replay each history. A failure of one, also of a workflow that this build does not have, is an outcome."""
    replayer = Replayer(workflows=workflows, workflow_runner=UnsandboxedWorkflowRunner(), data_converter=DATA_CONVERTER)
    async for history in histories:
        result = await replayer.replay_workflow(history, raise_on_replay_failure=False)
        failure = describe_root_cause(result.replay_failure) if result.replay_failure else ""
        yield ReplayOutcome(history.workflow_id, _find_type(history), len(history.events), failure)


def _find_type(history: WorkflowHistory) -> str:
    return history.events[0].workflow_execution_started_event_attributes.workflow_type.name
