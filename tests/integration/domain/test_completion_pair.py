"""Python and MongoDB agree on when a goal is complete."""

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from found_footy.domain.completion import SEARCH_EXHAUSTED, delivery_reason_expression, find_delivery_reason
from found_footy.domain.ids import is_search_attempt, search_attempts_expression
from found_footy.domain.outcomes import CompletionReason
from found_footy.platform.mongo import Database

_ids = st.sampled_from(["download1-a", "download2-a", "download10-a", "extra1-a", "extraretry1-a", "ex", ""])
_sets = st.one_of(st.none(), st.lists(_ids, max_size=6))
_states = st.sampled_from([None, "searching", "finished", SEARCH_EXHAUSTED])


@st.composite
def goals(draw: st.DrawFn) -> dict[str, Any]:
    """Goals with the fields absent, null, empty or filled; a set that was written by hand may name an id twice."""
    goal: dict[str, Any] = {"_search_state": {"state": draw(_states)}} if draw(st.booleans()) else {}
    for name in ("_download_workflows", "_delivered_workflows"):
        if draw(st.booleans()):
            goal[name] = draw(_sets)
    if draw(st.booleans()):
        goal["_delivered_workflows"] = goal.get("_download_workflows") or []
    return goal


async def evaluate(database: Database, goal: dict[str, Any], expression: Any) -> Any:
    await database.goals.replace_one({"_id": 1}, {"event": goal}, upsert=True)
    bound = {"$let": {"vars": {"event": "$event"}, "in": expression}}
    [row] = await (await database.goals.aggregate([{"$project": {"result": bound}}])).to_list()
    return row["result"]


@given(goals(), st.integers(0, 4))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_mongodb_completes_a_goal_when_python_does(
    database: Database, goal: dict[str, Any], attempts_wanted: int
) -> None:
    registered, delivered = (goal.get(name) or [] for name in ("_download_workflows", "_delivered_workflows"))
    is_exhausted = goal.get("_search_state", {}).get("state") == SEARCH_EXHAUSTED
    reason = find_delivery_reason(registered, delivered, attempts_wanted, is_exhausted=is_exhausted)
    assert await evaluate(database, goal, delivery_reason_expression("$$event", attempts_wanted)) == reason


@given(st.lists(_ids, max_size=6))
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_mongodb_takes_the_same_downloads_for_attempts(database: Database, downloads: list[str]) -> None:
    found = await evaluate(database, {"ids": downloads}, search_attempts_expression("$$event.ids"))
    assert found == [one for one in downloads if is_search_attempt(one)]


def test_a_goal_is_complete_when_every_download_has_delivered_and_no_attempt_is_to_come() -> None:
    two = ["download1-a", "download2-a"]
    assert find_delivery_reason(two, two, 2, is_exhausted=False) is CompletionReason.DELIVERED
    assert find_delivery_reason(two, two, 2, is_exhausted=True) is CompletionReason.DELIVERED
    assert find_delivery_reason(two, two[:1], 2, is_exhausted=True) is None
    assert find_delivery_reason([*two, "extra1-a"], two, 2, is_exhausted=False) is None
    assert find_delivery_reason(["extra1-a", two[0]], ["extra1-a", two[0]], 2, is_exhausted=False) is None
    assert find_delivery_reason(two, two, 3, is_exhausted=True) is CompletionReason.ATTEMPTS_EXHAUSTED
