"""How a workflow learns what a team is called: cache, else the sources, and remember."""

from collections.abc import Awaitable, Callable

from temporalio import workflow
from temporalio.exceptions import ActivityError

with workflow.unsafe.imports_passed_through():
    from found_footy.discovery.aliases import offline_aliases
    from found_footy.discovery.messages import SaveAliases, TeamAliases, TeamRef
    from found_footy.discovery.policies import GET_ALIASES, GET_ALIASES_NOW, GET_CACHED_ALIASES, SAVE_ALIASES
    from found_footy.model.handoff import Goal, ResolveAliases, aliases_queue
    from found_footy.model.nations import is_nation
    from found_footy.platform.logs import ActionLogger
    from found_footy.platform.temporal import cause_of, is_cancellation

LookUp = Callable[[], Awaitable[TeamAliases]]

log = ActionLogger(__name__)


async def resolved_ahead(team: ResolveAliases) -> TeamAliases:
    """What the team is called, asked for before a goal needs it. What expires soon is asked for again."""
    queue = aliases_queue(workflow.info().task_queue)
    return await _resolved(team, TeamRef(team.team_id, ahead=True), lambda: GET_ALIASES(team, queue=queue))


async def resolved_for(goal: Goal) -> TeamAliases:
    """What the team of a goal is called, now. If nobody has said whether it is a national team or of which country it
    is, the answer may be a namesake's: it serves this goal alone and is not kept.
    """
    known = goal.national is not None
    national = bool(goal.national) if known else is_nation(goal.team_name)
    team = ResolveAliases(goal.team_id, goal.team_name, goal.country, national)
    return await _resolved(team, TeamRef(team.team_id), lambda: GET_ALIASES_NOW(team), keep=known)


async def _resolved(team: ResolveAliases, cached: TeamRef, look_up: LookUp, *, keep: bool = True) -> TeamAliases:
    """Never empty, never failing: without store and sources, the rules still answer."""
    try:
        return await _looked_up(team, cached, look_up, keep=keep)
    except ActivityError as error:
        if is_cancellation(error):
            raise
        cause = cause_of(error)
        log.warning(
            "aliases of %s without asking anybody: %s",
            team.team_name,
            cause,
            action="aliases_by_rules",
            team_id=team.team_id,
        )
        return offline_aliases(team)


async def _looked_up(team: ResolveAliases, cached: TeamRef, look_up: LookUp, *, keep: bool) -> TeamAliases:
    known = await GET_CACHED_ALIASES(cached)
    if known.aliases:
        return known
    found = await look_up()
    if keep:
        await SAVE_ALIASES(SaveAliases(team, found))
    return found
