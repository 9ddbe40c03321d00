"""The decoded image between two steps: one that is gone or damaged is made again, and not for ever."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from temporalio.client import Client

from found_footy.domain.messages import TaskQueues
from found_footy.domain.uploads import PREPARED_PREFIX
from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore
from found_footy.uploads.organization_workflow import MAX_ROUNDS, SYSTEM_FAILURE
from tests.support.uploads.agent_services import UploadServices, open_uploads, running_uploads_worker


@pytest.fixture
async def uploads(
    database: Database, objects: ObjectStore, temporal: Client, queues: TaskQueues
) -> AsyncIterator[UploadServices]:
    async with open_uploads(database, objects, temporal, queues) as services:
        yield services


def spoil_decoded_images(
    uploads: UploadServices, monkeypatch: pytest.MonkeyPatch, times: int, damage: bytes | None = None
) -> list[str]:
    """Delete what is stored for the classifier, or put `damage` in its place; the keys, as often as it was stored."""
    put, stored_keys = uploads.objects.put_bytes, list[str]()

    async def put_and_spoil(key: str, data: bytes, **more: Any) -> Any:
        stored = await put(key, data, **more)
        if key.startswith(PREPARED_PREFIX):
            stored_keys.append(key)
            if len(stored_keys) <= times:
                await (uploads.objects.delete(key) if damage is None else put(key, damage, **more))
        return stored

    monkeypatch.setattr(uploads.objects, "put_bytes", put_and_spoil)
    return stored_keys


@pytest.mark.parametrize("damage", [None, b"", b"RGB1", b"\x93NUMPY"], ids=["gone", "empty", "cut", "another"])
async def test_a_decoded_image_that_is_gone_or_damaged_is_made_again(
    uploads: UploadServices, monkeypatch: pytest.MonkeyPatch, damage: bytes | None
) -> None:
    stored_keys = spoil_decoded_images(uploads, monkeypatch, 1, damage)
    async with running_uploads_worker(uploads):
        await uploads.upload("hero.png", "red")
        assert (await uploads.settled("hero.png"))["classificationLabel"] == "red"
    assert len(stored_keys) == 2


async def test_a_decoded_image_that_is_gone_each_time_is_a_fault_of_ours(
    uploads: UploadServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored_keys = spoil_decoded_images(uploads, monkeypatch, MAX_ROUNDS)
    async with running_uploads_worker(uploads):
        await uploads.upload("hero.png", "red")
        row = await uploads.settled("hero.png", "failed")
    assert (row["error"], row["errorKind"]) == (SYSTEM_FAILURE, "system")
    assert len(stored_keys) == MAX_ROUNDS
