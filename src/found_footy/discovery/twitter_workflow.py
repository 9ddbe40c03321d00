"""TwitterWorkflow: searches for one goal until enough attempts were made, the goal is removed, or the limits are
reached.
"""

from dataclasses import replace
from datetime import datetime, timedelta

from temporalio import workflow
from temporalio.exceptions import ActivityError

with workflow.unsafe.imports_passed_through():
    from found_footy.discovery.aliases.combine import add_aliases, opponent_names
    from found_footy.discovery.aliases.resolve import resolve_goal_aliases
    from found_footy.discovery.candidates.download_ids import extra_download_id
    from found_footy.discovery.candidates.selection import drop_posted_before
    from found_footy.discovery.messages import (
        BuildSearch,
        GoalSearchProgress,
        RecordSearchState,
        RunSearch,
        SaveCandidates,
        SearchAnswer,
        SearchData,
        SearchState,
        SearchSummary,
        StartDownload,
    )
    from found_footy.discovery.steps import EXHAUSTED_SEARCH_OPTIONS, DiscoverySteps, DownloadStartSteps
    from found_footy.domain.ids import download_workflow_id, is_search_attempt
    from found_footy.domain.messages import (
        TWITTER_WORKFLOW,
        ClipBatch,
        ClipCandidate,
        DownloadClips,
        SearchGoal,
    )
    from found_footy.goal_steps import GoalCompletionSteps, GoalProofSteps
    from found_footy.platform.logs import ActionLogger
    from found_footy.platform.temporal.client import describe_root_cause, is_cancellation
    from found_footy.platform.temporal.steps import run_step

# Pauses use no attempt, so they have a limit of their own: at the usual spacing this is the hour a goal has.
MAX_PAUSES = 60
# A download registers within a second; the limit is for one that cannot.
MAX_REGISTRATION_CHECKS = 60
_MAX_RETRY_AFTER = timedelta(minutes=15)
# The feed is usually a minute or two late, so a goal was scored that long before it was first seen.
FEED_DELAY = timedelta(minutes=2)

logger = ActionLogger(__name__)


