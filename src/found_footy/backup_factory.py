"""Builds the object stores that a backup holds, from settings."""

from contextlib import AsyncExitStack

from found_footy.app import build_object_store
from found_footy.keep.backup import CLIP_STORE
from found_footy.platform.objects import ObjectStore
from found_footy.settings import Settings
from found_footy.uploads_factory import build_uploads_store


def open_backup_stores(settings: Settings, stack: AsyncExitStack) -> dict[str, ObjectStore]:
    """Open the stores of clips and of organizations' images, by the names that backups give them."""
    stores = {CLIP_STORE: build_object_store(settings.objects)}
    if settings.uploads.enabled:
        stores["uploads"] = build_uploads_store(settings)
    for one in stores.values():
        stack.push_async_callback(one.aclose)
    return stores
