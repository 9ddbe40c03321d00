"""Workers of tests give a workflow longer before they take it for stuck: on crowded cores two seconds prove nothing."""

from typing import Any

from temporalio.worker import _workflow

from tests.support.patience import PATIENCE_SECONDS

_begin = _workflow._WorkflowWorker.__init__


def _patient(self: _workflow._WorkflowWorker, *args: Any, **kwargs: Any) -> None:
    _begin(self, *args, **kwargs)
    assert self._deadlock_timeout_seconds == 2
    self._deadlock_timeout_seconds = int(PATIENCE_SECONDS)


_workflow._WorkflowWorker.__init__ = _patient  # type: ignore[method-assign]