@workflow.defn(name=TWITTER_WORKFLOW)
class TwitterWorkflow:
    def __init__(self) -> None:
        self._attempts = 0
        self._pauses = 0
        self._paused = False
        self._last_download = ""
        self._searched_until: dict[str, datetime] = {}

    @workflow.run
    async def run(self, search: SearchGoal) -> SearchSummary:
        self._goal, self._pace = search.goal, search.pace
        if not await run_step(DiscoverySteps.set_monitor_complete, self._goal):
            return self._summarize(SearchState.FINISHED, removed=True)
        await run_step(GoalProofSteps.rejudge_match_clips, self._goal)
        aliases = (await resolve_goal_aliases(self._goal)).aliases
        self._goal = add_aliases(self._goal, aliases)
        while not self._is_over((data := await self._load_search_data(aliases)).progress):
            self._update_goal(data)
            await self._run_attempt(data)
        return await self._conclude_search(data.progress)

    async def _load_search_data(self, aliases: tuple[str, ...]) -> SearchData:
        """The goal as stored, once the last download has registered: until then it would look like a lost attempt, and
        a search that ends would look as if no download were running.
        """
        build = BuildSearch(self._goal, aliases)
        data = await run_step(DiscoverySteps.get_twitter_search_data, build)
        for _ in range(MAX_REGISTRATION_CHECKS):
            if not data.progress.exists or self._last_download in ("", *data.progress.registered):
                break
            await workflow.sleep(self._pace.attempt_min_wait)
            data = await run_step(DiscoverySteps.get_twitter_search_data, build)
        return data

    def _is_over(self, progress: GoalSearchProgress) -> bool:
        self._attempts = max(self._attempts, progress.attempts)
        return not progress.exists or progress.complete or self._has_enough_attempts(progress) or self._is_exhausted()

    def _has_enough_attempts(self, progress: GoalSearchProgress) -> bool:
        return self._count_missing_attempts(progress) <= 0

    def _count_missing_attempts(self, progress: GoalSearchProgress) -> int:
        return self._pace.attempts_wanted - sum(map(is_search_attempt, progress.registered))

    def _is_exhausted(self) -> bool:
        return self._attempts >= self._pace.attempts_limit or self._pauses >= MAX_PAUSES

    async def _run_attempt(self, data: SearchData) -> None:
        """One attempt or one pause, and the wait after it."""
        started, attempt = workflow.now(), data.progress.attempts + 1
        answer = await self._run_search(data)
        self._record_searched_until(answer)
        if answer.state is SearchState.SEARCHING:
            download_id = download_workflow_id(self._goal.slug, self._goal.event_id, attempt)
            await self._save_and_download(attempt, download_id, data, answer, started)
        else:
            await self._pause(answer)
            await self._download_extra(data, answer, started)
        await self._wait_for_next_attempt(started, answer)

    def _update_goal(self, data: SearchData) -> None:
        """The feed often fills in added time later, and clips are checked by their clock and their score; further goals
        are scored meanwhile. Ids do not change.
        """
        if data.elapsed is not None:
            self._goal = replace(
                self._goal,
                elapsed=data.elapsed,
                extra=data.extra,
                score_before=data.score_before,
                score_after=data.score_after,
                other_goals=data.other_goals,
            )

    def _record_searched_until(self, answer: SearchAnswer) -> None:
        """Record when each source was searched; an incomplete one is searched for the same period again."""
        if (asked_at := answer.asked_at) is not None:
            done = (source for source in answer.answered if source not in answer.incomplete_sources)
            self._searched_until |= dict.fromkeys(done, asked_at)

    async def _run_search(self, data: SearchData) -> SearchAnswer:
        """Search each source for everything since it last answered, so that its outage hides nothing; at first for
        everything since the goal was scored. These are absolute times: a delayed search still reaches back to them.
        """
        run = RunSearch(
            data.query,
            self._goal_time - FEED_DELAY,
            self._pace.search_window,
            data.known_urls,
            data.names,
            data.teams,
            self._searched_until,
            self._attempts,
            self._goal.first_seen,
            self._goal.event_id,
            opponent_names(self._goal),
        )
        try:
            return self._drop_older_videos(await run_step(DiscoverySteps.execute_twitter_search, run))
        except ActivityError as error:
            if is_cancellation(error):
                raise
            return SearchAnswer(SearchState.UNAVAILABLE, detail=describe_root_cause(error))

    @property
    def _goal_time(self) -> datetime:
        return self._goal.scored_at or self._goal.first_seen

    def _drop_older_videos(self, answer: SearchAnswer) -> SearchAnswer:
        """Drop posts from before the goal. Its time is known to a few minutes only, so the margin is as long as a goal
        is searched for; older posts show another goal, maybe one of last week in the same minute.
        """
        pace = self._pace
        earliest = self._goal_time - pace.search_window - pace.attempts_wanted * pace.attempt_spacing
        return replace(answer, videos=drop_posted_before(answer.videos, earliest))

    async def _save_and_download(
        self, attempt: int, download_id: str, data: SearchData, answer: SearchAnswer, started: datetime
    ) -> None:
        """An attempt is counted by the download that registers itself; one without any candidate is counted as it is
        saved, except the last one: its delivery lets the archive complete the goal.
        """
        is_last = self._count_missing_attempts(data.progress) <= 1
        sources = {**dict.fromkeys(answer.answered, "answered"), **answer.failed}
        taken = await run_step(
            DiscoverySteps.save_discovered_videos,
            SaveCandidates(
                self._goal,
                attempt,
                download_id,
                data.query,
                data.teams,
                started,
                started + self._pace.retry_first,
                answer.videos,
                sources,
                self._pace.clips_per_attempt,
                data.form,
                needs_download=is_last or not attempt,
            ),
        )
        self._log_search(data, answer, attempt, taken.videos)
        if not taken.exists:
            return
        if answer.state is SearchState.SEARCHING:
            await self._resume()
        if taken.videos or (attempt and is_last):
            await self._start_download(attempt, download_id, taken.videos)

    def _log_search(
        self, data: SearchData, answer: SearchAnswer, attempt: int, videos: tuple[ClipCandidate, ...]
    ) -> None:
        found, new = len(answer.videos), len({video.url for video in answer.videos} - set(data.known_urls))
        logger.info(
            "search %d: %d videos found, %d new, %d taken",
            attempt,
            found,
            new,
            len(videos),
            action="searched",
            query=data.query,
            form=data.form,
            sources=answer.answered,
            failed=answer.failed,
            found=found,
            new=new,
            taken=[video.url for video in videos],
        )

    async def _download_extra(self, data: SearchData, answer: SearchAnswer, started: datetime) -> None:
        """What other sources found while the main one pauses is fetched at once, and does not count as an attempt."""
        if answer.videos:
            names = (workflow.info().run_id, str(self._pauses))
            extra_id = extra_download_id(self._goal.slug, self._goal.event_id, names)
            await self._save_and_download(0, extra_id, data, answer, started)

    async def _start_download(self, attempt: int, download_id: str, videos: tuple[ClipCandidate, ...]) -> None:
        work = DownloadClips(self._goal, self._pace, attempt, videos)
        await run_step(DownloadStartSteps.start_download_workflow, StartDownload(download_id, work))
        self._last_download = download_id

    async def _pause(self, answer: SearchAnswer) -> None:
        self._pauses += 1
        self._paused = True
        logger.warning(
            "search pauses: %s (%s)", answer.state, answer.detail, action="search_paused", state=answer.state
        )
        await run_step(DiscoverySteps.record_search_state, RecordSearchState(self._goal, answer.state, answer.detail))

    async def _resume(self) -> None:
        """After a pause, record that the search goes on."""
        if self._paused:
            self._paused = False
            await run_step(DiscoverySteps.record_search_state, RecordSearchState(self._goal, SearchState.SEARCHING))

    async def _wait_for_next_attempt(self, started: datetime, answer: SearchAnswer) -> None:
        """Wait until the spacing since the start of the attempt has passed, at least the minimum; longer if a source
        asked for it.
        """
        spacing = started + self._pace.attempt_spacing - workflow.now()
        requested = timedelta(seconds=min(answer.retry_after_seconds or 0.0, _MAX_RETRY_AFTER.total_seconds()))
        await workflow.sleep(max(spacing, self._pace.attempt_min_wait, requested))

    async def _conclude_search(self, progress: GoalSearchProgress) -> SearchSummary:
        if not progress.exists:
            return self._summarize(SearchState.FINISHED, removed=True)
        if self._has_enough_attempts(progress) or progress.complete:
            await run_step(DiscoverySteps.record_search_state, RecordSearchState(self._goal, SearchState.FINISHED))
            return self._summarize(SearchState.FINISHED)
        detail = f"{self._attempts} attempts, {self._pauses} pauses"
        await run_step(DiscoverySteps.record_search_state, RecordSearchState(self._goal, SearchState.EXHAUSTED, detail))
        await run_step(
            GoalCompletionSteps.check_and_mark_download_complete,
            ClipBatch(self._goal, self._pace, download_id=""),
            options=EXHAUSTED_SEARCH_OPTIONS,
        )
        return self._summarize(SearchState.EXHAUSTED)

    def _summarize(self, state: SearchState, *, removed: bool = False) -> SearchSummary:
        why = "the goal is removed, or its match is archived" if removed else state.value
        fields = {"state": state, "removed": removed, "searches": self._attempts}
        logger.info("search ends: %s", why, action="search_ended", **fields)
        return SearchSummary(state, self._attempts, removed)
