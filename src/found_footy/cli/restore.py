"""`found-footy restore`"""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Annotated

import typer

from found_footy.backup_factory import open_backup_stores
from found_footy.cli import console
from found_footy.keep.backup import count_entries
from found_footy.keep.restore import BackupRestorer, VerifiedBackup, verify_backup
from found_footy.keep.schema import SCHEMA_VERSION
from found_footy.keep.store import BackupStore
from found_footy.platform import mongo
from found_footy.platform.clock import utc_now
from found_footy.settings import Settings, load_settings


def command(
    folder: Annotated[Path, typer.Argument(help="Folder that `found-footy backup` wrote.")],
    verify_only: Annotated[bool, typer.Option("--verify", help="Only verify the backup.")] = False,
    allow_missing: Annotated[
        bool, typer.Option("--allow-missing", help="Restore although objects of clips are missing.")
    ] = False,
) -> int:
    """Verify a backup, and restore it into an empty database and an empty bucket."""
    settings = load_settings().settings
    return console.run_coroutine(
        lambda: restore_backup(settings, folder, verify_only=verify_only, allow_missing=allow_missing)
    )


async def restore_backup(settings: Settings, folder: Path, *, verify_only: bool, allow_missing: bool) -> int:
    backup = await asyncio.to_thread(verify_backup, folder, SCHEMA_VERSION)
    _print_contents(backup)
    if verify_only:
        return console.OK
    async with (
        mongo.connect(settings.mongo.uri, settings.mongo.database, timeout=settings.mongo.timeout) as database,
        AsyncExitStack() as stack,
    ):
        stores = open_backup_stores(settings, stack)
        for store in stores.values():
            await store.ensure_bucket()
        await BackupRestorer(BackupStore(database), stores).restore(backup, utc_now(), allow_missing=allow_missing)
    console.out.print("restored; `found-footy integrity --deep` compares records and files", highlight=False)
    return console.OK


def _print_contents(backup: VerifiedBackup) -> None:
    manifest = backup.manifest
    objects = f"{manifest.objects.entries} objects" if manifest.objects else "no objects"
    words = f"{count_entries(manifest.collections.values())} records and {objects}"
    made = f"{manifest.created_at:%Y-%m-%d %H:%M} UTC"
    console.out.print(f"verified: {words} of {made}", markup=False, highlight=False, soft_wrap=True)
