"""How a workflow learns what a team is called: cache, else the sources, and remember."""

from temporalio import workflow
from temporalio.exceptions import ActivityError

with workflow.unsafe.imports_passed_through():
    from found_footy.discovery.aliases import rule_aliases
    from found_footy.discovery.messages import AliasSource, SaveAliases, TeamAliases, TeamRef
    from found_footy.discovery.policies import GET_ALIASES, GET_CACHED_ALIASES, SAVE_ALIASES
    from found_footy.model.handoff import ResolveAliases
    from found_footy.platform.temporal import Step, cause_of, is_cancellation


async def resolved(team: ResolveAliases, step: Step[ResolveAliases, TeamAliases] = GET_ALIASES) -> TeamAliases:
    """What the team is called. Never empty, never failing: without store and sources, the rules still answer."""
    try:
        return await _looked_up(team, step)
    except ActivityError as error:
        if is_cancellation(error):
            raise
        workflow.logger.warning("aliases of %s by rules only: %s", team.team_name, cause_of(error))
        return TeamAliases(rule_aliases(team.team_name), AliasSource.RULES)


async def _looked_up(team: ResolveAliases, step: Step[ResolveAliases, TeamAliases]) -> TeamAliases:
    cached = await GET_CACHED_ALIASES(TeamRef(team.team_id))
    if cached.aliases:
        return cached
    found = await step(team)
    await SAVE_ALIASES(SaveAliases(team, found))
    return found
