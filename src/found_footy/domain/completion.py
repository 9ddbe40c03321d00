"""When the search for a goal is complete, in Python and as a MongoDB expression.

The monitor decides in Python and repeats the condition in its update; the archive decides in MongoDB, in the operation
that records a delivery. Progress is two sets of download workflow ids on the goal: those registered
(`_download_workflows`) and those whose batch was processed (`_delivered_workflows`).
"""

from collections.abc import Collection, Mapping
from typing import Any, cast

from found_footy.domain.documents import GoalDocument
from found_footy.domain.ids import is_search_attempt, search_attempts_expression
from found_footy.domain.outcomes import CompletionReason

# Stage two writes this into `_search_state.state` when no further attempt will be made.
SEARCH_EXHAUSTED = "exhausted"


def find_delivery_reason(
    registered: Collection[str], delivered: Collection[str], attempts_wanted: int, *, is_exhausted: bool
) -> CompletionReason | None:
    """Return why the search is complete by what was delivered; None while attempts or deliveries are outstanding.

    Every registered download must have delivered, those that are no search attempts included.
    """
    if not set(registered) <= set(delivered):
        return None
    if sum(map(is_search_attempt, set(registered))) >= attempts_wanted:
        return CompletionReason.DELIVERED
    return CompletionReason.ATTEMPTS_EXHAUSTED if is_exhausted else None


def delivery_reason_expression(goal: str, attempts_wanted: int, delivered: Any = None) -> dict[str, Any]:
    """Return the expression for `find_delivery_reason`; it yields the reason's value or null.

    `goal` is a variable such as "$$event"; `delivered`, if given, replaces the goal's set of deliveries.
    """
    registered = {"$setUnion": [{"$ifNull": [f"{goal}._download_workflows", []]}, []]}
    deliveries = {"$ifNull": [f"{goal}._delivered_workflows", []]} if delivered is None else delivered
    has_enough = {"$gte": [{"$size": search_attempts_expression(registered)}, attempts_wanted]}
    is_exhausted = {"$eq": [f"{goal}._search_state.state", SEARCH_EXHAUSTED]}
    exhausted = {"$cond": [is_exhausted, CompletionReason.ATTEMPTS_EXHAUSTED.value, None]}
    reason = {"$cond": [has_enough, CompletionReason.DELIVERED.value, exhausted]}
    return {"$cond": [{"$setIsSubset": [registered, deliveries]}, reason, None]}


def needs_scratch_files(stored: Mapping[str, Any]) -> bool:
    """Whether a download may still need the scratch files of a stored goal: its search is open, a registered download
    has not delivered (one may be added by hand after the search is complete), or a link will be tried again.
    """
    goal = cast(GoalDocument, stored)
    outstanding = set(goal.get("_download_workflows") or ()) - set(goal.get("_delivered_workflows") or ())
    return not goal.get("_download_complete") or bool(outstanding) or bool(goal.get("_open_links"))
