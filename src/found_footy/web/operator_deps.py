"""What the operator's pages need beside the database."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from found_footy.notify.rules import NotifyRule
from found_footy.platform.temporal.failures import FailedWorkflow

ListFailedWorkflows = Callable[[datetime, int], Awaitable[Sequence[FailedWorkflow]]]
"""Lists runs that failed since a time, at most so many."""

RestartWorkflow = Callable[[str, str, str], Awaitable[str]]
"""Runs the workflow with an id and a run id again, for a reason; returns the new run's id."""


SendTest = Callable[[str], Awaitable[None]]
"""Sends a test message to the channel of a name; raises the channel's own error."""


@dataclass(frozen=True)
class NotificationsPageDeps:
    """`channels` has the kinds of the configured channels by name. `push_key` is what browsers subscribe with; without
    one, none can.
    """

    channels: Mapping[str, str]
    rules: Sequence[NotifyRule]
    push_key: str
    send_test: SendTest


@dataclass(frozen=True)
class OperatorDeps:
    list_failed_workflows: ListFailedWorkflows
    restart_workflow: RestartWorkflow
    notifications: NotificationsPageDeps | None = None
