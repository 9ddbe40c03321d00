"""Loads one goal with its proof and its history, for its page and the JSON API."""

from http import HTTPStatus

from found_footy.domain.goals import resolve_event_id
from found_footy.domain.ids import parse_fixture_id
from found_footy.views.fixture_views import FixtureView, GoalView
from found_footy.views.goal_store import GoalReadStore
from found_footy.views.goal_views import GoalDetailsView, build_goal_details
from found_footy.web.page_cache import PageNotShown
from found_footy.web.problems import ProblemError
from found_footy.web.state import WebState

_UNKNOWN_GOAL_MESSAGE = "This goal is not, or no longer, stored here."


class GoalMoved(PageNotShown):
    """The goal was re-attributed and has another id now."""

    def __init__(self, event_id: str) -> None:
        super().__init__(event_id)
        self.event_id = event_id


async def load_goal(web: WebState, event_id: str) -> tuple[FixtureView, GoalView]:
    """The goal with this id, also an old one, and its fixture. Raises ProblemError for one that is not stored."""
    stored = await web.store.get_fixture(parse_fixture_id(event_id))
    match = web.build_view(stored) if stored else None
    goal = _find_goal(match.goals, resolve_event_id(stored.document, event_id)) if stored and match else None
    if match is None or goal is None:
        raise ProblemError(HTTPStatus.NOT_FOUND, _UNKNOWN_GOAL_MESSAGE)
    return match, goal


async def load_goal_details(web: WebState, event_id: str) -> GoalDetailsView:
    """Raises GoalMoved for an old id, and ProblemError for one that is not stored."""
    match, goal = await load_goal(web, event_id)
    if goal.event_id != event_id:
        raise GoalMoved(goal.event_id)
    event = await GoalReadStore(web.deps.database).get_goal_document(match.fixture_id, event_id)
    return build_goal_details(match, goal, event or {"_event_id": event_id})


def _find_goal(goals: tuple[GoalView, ...], event_id: str) -> GoalView | None:
    exact = next((one for one in goals if one.event_id == event_id), None)
    return exact or next((one for one in goals if one.moved_from == event_id), None)
