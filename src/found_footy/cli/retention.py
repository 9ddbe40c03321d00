"""`found-footy retention`"""

from contextlib import AsyncExitStack
from typing import Annotated

import typer

from found_footy import app
from found_footy.cli import console
from found_footy.fixtures.lifecycle.retention import RetentionSweeper
from found_footy.fixtures.lifecycle.retention_rules import ExpiredFixture, RetentionLimits
from found_footy.fixtures.lifecycle.retention_store import RetentionStore
from found_footy.fixtures.messages import CleanUpFixturesInput
from found_footy.platform import mongo
from found_footy.platform.clock import utc_now
from found_footy.platform.settings.groups import format_bytes
from found_footy.settings import Settings, load_settings


def command(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only list what would be deleted, and how much space that frees.")
    ] = False,
) -> int:
    """Delete matches that are older or take more space than the settings allow, as the daily clean-up does."""
    settings = load_settings().settings
    return console.run_coroutine(lambda: apply_retention(settings, dry_run=dry_run))


async def apply_retention(settings: Settings, *, dry_run: bool) -> int:
    fixtures = settings.fixtures
    limits = RetentionLimits(fixtures.retention, fixtures.retention_bytes)
    async with (
        mongo.connect(settings.mongo.uri, settings.mongo.database, timeout=settings.mongo.timeout) as database,
        AsyncExitStack() as stack,
    ):
        objects = app.build_object_store(settings.objects)
        stack.push_async_callback(objects.aclose)
        sweeper = RetentionSweeper(RetentionStore(database), objects, utc_now)
        if dry_run:
            expired = await sweeper.find_expired(limits)
            _print_expired(expired, await sweeper.measure_expired(expired))
        else:
            request = CleanUpFixturesInput(fixtures.retention, fixtures.removed_clips_for, fixtures.retention_bytes)
            result = await sweeper.clean_up_fixtures(request, lambda _: None)
            console.out.print(f"deleted {result.fixtures} matches and {result.objects} objects", highlight=False)
    return console.OK


def _print_expired(expired: list[ExpiredFixture], size: int) -> None:
    for one in expired:
        fixture = one.fixture
        text = f"{fixture.fixture_id}  {fixture.since:%Y-%m-%d %H:%M}  {one.reason.value}"
        console.out.print(text, markup=False, highlight=False)
    console.out.print(f"{len(expired)} matches would be deleted, {format_bytes(size)} freed", highlight=False)
