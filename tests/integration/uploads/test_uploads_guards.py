"""Guards of the uploads' routes, each with a request that only this guard refuses."""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import httpx
import pytest

from found_footy.domain.uploads import object_key
from found_footy.platform.clock import utc_now
from found_footy.platform.errors import Unavailable
from found_footy.platform.http.access_tokens import MAX_WRONG_TOKENS
from found_footy.platform.http.session_tokens import compute_csrf_token
from found_footy.platform.objects import ObjectInfo
from found_footy.uploads.organizations.sessions import SessionStore
from found_footy.web.forms import MAX_FORM_BYTES
from found_footy.web.server import serve_app
from found_footy.web.session_cookies import USER_COOKIE
from found_footy.web.settings import OBJECT_NOTIFICATIONS_PATH
from found_footy.web.uploads.access import SESSION_COOKIE
from tests.support.patience import PATIENCE_SECONDS, eventually
from tests.support.small_disks import MEGABYTE, filled, small_disk
from tests.support.uploads.agent_services import paint
from tests.support.uploads.organization_page import ADMIN_TOKEN, OrganizationPage

FORM = {"content-type": "application/x-www-form-urlencoded"}


async def open_session(site: OrganizationPage) -> str:
    own = await site.organizations.store.get(site.own)
    assert own is not None
    return await site.organizations.sessions.open(site.own, own.key.key_id)


async def test_a_right_key_is_accepted_from_an_address_that_sent_wrong_ones(
    organization_page: OrganizationPage,
) -> None:
    """Programs of several organizations, or one that still sends the key of yesterday, share an address."""
    old = organization_page.own_key
    new = await organization_page.organizations.rotate(organization_page.own)
    async with organization_page.client(old) as client:
        codes = [(await client.get(organization_page.path())).status_code for _ in range(MAX_WRONG_TOKENS + 1)]
        right = await client.get(organization_page.path(), headers={"authorization": f"Bearer {new}"})
        signed_in = await client.post("/organizations", content=f"key={new}".encode(), headers=FORM)
    assert codes == [401] * MAX_WRONG_TOKENS + [429]
    assert (right.status_code, signed_in.status_code) == (200, 303)


async def test_a_password_for_the_proxy_in_front_does_not_hide_the_session(
    organization_page: OrganizationPage,
) -> None:
    """A browser sends the proxy's credentials with every request, and the proxy hands them on."""
    async with organization_page.client("") as client:
        client.cookies.set(SESSION_COOKIE, await open_session(organization_page))
        basic = {"authorization": "Basic dXNlcjpwYXNzd29yZA=="}
        codes = [
            (await client.get(organization_page.path(), headers=basic)).status_code for _ in range(MAX_WRONG_TOKENS + 1)
        ]
        client.cookies.clear()
        without = await client.get(organization_page.path(), headers=basic)
    assert set(codes) == {200}
    assert without.status_code == 401


async def test_a_live_stream_ends_when_its_key_is_rotated(organization_page: OrganizationPage) -> None:
    site = organization_page
    async with (
        serve_app(site.create_app(), site.deps.settings) as address,
        httpx.AsyncClient(timeout=PATIENCE_SECONDS) as client,
        client.stream(
            "GET", f"{address}/organizations/{site.own}/events", headers={"authorization": f"Bearer {site.own_key}"}
        ) as answer,
    ):
        parts = answer.aiter_text()
        assert "following" in await anext(parts)
        await site.organizations.rotate(site.own)
        async with asyncio.timeout(PATIENCE_SECONDS):
            async for _ in parts:
                pass


async def test_a_session_that_is_over_opens_nothing_before_the_database_deletes_it(
    organization_page: OrganizationPage,
) -> None:
    site = organization_page
    own = await site.organizations.store.get(site.own)
    assert own is not None
    yesterday = SessionStore(site.deps.database, timedelta(hours=1), lambda: utc_now() - timedelta(hours=2))
    token = await yesterday.open(site.own, own.key.key_id)
    assert await yesterday.find(token) is not None
    assert await site.organizations.sessions.find(token) is None


async def test_a_session_of_an_organization_that_is_being_removed_opens_nothing(
    organization_page: OrganizationPage,
) -> None:
    """Sessions are closed after the mark; one that is opened in between is not."""
    site = organization_page
    async with site.client("") as client:
        client.cookies.set(SESSION_COOKIE, await open_session(site))
        assert (await client.get(site.path())).status_code == 200
        await site.organizations.store.mark_removed(site.own, utc_now())
        assert (await client.get(site.path())).status_code == 401


async def test_the_cookie_of_a_page_over_tls_is_not_sent_without_it(organization_page: OrganizationPage) -> None:
    async with organization_page.client("") as client:
        form = f"key={organization_page.own_key}".encode()
        plain = await client.post("/organizations", content=form, headers=FORM)
        over_tls = await client.post("https://footy.test/organizations", content=form, headers=FORM)
    assert ["secure" in answer.headers["set-cookie"].lower() for answer in (plain, over_tls)] == [False, True]


