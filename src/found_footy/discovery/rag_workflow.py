"""RAGWorkflow: resolves a team's aliases before a goal needs them."""

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from found_footy.discovery.aliases.resolve import prefetch_aliases
    from found_footy.discovery.messages import TeamAliases
    from found_footy.domain.messages import RAG_WORKFLOW, ResolveAliases


@workflow.defn(name=RAG_WORKFLOW)
class RAGWorkflow:
    @workflow.run
    async def run(self, team: ResolveAliases) -> TeamAliases:
        return await prefetch_aliases(team)
