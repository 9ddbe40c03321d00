"""Quotas hold: for uploads at the same time, for presigned addresses, and while rows come late."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from temporalio.client import Client

from found_footy.platform.clock import utc_now
from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore
from found_footy.uploads.organizations.quotas import Quota, QuotaRefusal, Reservation
from found_footy.uploads.organizations.reservation_store import ReservationStore
from found_footy.uploads.organizations.reservations import MAX_RESERVATIONS, RENEWAL, ReservationService
from found_footy.uploads.organizations.store import OrganizationStore
from tests.support.uploads.agent_services import paint
from tests.support.uploads.organization_page import OrganizationPage, open_organization_page

MINUTE = timedelta(minutes=1)
QUOTA = Quota(1000, 100)
OWN = "acme"


class Processes:
    """Reservations as several processes make them, at a time of the test's choice."""

    def __init__(self, database: Database, objects: ObjectStore) -> None:
        self.time = datetime(2026, 11, 17, 12, 0, tzinfo=UTC)
        self._database = database
        self._objects = objects

    def open(self) -> ReservationService:
        stores = ReservationStore(self._database), OrganizationStore(self._database)
        return ReservationService(*stores, self._objects, lambda: self.time)


@pytest.fixture
def processes(database: Database, objects: ObjectStore) -> Processes:
    return Processes(database, objects)


async def store_row(database: Database, name: str, size: int, etag: str) -> None:
    row = {"name": name, "size": size, "etag": etag, "deletedAt": None}
    await database["uploads"].update_one({"organizationId": OWN, "name": name}, {"$set": row}, upsert=True)


async def test_of_uploads_at_the_same_time_only_those_that_fit_get_room(processes: Processes) -> None:
    """Ten processes, so that no lock of one of them helps."""
    ledgers = [processes.open() for _ in range(10)]
    results = await asyncio.gather(
        *(ledger.reserve(OWN, QUOTA, f"{number}.png", 300, MINUTE) for number, ledger in enumerate(ledgers))
    )
    assert sum(isinstance(one, Reservation) for one in results) == 3
    refusals = [one.reason for one in results if isinstance(one, QuotaRefusal)]
    assert set(refusals) == {"The organization's quota of 1 kB does not have room: 900 B are stored or reserved."}
    assert (await ledgers[0].measure_use(OWN)).size == 900


async def test_the_number_of_images_is_limited_and_replacing_one_is_not(
    processes: Processes, database: Database
) -> None:
    reservations, quota = processes.open(), Quota(1000, 2)
    await store_row(database, "a.png", 100, "a")
    assert isinstance(await reservations.reserve(OWN, quota, "b.png", 10, MINUTE), Reservation)
    refused = await reservations.reserve(OWN, quota, "c.png", 10, MINUTE)
    assert isinstance(refused, QuotaRefusal)
    assert "2 images" in refused.reason
    assert isinstance(await reservations.reserve(OWN, quota, "a.png", 100, MINUTE), Reservation)


async def test_a_stored_object_stays_counted_until_its_row_comes_however_late(
    processes: Processes, database: Database, objects: ObjectStore
) -> None:
    reservations = processes.open()
    stored = await reservations.reserve(OWN, QUOTA, "a.png", 600, MINUTE)
    assert isinstance(stored, Reservation)
    info = await objects.put_bytes(f"{OWN}/a.png", b"x" * 600, content_type="image/png")
    for _ in range(3):
        processes.time += RENEWAL + MINUTE
        assert isinstance(await reservations.reserve(OWN, QUOTA, "b.png", 500, MINUTE), QuotaRefusal)
    await store_row(database, "a.png", 600, info.etag)
    assert isinstance(await reservations.reserve(OWN, QUOTA, "b.png", 500, MINUTE), QuotaRefusal)
    await database["uploads"].update_one({"organizationId": OWN}, {"$set": {"deletedAt": processes.time}})
    await objects.delete(f"{OWN}/a.png")
    await reservations.forget_deleted(OWN, "a.png")
    processes.time += RENEWAL + MINUTE
    assert isinstance(await reservations.reserve(OWN, QUOTA, "b.png", 500, MINUTE), Reservation)


async def test_the_images_of_another_organization_do_not_count(processes: Processes, database: Database) -> None:
    await store_row(database, "a.png", 900, "a")
    use = await processes.open().measure_use("beta")
    assert (use.size, use.objects) == (0, 0)
    assert isinstance(await processes.open().reserve("beta", QUOTA, "b.png", 900, MINUTE), Reservation)


async def test_a_reservation_that_is_not_used_expires(processes: Processes) -> None:
    reservations = processes.open()
    await reservations.reserve(OWN, QUOTA, "a.png", 900, MINUTE)
    assert isinstance(await reservations.reserve(OWN, QUOTA, "b.png", 900, MINUTE), QuotaRefusal)
    processes.time += 2 * MINUTE
    assert isinstance(await reservations.reserve(OWN, QUOTA, "b.png", 900, MINUTE), Reservation)


async def test_whoever_is_refused_again_and_again_does_not_make_the_store_look_for_the_same_names(
    processes: Processes, database: Database
) -> None:
    reservations = processes.open()
    for number in range(3):
        await reservations.reserve(OWN, QUOTA, f"{number}.png", 10, MINUTE)
    processes.time += 2 * MINUTE
    assert isinstance(await reservations.reserve(OWN, QUOTA, "large.png", 2000, MINUTE), QuotaRefusal)
    assert (await ReservationStore(database).read(OWN)).reservations == ()
    assert (await reservations.measure_use(OWN)).size == 0


