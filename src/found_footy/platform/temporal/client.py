"""Temporal: one client per process, typed errors across the wire, logs of workflows and activities."""

import asyncio
import contextlib
import logging
import os
import re
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any, NoReturn

from temporalio import activity, workflow
from temporalio.client import Client
from temporalio.client import Interceptor as ClientInterceptor
from temporalio.contrib.pydantic import PydanticJSONPlainPayloadConverter
from temporalio.converter import (
    CompositePayloadConverter,
    DataConverter,
    DefaultPayloadConverter,
    JSONPlainPayloadConverter,
)
from temporalio.exceptions import ApplicationError, CancelledError
from temporalio.runtime import Runtime
from temporalio.service import RPCError, RPCStatusCode, TLSConfig
from temporalio.worker import (
    ActivityInboundInterceptor,
    ExecuteActivityInput,
    ExecuteWorkflowInput,
    HandleSignalInput,
    Interceptor,
    WorkflowInboundInterceptor,
    WorkflowInterceptorClassInput,
)

from found_footy.platform.errors import ExternalSystemError, FoundFootyError, RateLimited, StoreDenied, Unavailable
from found_footy.platform.logs import ActionLogger, LogScope, bind_scope
from found_footy.platform.temporal.access import PLAINTEXT_ACCESS, TemporalAccess

_CONNECT_TIMEOUT = timedelta(seconds=10)
# The SDK's native threads crash the interpreter if it exits right after them (measured: 0 of 85 with this pause).
_SHUTDOWN_PAUSE_SECONDS = 0.1
_MAX_ERROR_LENGTH = 2_000
_ACCESS_DENIED_STATUSES = (RPCStatusCode.UNAUTHENTICATED, RPCStatusCode.PERMISSION_DENIED)

# Building the validator of a message type takes longer than reading a thousand messages, and the SDK makes a new
# converter for every workflow run. All of them share this one, which caches validators.
_SHARED_JSON_CONVERTER = PydanticJSONPlainPayloadConverter()

logger = ActionLogger(__name__)


class MessagePayloadConverter(CompositePayloadConverter):
    """Converts messages to typed JSON like the SDK's own pydantic converter."""

    def __init__(self) -> None:
        every = DefaultPayloadConverter.default_encoding_payload_converters
        super().__init__(
            *(_SHARED_JSON_CONVERTER if isinstance(one, JSONPlainPayloadConverter) else one for one in every)
        )


DATA_CONVERTER = DataConverter(payload_converter_class=MessagePayloadConverter)


def to_application_error(error: FoundFootyError) -> ApplicationError:
    """Convert `error` for Temporal: its class name as type, and whether it is retryable."""
    wait = error.retry_after if isinstance(error, RateLimited) else None
    return ApplicationError(
        str(error)[:_MAX_ERROR_LENGTH],
        type=type(error).__name__,
        non_retryable=not error.retryable,
        next_retry_delay=timedelta(seconds=wait) if wait else None,
    )


def subject_log_fields(messages: Sequence[object]) -> dict[str, object]:
    """Return goal and fixture of the messages as log fields: a message is a goal, has one, or has a batch that
    has one.
    """
    for message in messages:
        batch = getattr(message, "batch", None)
        for holder in (message, getattr(message, "goal", None), getattr(batch, "goal", None)):
            if event_id := getattr(holder, "event_id", ""):
                fixture_id = getattr(holder, "fixture_id", None)
                return {"event_id": event_id} | ({"fixture_id": fixture_id} if fixture_id is not None else {})
    return {}


class _ActivityErrorInterceptor(ActivityInboundInterceptor):
    async def execute_activity(self, input: ExecuteActivityInput) -> Any:  # noqa: A002  the SDK names it so
        info = activity.info()
        fields = {"activity": info.activity_type, "workflow_id": info.workflow_id, "attempt": info.attempt}
        bind_scope(LogScope(fields | subject_log_fields(input.args)))
        try:
            return await super().execute_activity(input)
        except FoundFootyError as error:
            logger.warning(
                "%s failed on attempt %d: %s",
                info.activity_type,
                info.attempt,
                error,
                action="activity_failed",
                error=type(error).__name__,
                retryable=error.retryable,
            )
            raise to_application_error(error) from error


