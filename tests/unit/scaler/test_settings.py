"""The scaler's settings: the defaults, and combinations that are refused with their reason."""

from datetime import timedelta

import pytest

from found_footy.platform.errors import ConfigError
from found_footy.platform.temporal.queues import TaskQueueBacklog, TaskQueueDepth
from found_footy.scaler.decision import MeasuredLoad
from found_footy.scaler.load import add_depths
from found_footy.settings import load_settings


def environ(**values: str) -> dict[str, str]:
    return {"FOOTY_DATA_DIR": "nowhere"} | {f"FOOTY_SCALER__{name}": value for name, value in values.items()}


def test_nothing_is_scaled_unless_asked_for() -> None:
    scaler = load_settings(environ()).settings.scaler
    assert scaler.driver == "none"
    rules = scaler.rules
    assert (rules.min_instances, rules.max_instances, rules.scale_up, rules.scale_down) == (2, 8, 5, 2)
    assert (rules.check_interval.total_seconds(), rules.cooldown.total_seconds()) == (30, 60)


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"UP_THRESHOLD": "3"}, "at least twice"),
        ({"MIN_INSTANCES": "9"}, "larger than the largest"),
        ({"DRIVER": "docker"}, "proxy of Docker's API"),
        ({"DRIVER": "kubernetes"}, "FOOTY_SCALER__DRIVER"),
        ({"ROLES": "all,cook"}, "FOOTY_SCALER__ROLES"),
        ({"MIN_INSTANCES": "0"}, "FOOTY_SCALER__MIN_INSTANCES"),
    ],
)
def test_rules_that_cannot_work_are_refused(values: dict[str, str], why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        load_settings(environ(**values))


def depth(backlog: int, add_rate: float = 0.0, dispatch_rate: float = 0.0) -> TaskQueueDepth:
    return TaskQueueDepth(backlog, timedelta(0), add_rate, dispatch_rate, 1, 1)


def test_backlogs_add_up_and_a_shrinking_queue_does_not_hide_a_growing_one() -> None:
    growing, shrinking = depth(7, 3, 1), depth(5, 0, 9)
    busy = depth(0, 50, 0)
    measured = add_depths([TaskQueueBacklog(growing, depth(1)), TaskQueueBacklog(shrinking, busy)])
    assert measured == MeasuredLoad(13, 2)
