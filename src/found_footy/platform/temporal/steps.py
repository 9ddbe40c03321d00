"""Steps: activities that a stage declares as methods with their options, and that workflows run by that method.

A stage's `steps.py` declares each activity as a method without a body; its `activities.py` implements the method.
Workflows import the declarations alone and stay free of I/O libraries.
"""

from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

from temporalio import activity, workflow
from temporalio.common import Priority, RetryPolicy
from temporalio.exceptions import ActivityError, ApplicationError
from temporalio.exceptions import TimeoutError as TimedOut

In = TypeVar("In")
Out = TypeVar("Out")
StepMethod = TypeVar("StepMethod", bound=Callable[[Any, Any], Coroutine[Any, Any, Any]])

OPTIONS_ATTRIBUTE = "step_options"
# With intervals of up to a minute, this outlasts an outage of half an hour.
OUTAGE_ATTEMPTS = 35
# Longer retry intervals use Temporal's timers, so that an outage does not hold the workflow task open.
_MAX_LOCAL_RETRY_INTERVAL = timedelta(seconds=5)


@dataclass(frozen=True, kw_only=True)
class StepOptions:
    """The options of an activity call, in Temporal's words, and the reason for them.

    `maximum_attempts` counts the first attempt. Temporal reads zero as "for ever", so it is refused. A `local` step is
    short and safe to repeat: the worker that runs the workflow executes it inside the workflow task, without a task
    queue. If that worker dies before it has reported to Temporal, all local steps since the last one that went through
    a task queue run again.
    """

    reason: str
    start_to_close_timeout: timedelta
    maximum_attempts: int
    initial_interval: timedelta = timedelta(seconds=1)
    backoff_coefficient: float = 2.0
    maximum_interval: timedelta = timedelta(seconds=60)
    heartbeat_timeout: timedelta | None = None
    local: bool = False

    def __post_init__(self) -> None:
        if self.maximum_attempts < 1:
            raise ValueError("a step needs at least one attempt")
        if self.local and self.heartbeat_timeout:
            raise ValueError("a local step is too short to need heartbeats")

    @property
    def retry_policy(self) -> RetryPolicy:
        return RetryPolicy(
            initial_interval=self.initial_interval,
            backoff_coefficient=self.backoff_coefficient,
            maximum_interval=self.maximum_interval,
            maximum_attempts=self.maximum_attempts,
        )


def step(
    *,
    reason: str,
    start_to_close_timeout: timedelta,
    maximum_attempts: int,
    initial_interval: timedelta = timedelta(seconds=1),
    backoff_coefficient: float = 2.0,
    maximum_interval: timedelta = timedelta(seconds=60),
    heartbeat_timeout: timedelta | None = None,
    local: bool = False,
    name: str | None = None,
) -> Callable[[StepMethod], StepMethod]:
    """Declare a method as an activity that is called with these options, of the method's name or of `name`."""
    options = StepOptions(
        reason=reason,
        start_to_close_timeout=start_to_close_timeout,
        maximum_attempts=maximum_attempts,
        initial_interval=initial_interval,
        backoff_coefficient=backoff_coefficient,
        maximum_interval=maximum_interval,
        heartbeat_timeout=heartbeat_timeout,
        local=local,
    )

    def declare(method: StepMethod) -> StepMethod:
        declared = activity.defn(name=name)(method) if name else activity.defn(method)
        setattr(declared, OPTIONS_ATTRIBUTE, options)
        return declared

    return declare


def get_step_options(declared: Callable[[Any, In], Awaitable[Out]]) -> StepOptions:
    options: StepOptions = getattr(declared, OPTIONS_ATTRIBUTE)
    return options


async def run_step(
    declared: Callable[[Any, In], Awaitable[Out]],
    message: In,
    *,
    task_queue: str | None = None,
    priority: int | None = None,
    options: StepOptions | None = None,
) -> Out:
    """Execute the declared activity with its options, or with `options` in their place.

    A local step that names a task queue goes through that queue. `priority` is from 1 to 5; the lowest number comes
    first where a queue is long. Without one it is 3.
    """
    options = options or get_step_options(declared)
    if options.local and task_queue is None:
        return await _run_locally(declared, message, options)
    return await workflow.execute_activity_method(
        declared,
        message,
        task_queue=task_queue,
        start_to_close_timeout=options.start_to_close_timeout,
        heartbeat_timeout=options.heartbeat_timeout,
        retry_policy=options.retry_policy,
        priority=Priority(priority_key=priority),
    )


async def _run_locally(declared: Callable[[Any, In], Awaitable[Out]], message: In, options: StepOptions) -> Out:
    """The SDK raises the error of a local activity itself; workflows expect it wrapped, as that of a queued one is."""
    try:
        return await workflow.execute_local_activity_method(
            declared,
            message,
            start_to_close_timeout=options.start_to_close_timeout,
            retry_policy=options.retry_policy,
            local_retry_threshold=_MAX_LOCAL_RETRY_INTERVAL,
        )
    except (ApplicationError, TimedOut) as error:
        raise ActivityError(
            "Activity task failed",
            scheduled_event_id=0,
            started_event_id=0,
            identity="",
            activity_type=declared.__name__,
            activity_id="",
            retry_state=None,
        ) from error
