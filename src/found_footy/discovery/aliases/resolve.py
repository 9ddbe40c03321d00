"""Resolves a team's aliases in a workflow: from the cache, else from the sources, then caches them."""

from collections.abc import Awaitable, Callable

from temporalio import workflow
from temporalio.exceptions import ActivityError

with workflow.unsafe.imports_passed_through():
    from found_footy.discovery.aliases.combine import offline_aliases
    from found_footy.discovery.messages import SaveAliases, TeamAliases, TeamRef
    from found_footy.discovery.steps import ALIASES_NOW_OPTIONS, DiscoverySteps
    from found_footy.domain.messages import Goal, ResolveAliases, aliases_queue_name
    from found_footy.domain.national_teams import is_national_team
    from found_footy.platform.logs import ActionLogger
    from found_footy.platform.temporal.client import describe_root_cause, is_cancellation
    from found_footy.platform.temporal.steps import run_step

AliasLookup = Callable[[], Awaitable[TeamAliases]]

logger = ActionLogger(__name__)


async def prefetch_aliases(team: ResolveAliases) -> TeamAliases:
    """Resolve aliases before a goal needs them. Those that expire soon are looked up again."""
    queue = aliases_queue_name(workflow.info().task_queue)
    return await _resolve_with_fallback(
        team,
        TeamRef(team.team_id, prefetch=True),
        lambda: run_step(DiscoverySteps.get_team_aliases, team, task_queue=queue),
    )


async def resolve_goal_aliases(goal: Goal) -> TeamAliases:
    """Resolve the aliases of a goal's team now. If it is unknown whether it is a national team or of which country it
    is, the result may belong to another team of that name: it is used for this goal only and not cached.
    """
    known = goal.national is not None
    national = bool(goal.national) if known else is_national_team(goal.team_name)
    team = ResolveAliases(goal.team_id, goal.team_name, goal.country, national)
    return await _resolve_with_fallback(
        team,
        TeamRef(team.team_id),
        lambda: run_step(DiscoverySteps.get_team_aliases, team, options=ALIASES_NOW_OPTIONS),
        keep=known,
    )


async def _resolve_with_fallback(
    team: ResolveAliases, cached: TeamRef, look_up: AliasLookup, *, keep: bool = True
) -> TeamAliases:
    """Never empty and never failing: without store and sources, the built-in table and the rules answer."""
    try:
        return await _load_or_look_up(team, cached, look_up, keep=keep)
    except ActivityError as error:
        if is_cancellation(error):
            raise
        cause = describe_root_cause(error)
        logger.warning(
            "aliases of %s from the built-in table and rules only: %s",
            team.team_name,
            cause,
            action="aliases_by_rules",
            team_id=team.team_id,
        )
        return offline_aliases(team)


async def _load_or_look_up(team: ResolveAliases, cached: TeamRef, look_up: AliasLookup, *, keep: bool) -> TeamAliases:
    known = await run_step(DiscoverySteps.get_cached_team_aliases, cached)
    if known.aliases:
        return known
    found = await look_up()
    if keep:
        await run_step(DiscoverySteps.save_team_aliases, SaveAliases(team, found))
    return found
