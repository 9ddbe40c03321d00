"""The page as shipped, in a process of its own, goes on beside idle connections and reloads."""

from pathlib import Path

from bench.page_load import Load, may_open, measure, page_process, renders, seed
from found_footy.embedded.endpoints import Endpoints
from found_footy.platform.mongo import Database

IDLE = 1100
# Figures of a quiet machine are two orders of magnitude smaller.
LONGEST_SECONDS = 30.0


async def test_idle_connections_and_reloads_do_not_stop_the_page(
    platform: Endpoints, database: Database, tmp_path: Path
) -> None:
    may_open(IDLE + 500)
    async with page_process(platform, database.name, tmp_path) as page:
        await seed(database, 150)
        before = await renders(page)
        result = await measure(page, database, Load(seconds=6, idle=IDLE, reloads=15))
        made = await renders(page) - before
    assert result.wrong == []
    assert len(result.health) >= 2
    assert max(result.health) < LONGEST_SECONDS
    # The live stream told every change, and nobody's reload made a page of its own.
    assert result.told
    assert made < len(result.pages) / 2
