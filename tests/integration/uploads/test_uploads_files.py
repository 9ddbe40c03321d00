"""Originals and previews are served with the type that was found in them, whole, in part, or not again."""

from typing import Any

import httpx
import pytest

from found_footy.domain.uploads import upload_preview_key
from tests.support.uploads.agent_services import paint
from tests.support.uploads.organization_page import OrganizationPage

PAGE = b"<html><script>alert(1)</script></html>"


def header(answer: httpx.Response, name: str) -> str:
    value: str = answer.headers[name]
    return value


async def test_an_original_has_its_sniffed_type_and_answers_ranges(organization_page: OrganizationPage) -> None:
    await organization_page.store_classified("ä b.png")
    path, data = organization_page.path("ä b.png/original"), paint("red")
    async with organization_page.client() as client:
        whole = await client.get(path)
        head = await client.head(path)
        part = await client.get(path, headers={"range": "bytes=2-5"})
        outside = await client.get(path, headers={"range": "bytes=9000-"})
        known = await client.get(path, headers={"if-none-match": whole.headers["etag"]})
        resumed = await client.get(path, headers={"range": "bytes=2-5", "if-range": '"another version"'})
    assert (whole.status_code, whole.content, header(whole, "content-type")) == (200, data, "image/png")
    assert header(whole, "x-content-type-options") == "nosniff"
    assert header(whole, "content-disposition") == "inline; filename*=UTF-8''%C3%A4%20b.png"
    assert "sandbox" in header(whole, "content-security-policy")
    assert header(whole, "cache-control") == "private, no-cache"
    assert (head.status_code, head.content, header(head, "content-length")) == (200, b"", str(len(data)))
    assert header(head, "content-type") == "image/png"
    assert (part.status_code, part.content) == (206, data[2:6])
    assert header(part, "content-range") == f"bytes 2-5/{len(data)}"
    assert (outside.status_code, known.status_code, known.content) == (416, 304, b"")
    assert (resumed.status_code, resumed.content) == (200, data)


@pytest.mark.parametrize(
    "fields",
    [
        {"contentType": "text/html", "width": 8},
        {"contentType": "image/svg+xml", "width": 8},
        # As the uploader claims, before anybody has looked into the bytes.
        {"contentType": "image/png", "width": None},
        {"contentType": "image/png", "width": 8, "etag": "0" * 32},
    ],
)
async def test_what_is_not_known_to_be_a_picture_is_a_download(
    organization_page: OrganizationPage, fields: dict[str, Any]
) -> None:
    await organization_page.services.put("page.html", PAGE)
    await organization_page.store_classified("page.html", **fields)
    async with organization_page.client() as client:
        answer = await client.get(organization_page.path("page.html/original"))
    assert header(answer, "content-type") == "application/octet-stream"
    assert header(answer, "content-disposition").startswith("attachment")


async def test_a_preview_is_served_where_there_is_one(organization_page: OrganizationPage) -> None:
    await organization_page.store_classified("a.png")
    key = upload_preview_key((await organization_page.services.row("a.png"))["eventId"])
    await organization_page.services.objects.put_bytes(key, b"\xff\xd8small", content_type="image/jpeg")
    path = organization_page.path("a.png/preview")
    async with organization_page.client() as client:
        none = await client.get(path)
        await organization_page.store_classified("a.png", previewKey=key)
        view = (await client.get(organization_page.path("a.png"))).json()
        found = await client.get(view["preview_url"])
        head = await client.head(path)
        known = await client.head(path, headers={"if-none-match": found.headers["etag"]})
    assert none.status_code == 404
    assert (found.status_code, found.content, header(found, "content-type")) == (200, b"\xff\xd8small", "image/jpeg")
    assert (head.status_code, known.status_code) == (200, 304)


async def test_a_deleted_image_has_no_pictures(organization_page: OrganizationPage) -> None:
    await organization_page.store_classified("a.png")
    async with organization_page.client() as client:
        await client.delete(organization_page.path("a.png"))
        codes = [
            (await client.get(organization_page.path(f"a.png/{kind}"))).status_code for kind in ("original", "preview")
        ]
    assert codes == [410, 410]
