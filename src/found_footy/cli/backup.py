"""`found-footy backup`"""

from contextlib import AsyncExitStack
from pathlib import Path
from typing import Annotated

import typer

from found_footy.backup_factory import open_backup_stores
from found_footy.cli import console
from found_footy.keep.backup import BackupWriter, count_entries
from found_footy.keep.schema import SCHEMA_VERSION
from found_footy.keep.store import BackupStore
from found_footy.platform import mongo
from found_footy.platform.clock import utc_now
from found_footy.platform.settings.groups import format_bytes
from found_footy.platform.version import build_info
from found_footy.settings import Settings, load_settings


def command(
    folder: Annotated[Path, typer.Argument(help="Folder to create.")],
    objects: Annotated[bool, typer.Option("--objects", help="Include clips and images, not only records.")] = False,
) -> int:
    """Back up the records, and with --objects the stored files, while everything goes on running."""
    settings = load_settings().settings
    return console.run_coroutine(lambda: write_backup(settings, folder, with_objects=objects))


async def write_backup(settings: Settings, folder: Path, *, with_objects: bool) -> int:
    async with (
        mongo.connect(settings.mongo.uri, settings.mongo.database, timeout=settings.mongo.timeout) as database,
        AsyncExitStack() as stack,
    ):
        stores = open_backup_stores(settings, stack) if with_objects else {}
        writer = BackupWriter(BackupStore(database), stores, SCHEMA_VERSION, str(build_info()))
        manifest = await writer.write(folder, utc_now())
    size = sum(file.bytes for file in manifest.collections.values())
    words = f"{count_entries(manifest.collections.values())} records ({format_bytes(size)})"
    if manifest.objects:
        words += f", {manifest.objects.entries} objects"
    console.out.print(f"{folder}: {words}", markup=False, highlight=False, soft_wrap=True)
    if manifest.missing:
        console.err.print(
            f"{len(manifest.missing)} objects that records name are not in the store: `found-footy integrity`",
            style="yellow",
        )
    return console.OK
