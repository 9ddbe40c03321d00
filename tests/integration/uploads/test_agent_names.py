"""Names as people and hostile programs choose them: each is stored, told, listed and deleted as the one it is."""

import unicodedata
from collections.abc import AsyncIterator
from uuid import uuid4

import pytest
from temporalio.client import Client

from found_footy.domain.messages import TaskQueues
from found_footy.domain.uploads import find_name_fault
from found_footy.platform import objects as object_store
from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore
from found_footy.uploads.messages import ReconcileReport, ReconcileUploads
from tests.support.uploads.agent_services import UploadServices, open_uploads, paint

NAMES = (
    "a b.png",
    " a.png ",
    "a+b.png",
    "a%2Fb.png",
    "a%41.png",
    "a?b=c&d.png",
    "a#b.png",
    "a;b,c.png",
    "a'\"<b>.png",
    "a*~|^`{}[]().png",
    "..a",
    "a..",
    ".a",
    "a.",
    "-a",
    "_none",
    unicodedata.normalize("NFC", "é.png"),
    unicodedata.normalize("NFD", "é.png"),
    "日本語.png",
    "🥅⚽.png",
    "\u202egpj.a",
    "\u200b.png",
    "\u00a0.png",
    "\ufeffa.png",
    "\ue000.png",
    "\ufffe.png",
    "a\uffff",
    "x" * 255,
    "é" * 127,
)


@pytest.fixture
async def uploads(
    database: Database, objects: ObjectStore, temporal: Client, queues: TaskQueues
) -> AsyncIterator[UploadServices]:
    async with open_uploads(database, objects, temporal, queues) as services:
        yield services


async def test_a_name_of_any_characters_is_the_same_in_store_listing_and_row(uploads: UploadServices) -> None:
    assert [name for name in NAMES if find_name_fault(name)] == []
    for name in NAMES:
        await uploads.put(name, paint("red"))
        assert await uploads.objects.head(uploads.key(name)) is not None, repr(name)
    listed = {found.key async for found in uploads.objects.list()}
    assert listed == {uploads.key(name) for name in NAMES}
    assert await uploads.reconciler.reconcile(ReconcileUploads()) == ReconcileReport(
        listed=len(NAMES), missing=len(NAMES)
    )
    assert await uploads.reconciler.reconcile(ReconcileUploads()) == ReconcileReport(listed=len(NAMES))
    for name in NAMES:
        assert await uploads.agent().delete(name), repr(name)
        assert (await uploads.row(name))["deletedAt"] is not None, repr(name)
    assert [found.key async for found in uploads.objects.list()] == []


async def test_organizations_whose_ids_begin_alike_are_listed_apart_across_pages(
    uploads: UploadServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(object_store, "_PAGE_SIZE", 2)
    prefix = f"a{uuid4().hex}"
    for organization_id in (prefix, f"{prefix}-b", f"{prefix}0"):
        for number in range(3):
            await uploads.put(f"{number}.png", paint("red"), organization_id)
    assert await uploads.reconciler.reconcile(ReconcileUploads()) == ReconcileReport(listed=9, missing=9)
    assert await uploads.reconciler.reconcile(ReconcileUploads()) == ReconcileReport(listed=9)