@pytest.mark.parametrize(
    ("content", "headers", "code"),
    [
        (b"key=" + b"x" * 4096, FORM, 413),
        (b"key=x", {"content-type": "text/plain"}, 415),
        (b"&".join(b"f%d=1" % number for number in range(9)), FORM, 400),
        (b"key=%FF", FORM, 400),
    ],
)
async def test_a_form_that_is_too_large_or_none_is_refused(
    organization_page: OrganizationPage, content: bytes, headers: dict[str, str], code: int
) -> None:
    async with organization_page.client("") as client:
        for path in ("/organizations", "/sign-in"):
            assert (await client.post(path, content=content, headers=headers)).status_code == code


async def test_an_operator_and_an_organization_are_not_each_other(organization_page: OrganizationPage) -> None:
    site = organization_page
    operator = {"authorization": f"Bearer {ADMIN_TOKEN}"}
    async with site.client("") as client:
        assert (await client.get("/operator", headers=operator)).status_code == 200
        assert (await client.get(site.path(), headers=operator)).status_code == 401
        assert (await client.get(f"/organizations/{site.own}", headers=operator)).status_code == 401
        token = await open_session(site)
        client.cookies.set(SESSION_COOKIE, token)
        client.cookies.set(USER_COOKIE, token)
        assert (await client.get("/operator")).status_code == 401
        form = f"csrf_token={compute_csrf_token(token)}".encode()
        assert (await client.post("/operator/replay", content=form, headers=FORM)).status_code == 401
        key = {"authorization": f"Bearer {site.own_key}"}
        assert (await client.get("/operator", headers=key)).status_code == 401


async def test_nothing_of_an_organization_may_be_kept_by_a_proxy(organization_page: OrganizationPage) -> None:
    site = organization_page
    await site.store_classified("a.png")
    async with site.client("") as client:
        client.cookies.set(SESSION_COOKIE, await open_session(site))
        paths = [
            site.path(),
            site.path("a.png"),
            site.path("a.png/original"),
            site.path("none.png"),
            f"/organizations/{site.own}",
            f"/organizations/{site.own}/uploads/a.png",
        ]
        told = [(await client.get(path)).headers["cache-control"] for path in paths]
        tag = (await client.get(site.path())).headers["etag"]
        unchanged = await client.get(site.path(), headers={"if-none-match": tag})
    assert told == ["private, no-cache"] * 3 + ["no-store"] * 3
    assert (unchanged.status_code, unchanged.headers["cache-control"]) == (304, "private, no-cache")


async def test_an_upload_without_a_place_is_asked_to_come_again(organization_page: OrganizationPage) -> None:
    site = organization_page.with_settings(uploads_at_once=1)
    app = site.create_app()
    headers = {"authorization": f"Bearer {site.own_key}"}
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://footy.test", headers=headers) as client:
        with app.state.web.uploads.slots.take(site.own):
            refused = await client.put(site.path("a.png"), content=b"x")
        with (
            app.state.web.uploads.slots.take("one"),
            app.state.web.uploads.slots.take("two"),
            app.state.web.uploads.slots.take("three"),
            app.state.web.uploads.slots.take("four"),
        ):
            full = await client.put(site.path("a.png"), content=b"x")
        stored = await client.put(site.path("a.png"), content=b"x")
    assert [(one.status_code, int(one.headers["retry-after"]) > 0) for one in (refused, full)] == [(429, True)] * 2
    assert stored.status_code == 201


async def test_an_upload_that_takes_too_long_ends_and_gives_its_room_back(organization_page: OrganizationPage) -> None:
    async def stall() -> AsyncIterator[bytes]:
        yield b"x"
        await asyncio.Event().wait()

    site = organization_page.with_settings(upload_timeout=timedelta(seconds=0.2))
    app = site.create_app()
    transport = httpx.ASGITransport(app)
    headers = {"authorization": f"Bearer {site.own_key}", "content-length": "10"}
    async with httpx.AsyncClient(transport=transport, base_url="http://footy.test", headers=headers) as client:
        async with asyncio.timeout(PATIENCE_SECONDS):
            late = await client.put(site.path("a.png"), content=stall())
    assert late.status_code == 408
    assert (await site.organizations.reservation_store.read(site.own)).reservations == ()
    assert "408" in app.openapi()["paths"]["/api/v1/organizations/{organization_id}/uploads/{name}"]["put"]["responses"]


