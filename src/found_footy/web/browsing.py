"""The components of one web process by which people browse: days, teams, players, search, figures."""

import asyncio
from dataclasses import dataclass

from found_footy.views.browse_reader import BrowseReader
from found_footy.views.browse_store import BrowseStore
from found_footy.views.catalogue import NameCatalogue
from found_footy.views.fixture_views import FixtureView, StoredFixture, build_fixture_view
from found_footy.views.source_store import SourceStore
from found_footy.views.source_views import SourceView
from found_footy.views.stats import StatsView, build_stats
from found_footy.views.stats_store import StatsStore
from found_footy.web.deps import WebDeps
from found_footy.web.shared_reading import SharedReading


@dataclass(frozen=True)
class BrowsingState:
    """`catalogue` has the names of teams and players, `stats` the figures, `sources` how each source does."""

    reader: BrowseReader
    store: BrowseStore
    catalogue: SharedReading[NameCatalogue]
    stats: SharedReading[StatsView]
    sources: SharedReading[tuple[SourceView, ...]]

    @classmethod
    def from_deps(cls, deps: WebDeps) -> "BrowsingState":
        def build_view(stored: StoredFixture) -> FixtureView:
            return build_fixture_view(stored, attempts_wanted=deps.attempts_wanted)

        store, figures, settings = BrowseStore(deps.database), StatsStore(deps.database), deps.settings

        async def read_stats() -> StatsView:
            fixtures, yields = await figures.list_for_stats(), await figures.count_candidates()
            return await asyncio.to_thread(build_stats, fixtures, yields)

        async def read_sources() -> tuple[SourceView, ...]:
            return await SourceStore(deps.database).read_sources(deps.clock())

        return cls(
            BrowseReader(store, build_view),
            store,
            SharedReading(store.read_catalogue, settings.page_reuse),
            SharedReading(read_stats, settings.stats_reuse),
            SharedReading(read_sources, settings.stats_reuse),
        )
