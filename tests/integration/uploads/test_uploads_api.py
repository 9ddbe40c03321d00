"""An organization uploads, lists, retries and deletes its images over the API."""

import asyncio
import hashlib
import time
from datetime import timedelta
from typing import Any

import httpx
import pytest
from temporalio.client import Client

from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore
from found_footy.views.uploads_store import UploadReadStore
from found_footy.web.server import serve_app
from tests.support.patience import PATIENCE_SECONDS, eventually
from tests.support.uploads.agent_services import paint
from tests.support.uploads.organization_page import OrganizationPage, open_organization_page


async def test_an_upload_is_stored_and_its_row_returned(organization_page: OrganizationPage) -> None:
    data = paint("red")
    async with organization_page.client() as client:
        first = await client.put(organization_page.path("a photo.png"), content=data)
        again = await client.put(organization_page.path("a photo.png"), content=paint("blue"))
        read = await client.get(organization_page.path("a photo.png"))
    assert (first.status_code, again.status_code, read.status_code) == (201, 200, 200)
    assert first.headers["location"] == organization_page.path("a%20photo.png")
    told = first.json()
    assert (told["name"], told["status"] in ("queued", "running"), told["size"]) == ("a photo.png", True, len(data))
    assert told["etag"] == hashlib.md5(data, usedforsecurity=False).hexdigest()
    assert await organization_page.read_object("a photo.png") == paint("blue")
    superseded = [event for event in read.json()["history"] if event["superseded_by"]]
    assert [event["superseded_by"] for event in superseded] == [read.json()["event_id"][:8]]
    assert read.json()["event_id"] == again.json()["event_id"] != told["event_id"]


BAD_NAMES = [("a%2Fb", "slash"), ("%2E%2E%2E", "dots"), ("a%00b", "control"), ("x" * 256, "255"), ("%FFa", "UTF-8")]


@pytest.mark.parametrize(("name", "word"), BAD_NAMES)
async def test_a_name_that_no_upload_can_have_is_refused_with_the_reason(
    organization_page: OrganizationPage, name: str, word: str
) -> None:
    async with organization_page.client() as client:
        answer = await client.put(organization_page.path(name), content=b"x")
    assert (answer.status_code, answer.headers["content-type"]) == (422, "application/problem+json")
    assert word in answer.json()["detail"]
    assert [info.key async for info in organization_page.services.objects.list()] == []


async def test_bodies_that_are_empty_too_large_or_of_unknown_length_are_refused(
    database: Database, objects: ObjectStore, temporal: Client
) -> None:
    async def drip() -> Any:
        yield b"x"

    async with (
        open_organization_page(database, objects, temporal, max_bytes=100) as page,
        page.client() as client,
    ):
        empty = await client.put(page.path("a.png"), content=b"")
        large = await client.put(page.path("a.png"), content=b"x" * 101)
        unknown = await client.put(page.path("a.png"), content=drip())
        longer = await client.put(page.path("a.png"), content=b"x" * 50, headers={"content-length": "20"})
        shorter = await client.put(page.path("a.png"), content=b"x" * 50, headers={"content-length": "60"})
        use = await page.organizations.reservations.measure_use(page.own)
    codes = [answer.status_code for answer in (empty, large, unknown, longer, shorter)]
    assert codes == [422, 413, 411, 400, 400]
    assert (use.size, use.objects) == (0, 0)


async def test_the_list_is_paged_and_filtered(organization_page: OrganizationPage) -> None:
    for number, color in enumerate(("red", "blue", "red", "green", "red")):
        await organization_page.store_classified(f"{number}.png", color)
    await organization_page.services.upload("new.png", "grey")
    async with organization_page.client() as client:
        names: list[str] = []
        cursor: dict[str, str] = {}
        while True:
            page = (await client.get(organization_page.path(), params={"limit": "4", **cursor})).json()
            names += [row["name"] for row in page["uploads"]]
            if page["next"] is None:
                break
            cursor = {"cursor": page["next"]}
        red = (await client.get(organization_page.path(), params={"label": "red"})).json()["uploads"]
        waiting = (
            await client.get(organization_page.path(), params=[("status", "queued"), ("status", "running")])
        ).json()
        unchanged = await client.get(organization_page.path())
        known = await client.get(organization_page.path(), headers={"if-none-match": unchanged.headers["etag"]})
        bad = [
            await client.get(organization_page.path(), params={"cursor": text})
            for text in ("x", "1-ü", "1-!!", "9" * 30)
        ]
    assert names == ["new.png", "4.png", "3.png", "2.png", "1.png", "0.png"]
    assert {row["label"] for row in red} == {"red"}
    assert len(red) == 3
    assert [row["name"] for row in waiting["uploads"]] == ["new.png"]
    assert known.status_code == 304
    assert {answer.status_code for answer in bad} == {422}


