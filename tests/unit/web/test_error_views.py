"""What the operator is shown of a failure: which are listed, what is said of them, which can be tried again."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from found_footy.domain.notify_documents import OutboxDocument
from found_footy.platform.temporal.failures import FailedWorkflow
from found_footy.views.error_views import (
    ErrorItem,
    ErrorKind,
    build_clip_error,
    build_feed_error,
    build_message_error,
    build_source_error,
    build_workflow_errors,
    leave_out_dismissed,
)
from found_footy.views.source_views import SourceState, SourceView

NOW = datetime(2026, 11, 15, 20, 0, tzinfo=UTC)
LINK = "https://x.com/fan/status/1"


def note(**changes: Any) -> dict[str, Any]:
    return {
        "event_id": "5000_40_234_Goal_1",
        "link": "abc",
        "url": LINK,
        "outcome": "vision_unavailable",
        "reason": "the reader does not answer",
        "tries": 2,
        "at": NOW,
        "open": True,
        "player": "Florian Wirtz",
        "time": {"elapsed": 45, "extra": 3},
        "home": "Liverpool",
        "away": "Arsenal",
    } | changes


@pytest.mark.parametrize(
    ("changes", "is_listed", "can_retry"),
    [
        ({}, True, True),
        ({"outcome": "download_failed", "retry": "always"}, True, True),
        ({"outcome": "download_failed", "retry": "few", "tries": 1}, True, True),
        ({"outcome": "download_failed", "retry": "few", "tries": 2}, True, False),
        ({"outcome": "download_failed", "retry": "never"}, False, False),
        ({"outcome": "download_failed"}, False, False),
        ({"outcome": "wrong_minute", "retry": "always"}, False, False),
        ({"outcome": "uploaded"}, False, False),
        ({"outcome": None}, False, False),
    ],
)
def test_only_failures_are_listed_not_verdicts(changes: dict[str, Any], is_listed: bool, can_retry: bool) -> None:
    found = build_clip_error(note(**changes))
    assert (found is not None) is is_listed
    assert bool(found and found.can_retry) is can_retry


def test_a_clip_is_named_by_its_goal_and_its_host() -> None:
    found = build_clip_error(note())
    assert found is not None
    assert found.title == "Florian Wirtz 45+3', Liverpool – Arsenal: x.com"
    assert found.cause == "Not checked yet: the reader does not answer"
    assert (found.attempts, found.url) == (2, "/goals/5000_40_234_Goal_1")
    assert found.subject == ("5000_40_234_Goal_1", LINK)


def test_runs_of_one_workflow_are_one_item() -> None:
    runs = [FailedWorkflow("search-1", f"run-{n}", "TwitterWorkflow", "failed", f"cause {n}", NOW) for n in (2, 1)]
    (item,) = build_workflow_errors(runs)
    assert (item.attempts, item.cause, item.subject) == (2, "cause 2", ("search-1", "run-2"))


def entry(**changes: Any) -> OutboxDocument:
    facts = {"home": "Liverpool", "away": "Arsenal", "minute": "23'", "player": "Wirtz", "event_id": "5000_40_2_Goal_1"}
    return {  # type: ignore[return-value]
        "_id": "friends:5000",
        "channel": "friends",
        "goal": "5000",
        "facts": facts,
        "created_at": NOW,
        "wanted": ["5000:confirmed"],
        "open": False,
    } | changes


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"open": True}, None),
        ({"open": True, "failure": "status 503", "tries": ["a", "b"]}, ("status 503", False, 2)),
        ({"failed": ["5000:confirmed"], "failure": "status 404"}, ("status 404", True, 1)),
        ({"doubtful": ["5000:confirmed"]}, ("may have been sent", True, 1)),
    ],
)
def test_a_message_is_listed_once_it_failed(changes: dict[str, Any], said: tuple[str, bool, int] | None) -> None:
    found = build_message_error(entry(**changes))
    assert (found and (found.cause, found.can_retry, found.attempts)) == said


def test_a_source_that_answers_is_not_listed() -> None:
    ok = SourceView("x", SourceState.OK, 3, 0, NOW, NOW, None, None, 0, 0, 0)
    failing = SourceView("x", SourceState.FAILING, 3, 2, NOW, None, "Denied", None, 0, 0, 0)
    assert build_source_error(ok) is None
    found = build_source_error(failing)
    assert found is not None
    assert (found.cause, found.attempts, found.state) == ("Denied", 2, "has not answered yet")


def test_the_feeds_last_error_is_listed() -> None:
    assert build_feed_error(None) is None
    found = build_feed_error({"kind": "Denied", "text": "the key is suspended", "at": NOW})
    assert found is not None
    assert (found.key, found.cause) == ("feed:Denied", "the key is suspended")


def test_what_fails_again_after_it_was_dismissed_is_shown_again() -> None:
    items = [ErrorItem(f"clip:{n}", ErrorKind.CLIP, "a clip", "why", 1, NOW + timedelta(hours=n)) for n in (0, 1)]
    dismissed = dict.fromkeys((one.key for one in items), NOW)
    assert leave_out_dismissed(items, dismissed) == [items[1]]
    assert leave_out_dismissed(items, {}) == items