@pytest.mark.parametrize("size", [10, 200_000])
async def test_a_full_disk_is_said_to_be_ours_and_takes_no_quota(
    organization_page: OrganizationPage, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    site = organization_page
    with small_disk(MEGABYTE) as place, filled(place):
        monkeypatch.setattr(tempfile, "tempdir", str(place))
        async with site.client() as client:
            refused = await client.put(site.path("a.png"), content=b"x" * size)
    assert (refused.status_code, refused.json()["system"]) == (503, "disk"), refused.text
    assert str(place) not in refused.text
    assert (await site.organizations.reservation_store.read(site.own)).reservations == ()


async def test_an_object_that_is_replaced_between_two_reads_is_served_as_one_version(
    organization_page: OrganizationPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = organization_page
    await site.store_classified("a.png", "red")
    key, objects = object_key(site.own, "a.png"), site.services.objects
    stale = await objects.head(key)
    assert stale is not None
    await objects.put_bytes(key, paint("blue") + b"longer", content_type="image/png")
    answers: list[ObjectInfo | None] = [stale]

    async def head_late(asked: str) -> ObjectInfo | None:
        return answers.pop() if answers else await type(objects).head(objects, asked)

    monkeypatch.setattr(objects, "head", head_late)
    async with site.client() as client:
        answer = await client.get(site.path("a.png/original"))
    assert answer.content == paint("blue") + b"longer"
    assert (answer.headers["etag"] != f'"{stale.etag}"', answers) == (True, [])


async def test_a_presigned_address_does_not_read_what_another_organization_stored(
    organization_page: OrganizationPage,
) -> None:
    """The store copies an object that a header names, with the rights of whoever signed the address."""
    site = organization_page
    secret = paint("red")
    await site.services.objects.put_bytes(object_key(site.foreign, "secret.png"), secret, content_type="image/png")
    async with site.client() as client, httpx.AsyncClient() as outside:
        for name, size in (("one.png", 1), ("same.png", len(secret))):
            signed = (await client.post(site.path(f"{name}/presigned"), json={"size": size})).json()
            copy = {"x-amz-copy-source": f"/{site.services.objects.bucket}/{site.foreign}/secret.png"}
            await outside.put(signed["url"], content=b"x" * size, headers=copy)
            stored = await site.services.objects.head(object_key(site.own, name))
            assert stored is None or await site.read_object(name) == b"x" * size


async def test_a_presigned_address_expires(organization_page: OrganizationPage) -> None:
    site = organization_page.with_settings(presigned=timedelta(seconds=1))
    async with site.client() as client, httpx.AsyncClient() as outside:
        signed = (await client.post(site.path("late.png/presigned"), json={"size": 1})).json()

        async def is_refused() -> bool:
            return (await outside.put(signed["url"], content=b"x")).status_code == 403

        refused: bool = await eventually(is_refused)
    assert refused


async def test_a_stream_of_a_database_that_is_away_ends_without_an_error(
    organization_page: OrganizationPage, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = organization_page

    async def fail(*_: Any) -> None:
        raise Unavailable("MongoDB", "away")

    async with (
        serve_app(site.create_app(), site.deps.settings) as address,
        httpx.AsyncClient(timeout=PATIENCE_SECONDS) as client,
        client.stream(
            "GET", f"{address}/organizations/{site.own}/events", headers={"authorization": f"Bearer {site.own_key}"}
        ) as answer,
    ):
        parts = answer.aiter_text()
        assert "following" in await anext(parts)
        monkeypatch.setattr(site.organizations.store, "get", fail)
        async with asyncio.timeout(PATIENCE_SECONDS):
            async for _ in parts:
                pass
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


async def test_the_document_promises_of_a_notification_what_is_sent(organization_page: OrganizationPage) -> None:
    operation = organization_page.create_app().openapi()["paths"][OBJECT_NOTIFICATIONS_PATH]["post"]
    assert list(operation["requestBody"]["content"]) == ["application/json"]
    problems = [answer for code, answer in operation["responses"].items() if code >= "400"]
    assert len(problems) == 6
    assert {kind for answer in problems for kind in answer["content"]} == {"application/problem+json"}


async def test_a_body_that_is_longer_than_declared_is_not_received_to_its_end(
    organization_page: OrganizationPage,
) -> None:
    """Otherwise it could fill the disk, whatever the limit of the declared length is."""
    sent = 0

    async def send() -> AsyncIterator[bytes]:
        nonlocal sent
        for _ in range(100):
            sent += 1
            yield b"x" * 10

    async with organization_page.client() as client:
        path = organization_page.path("a.png")
        refused = await client.put(path, content=send(), headers={"content-length": "20"})
    assert (refused.status_code, refused.json()["detail"]) == (400, "The body is longer than declared.")
    assert sent < 10


async def test_a_request_for_a_presigned_address_is_refused_unread_if_it_is_too_long(
    organization_page: OrganizationPage,
) -> None:
    padded = b'{"size": 10' + b" " * MAX_FORM_BYTES + b"}"
    async with organization_page.client() as client:
        path, headers = organization_page.path("a.png/presigned"), {"content-type": "application/json"}
        refused = await client.post(path, content=padded, headers=headers)
    assert refused.status_code == 413