async def test_a_deleted_image_is_gone_and_its_name_can_be_used_again(organization_page: OrganizationPage) -> None:
    async with organization_page.client() as client:
        await client.put(organization_page.path("a.png"), content=paint("red"))
        deleted = await client.delete(organization_page.path("a.png"))
        gone = await client.get(organization_page.path("a.png"))
        unknown = await client.delete(organization_page.path("b.png"))
        listed = (await client.get(organization_page.path())).json()["uploads"]
        counted = await UploadReadStore(organization_page.deps.database).count(organization_page.own, 10)
        again = await client.put(organization_page.path("a.png"), content=paint("red"))
        back = await client.get(organization_page.path("a.png"))
    assert (deleted.status_code, gone.status_code, unknown.status_code) == (204, 410, 404)
    assert (listed, counted.total) == ([], 0)
    assert (again.status_code, back.status_code) == (201, 200)


async def test_only_a_failed_image_is_classified_again(organization_page: OrganizationPage) -> None:
    await organization_page.store_classified("good.png")
    await organization_page.store_classified("bad.png", "blue", status="failed", error="Not an image.")
    async with organization_page.client() as client:
        good = await client.post(organization_page.path("good.png/retry"))
        bad = await client.post(organization_page.path("bad.png/retry"))
        missing = await client.post(organization_page.path("none.png/retry"))
    assert (good.status_code, bad.status_code, missing.status_code) == (409, 202, 404)
    assert bad.json()["status"] in ("queued", "running")
    assert bad.json()["error"] == ""


async def test_a_presigned_address_takes_the_reserved_size_and_no_other(organization_page: OrganizationPage) -> None:
    data = paint("green")
    async with organization_page.client() as client, httpx.AsyncClient() as outside:
        signed = (await client.post(organization_page.path("direct.png/presigned"), json={"size": len(data)})).json()
        larger = await outside.put(signed["url"], content=data + b"more")
        stored = await outside.put(signed["url"], content=data)
        too_large = await client.post(organization_page.path("direct.png/presigned"), json={"size": 27_000_000})
        no_size = await client.post(organization_page.path("direct.png/presigned"), json={})
        form = await client.post(organization_page.path("direct.png/presigned"), content=b"size=3")
    assert (larger.status_code, stored.status_code) == (403, 200)
    assert signed["headers"] == {"Content-Length": str(len(data))}
    assert (too_large.status_code, no_size.status_code, form.status_code) == (413, 422, 415)
    assert await organization_page.read_object("direct.png") == data
    assert (await organization_page.organizations.reservations.measure_use(organization_page.own)).size == len(data)


async def test_a_store_on_this_machine_is_not_offered_to_callers_elsewhere(
    organization_page: OrganizationPage,
) -> None:
    async with organization_page.client(came_from="203.0.113.9") as client:
        answer = await client.post(organization_page.path("a.png/presigned"), json={"size": 10})
    assert answer.status_code == 409
    assert "127.0.0.1" not in answer.text


async def test_a_slow_upload_has_its_own_time_and_one_that_breaks_off_leaves_nothing(
    organization_page: OrganizationPage,
) -> None:
    """A request has a few seconds, during which the key must be checked; an upload with the key has longer."""
    data = paint("red")
    started = time.monotonic()
    async with organization_page.client() as client:
        assert (await client.get(organization_page.path("slow.png"))).status_code == 404
    request_timeout = max(4.0, 20 * (time.monotonic() - started))
    page = organization_page.with_settings(request_timeout=timedelta(seconds=request_timeout))
    async with serve_app(page.create_app(), page.deps.settings) as address:
        host, port = address.removeprefix("http://").split(":")
        head = (
            f"PUT {page.path('slow.png')} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {page.own_key}\r\n"
            f"Content-Length: {len(data)}\r\nConnection: close\r\n\r\n"
        ).encode()
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(head + data[:10])
        await writer.drain()
        await asyncio.sleep(request_timeout + 0.5)  # longer than a request may take
        writer.write(data[10:])
        async with asyncio.timeout(PATIENCE_SECONDS):
            assert (await reader.read()).startswith(b"HTTP/1.1 201 ")
        writer.close()
        _, broken = await asyncio.open_connection(host, int(port))
        broken.write(head.replace(b"slow.png", b"half.png") + data[:10])
        await broken.drain()
        broken.close()

        async def is_released() -> bool:
            return len((await page.organizations.reservation_store.read(page.own)).reservations) == 1

        released: bool = await eventually(is_released)
        assert released
    assert [info.key async for info in page.services.objects.list(f"{page.own}/")] == [f"{page.own}/slow.png"]


async def test_one_organization_does_not_take_all_places(organization_page: OrganizationPage) -> None:
    state = organization_page.with_settings(uploads_at_once=1).create_app().state.web.uploads
    with (
        state.slots.take(organization_page.own) as first,
        state.slots.take(organization_page.own) as second,
        state.slots.take("rival") as other,
    ):
        assert (first, second, other) == (True, False, True)
    with state.slots.take(organization_page.own) as later:
        assert later


async def test_problems_are_the_bodies_that_the_openapi_document_promises(
    organization_page: OrganizationPage,
) -> None:
    document = organization_page.create_app().openapi()
    operations = [
        (path, method, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if "organizations" in path
    ]
    assert len(operations) == 8
    for path, method, operation in operations:
        problems = {code: answer for code, answer in operation["responses"].items() if code >= "400"}
        assert {"401", "404", "422", "429", "503"} <= problems.keys(), (path, method)
        for answer in problems.values():
            assert list(answer["content"]) == ["application/problem+json"], (path, method)
