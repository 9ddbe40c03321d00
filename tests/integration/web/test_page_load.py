"""The page as shipped, in a process of its own, goes on beside idle connections and reloads."""

from pathlib import Path

from bench.page_load import Door, Load, may_open, measure, page_process, renders, seed
from found_footy.embedded.endpoints import PlatformEndpoints
from found_footy.platform.free_port import find_free_port
from found_footy.platform.mongo import Database

IDLE = 1100


async def test_idle_connections_and_reloads_do_not_stop_the_page(
    platform: PlatformEndpoints, database: Database, tmp_path: Path
) -> None:
    may_open(IDLE + 500)
    figures = find_free_port()
    async with page_process(platform, database.name, tmp_path, FOOTY_WEB__METRICS_PORT=str(figures)) as page:
        await seed(database, 150)
        before = await renders(page)
        result = await measure(page, database, Load(seconds=6, idle=IDLE, reloads=8, reopen=5, health=2))
        made = await renders(page) - before
        # The figures are told to strangers on a port of their own alone, where one is set.
        assert [(await door.get("/metrics"))[0] for door in (page, Door(figures))] == [401, 200]
    # On a machine that has hardly any time for the page some may be turned away, and no more than that.
    assert len(result.health) >= 2, result.wrong
    assert len(result.wrong) < len(result.pages), result.wrong
    # The live stream goes on, and nobody's reload made a page of its own.
    assert result.reported
    assert made < len(result.pages) / 2