class _ActivityCrashFilter(logging.Filter):
    """Drops the SDK's log of activity failures with our own errors, which are logged already; other exceptions are bugs
    and pass.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, ApplicationError) and isinstance(error.__cause__, FoundFootyError):
            return False
        vars(record).setdefault("action", "activity_crashed")
        return True


_CRASH_FILTER = _ActivityCrashFilter()


class _WorkflowFailureInterceptor(WorkflowInboundInterceptor):
    async def execute_workflow(self, input: ExecuteWorkflowInput) -> Any:  # noqa: A002
        _bind_workflow_scope(input.args)
        try:
            return await super().execute_workflow(input)
        except Exception as error:
            if workflow.is_failure_exception(error) and not is_cancellation(error):
                kind, cause = workflow.info().workflow_type, describe_root_cause(error)
                fields = {"workflow": kind, "error": cause.partition(":")[0]}
                logger.error("%s failed: %s", kind, cause, action="workflow_failed", **fields)  # noqa: TRY400  the cause is in the text
            raise

    async def handle_signal(self, input: HandleSignalInput) -> None:  # noqa: A002
        _bind_workflow_scope(input.args)
        await super().handle_signal(input)


def _bind_workflow_scope(messages: Sequence[object]) -> None:
    """Add the run to the workflow's log lines, and drop lines during replay."""
    info = workflow.info()
    fields = {"workflow": info.workflow_type, "workflow_id": info.workflow_id, "attempt": info.attempt}
    bind_scope(LogScope(fields | subject_log_fields(messages), workflow.unsafe.is_replaying_history_events))


class TypedErrorInterceptor(Interceptor):
    """Worker interceptor: converts the product's errors of activities, and logs failures with their cause.

    A failed workflow is logged once, with the innermost cause instead of Temporal's "Activity task failed". Every log
    line of a run names its workflow and, if there is one, its goal.
    """

    def __init__(self) -> None:
        activity.logger.logger.addFilter(_CRASH_FILTER)
        # The run's fields are bound to its context; the SDK would put them into the message as a dictionary.
        activity.logger.activity_info_on_message = activity.logger.activity_info_on_extra = False

    def intercept_activity(self, next: ActivityInboundInterceptor) -> ActivityInboundInterceptor:  # noqa: A002
        return _ActivityErrorInterceptor(next)

    def workflow_interceptor_class(
        self,
        input: WorkflowInterceptorClassInput,  # noqa: A002, ARG002  the interface is the SDK's
    ) -> type[WorkflowInboundInterceptor]:
        return _WorkflowFailureInterceptor


def describe_root_cause(error: BaseException) -> str:
    """Return the innermost cause under Temporal's wrappers, of bounded length."""
    while (inner := getattr(error, "cause", None) or error.__cause__) is not None and inner is not error:
        error = inner
    if isinstance(error, ApplicationError):
        return f"{error.type or 'ApplicationError'}: {error.message}"[:_MAX_ERROR_LENGTH]
    return f"{type(error).__name__}: {error}"[:_MAX_ERROR_LENGTH]


def is_cancellation(error: BaseException) -> bool:
    return isinstance(error, CancelledError | asyncio.CancelledError) or isinstance(
        getattr(error, "cause", None), CancelledError
    )


def _connection_error_text(error: Exception) -> str:
    """Extract the system's message from the SDK's nested description of a failed connection."""
    inner = re.search(r'message: "([^"]+)"', str(error))
    return inner.group(1) if inner else str(error) or "timed out"


def _build_tls_config(access: TemporalAccess) -> bool | TLSConfig:
    if not access.tls:
        return False
    files = access.read_certificates()
    return TLSConfig(
        server_root_ca_cert=files.server_ca,
        domain=access.server_name,
        client_cert=files.client_cert,
        client_private_key=files.client_key,
    )


def _to_connect_error(
    error: RuntimeError | RPCError | TimeoutError, address: str, access: TemporalAccess
) -> ExternalSystemError:
    """Names the settings for TLS and credentials: a missing or untrusted certificate often shows as a closed
    connection.
    """
    text = f"{address} ({_connection_error_text(error)}; {access.settings_hint})"
    if isinstance(error, RPCError) and error.status in _ACCESS_DENIED_STATUSES:
        return StoreDenied("Temporal", f"no access to {text}")
    return Unavailable("Temporal", f"no answer at {text}")


@asynccontextmanager
async def connect(
    address: str,
    namespace: str,
    runtime: Runtime | None = None,
    access: TemporalAccess = PLAINTEXT_ACCESS,
    interceptors: Sequence[ClientInterceptor] = (),
) -> AsyncIterator[Client]:
    """Connect the process's one Temporal client, on the SDK's default runtime or on one with metrics. Workers that use
    it have its interceptors, too."""
    try:
        client = await asyncio.wait_for(
            Client.connect(
                address,
                namespace=namespace,
                data_converter=DATA_CONVERTER,
                runtime=runtime,
                tls=_build_tls_config(access),
                api_key=access.api_key or None,
                interceptors=interceptors,
            ),
            _CONNECT_TIMEOUT.total_seconds(),
        )
    except (RuntimeError, RPCError, TimeoutError) as error:
        raise _to_connect_error(error, address, access) from error
    try:
        yield client
    finally:
        del client
        await asyncio.sleep(_SHUTDOWN_PAUSE_SECONDS)


def exit_process(code: int) -> NoReturn:
    """End the process at once, after flushing output and logs.

    The SDK's native threads can abort the interpreter during finalization, which this skips. `atexit` handlers do not
    run: callers stop what they started first.
    """
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        # A closed reader, as in `… | head`, must not turn a success into a traceback.
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)