async def test_an_organization_has_a_bounded_number_of_uploads_in_progress(
    processes: Processes, database: Database
) -> None:
    until = processes.time + MINUTE
    taken = [Reservation(str(number), f"{number}.png", 0, until) for number in range(MAX_RESERVATIONS)]
    await ReservationStore(database).replace(OWN, None, taken)
    refused = await processes.open().reserve(OWN, Quota(1000, 10**6), "more.png", 1, MINUTE)
    assert isinstance(refused, QuotaRefusal)
    assert refused.is_temporary


async def test_the_use_is_summed_in_time_however_many_uploads_are_in_progress(
    processes: Processes, database: Database
) -> None:
    """Comparing each row with each reserved name takes the database longer than a query may."""
    rows = [
        {"organizationId": OWN, "name": f"row {number:05}.png", "size": 1, "etag": "e", "deletedAt": None}
        for number in range(20_000)
    ]
    await database["uploads"].insert_many(rows)
    until = processes.time + MINUTE
    taken = [Reservation(str(number), f"row {number:05}.png", 2, until) for number in range(MAX_RESERVATIONS - 1)]
    await ReservationStore(database).replace(OWN, None, taken)
    use = await processes.open().measure_use(OWN)
    assert (use.size, use.objects) == (20_000 + MAX_RESERVATIONS - 1, 20_000)


@pytest.fixture
async def small_page(database: Database, objects: ObjectStore, temporal: Client) -> AsyncIterator[OrganizationPage]:
    async with open_organization_page(database, objects, temporal, quota_bytes=3 * len(paint("red"))) as page:
        yield page


async def test_concurrent_uploads_store_no_more_than_the_quota(small_page: OrganizationPage) -> None:
    async with small_page.client() as client:
        answers = await asyncio.gather(
            *(client.put(small_page.path(f"{number}.png"), content=paint("red")) for number in range(8))
        )
    assert sorted(answer.status_code for answer in answers) == [201] * 3 + [507] * 5
    assert len([info async for info in small_page.services.objects.list(f"{small_page.own}/")]) == 3


async def test_a_presigned_address_takes_its_room_before_it_is_used(small_page: OrganizationPage) -> None:
    size = len(paint("red"))
    async with small_page.client() as client, httpx.AsyncClient() as outside:
        signed = [await client.post(small_page.path(f"{n}.png/presigned"), json={"size": size}) for n in range(4)]
        assert [answer.status_code for answer in signed] == [200, 200, 200, 507]
        assert (await client.put(small_page.path("more.png"), content=paint("red"))).status_code == 507
        assert (await outside.put(signed[0].json()["url"], content=paint("red"))).status_code == 200
        # Used and not yet known here, its room stays taken.
        assert (await client.put(small_page.path("more.png"), content=paint("red"))).status_code == 507


async def test_a_quota_of_its_own_replaces_the_setting(small_page: OrganizationPage) -> None:
    roomy = f"{small_page.own}-roomy"
    key = await small_page.organizations.add(roomy, max_bytes=10**6)
    async with small_page.client(key) as client:
        for number in range(5):
            answer = await client.put(small_page.path(f"{number}.png", roomy), content=paint("red"))
            assert answer.status_code == 201


async def test_a_deleted_image_gives_its_room_back(small_page: OrganizationPage) -> None:
    """The reservation of the image that was stored last is still there when it is deleted."""
    async with small_page.client() as client:
        for number in range(3):
            await client.put(small_page.path(f"{number}.png"), content=paint("red"))
        await client.delete(small_page.path("2.png"))
        assert (await client.put(small_page.path("more.png"), content=paint("red"))).status_code == 201


async def test_a_reservation_outlasts_the_upload_that_it_is_for(small_page: OrganizationPage) -> None:
    """A PUT may end after its presigned address, and storing takes time after the body has arrived."""
    began, data = utc_now(), paint("red")
    store = small_page.organizations.reservation_store
    seen: list[Reservation] = []

    async def send_and_look() -> AsyncIterator[bytes]:
        seen.extend((await store.read(small_page.own)).reservations)
        yield data

    async with small_page.client() as client:
        signed = (await client.post(small_page.path("direct.png/presigned"), json={"size": len(data)})).json()
        length = {"content-length": str(len(data))}
        await client.put(small_page.path("sent.png"), content=send_and_look(), headers=length)
    expiry = {one.name: one.expires_at for one in seen}
    assert expiry["direct.png"] >= datetime.fromisoformat(signed["expires_at"]) + 5 * MINUTE
    assert expiry["sent.png"] >= began + small_page.deps.settings.upload_timeout + MINUTE


async def test_the_quota_of_images_is_that_of_the_setting_or_the_organizations_own(
    database: Database, objects: ObjectStore, temporal: Client
) -> None:
    async with open_organization_page(database, objects, temporal, quota_objects=2) as page:
        small, roomy = f"{page.own}-small", f"{page.own}-roomy"
        keys = {
            page.own: page.own_key,
            small: await page.organizations.add(small, max_objects=1),
            roomy: await page.organizations.add(roomy, max_objects=3),
        }
        codes: dict[str, list[int]] = {}
        for organization_id, key in keys.items():
            async with page.client(key) as client:
                paths = [page.path(f"{number}.png", organization_id) for number in range(4)]
                codes[organization_id] = [(await client.put(path, content=b"x")).status_code for path in paths]
    assert codes == {page.own: [201] * 2 + [507] * 2, small: [201] + [507] * 3, roomy: [201] * 3 + [507]}
