"""Organizations are added, given new keys and removed with everything they stored, also by the commands."""

import asyncio
import json
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from temporalio.client import Client

from found_footy.domain.uploads import upload_preview_key
from found_footy.embedded.endpoints import PlatformEndpoints
from found_footy.platform.errors import BadInput, Conflict, NotFound
from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore
from found_footy.uploads.intake.dead_letter_store import DeadLetterStore, LetterKind
from found_footy.uploads.organizations.quotas import Reservation
from found_footy.uploads.organizations.receiver import OrganizationRemoved
from tests.support import command_line
from tests.support.uploads.agent_services import paint
from tests.support.uploads.intake import created, open_intake
from tests.support.uploads.organization_page import ADMIN_TOKEN, OrganizationPage, open_organization_page


async def test_an_organization_needs_a_name_of_its_own(organization_page: OrganizationPage) -> None:
    for name in ("Acme", "a", "-a", "a/b", "a" * 64, "ä-b", ".previews", ""):
        with pytest.raises(BadInput):
            await organization_page.organizations.add(name)
    with pytest.raises(Conflict):
        await organization_page.organizations.add(organization_page.own)
    for work in (organization_page.organizations.rotate, organization_page.organizations.remove):
        with pytest.raises(NotFound):
            await work("nobody")


async def test_a_removed_organization_leaves_nothing_and_others_keep_theirs(
    organization_page: OrganizationPage, database: Database, objects: ObjectStore
) -> None:
    site = organization_page
    preview = ""
    for key, organization in ((site.own_key, site.own), (site.foreign_key, site.foreign)):
        async with site.client(key) as client:
            answer = await client.put(site.path("a.png", organization), content=paint("red"))
        if organization == site.own:
            preview = upload_preview_key(answer.json()["event_id"])
    await objects.put_bytes(preview, b"small", content_type="image/jpeg")
    await database["uploads"].update_one({"organizationId": site.own}, {"$set": {"previewKey": preview}})
    report = await site.organizations.remove(site.own)
    assert (report.objects, report.rows, report.open_until) == (1, 1, None)
    assert [info.key async for info in objects.list()] == [f"{site.foreign}/a.png"]
    for name, field in (("uploads", "organizationId"), ("upload_reservations", "_id"), ("organizations", "_id")):
        assert await database[name].count_documents({field: site.own}) == 0
        assert await database[name].count_documents({field: site.foreign}) == 1
    async with site.client() as client:
        assert (await client.get(site.path())).status_code == 401


async def test_an_upload_that_the_removal_overtakes_is_not_left_behind(
    organization_page: OrganizationPage, tmp_path: Path
) -> None:
    """The key was right when the upload began, and the objects were listed before it was stored."""
    site, image = organization_page, tmp_path / "late.png"
    image.write_bytes(paint("red"))
    assert site.deps.uploads is not None
    receiver = site.deps.uploads.receiver
    organization = await site.organizations.store.get(site.own)
    assert organization is not None
    reserved = await receiver.reserve(organization, "late.png", len(paint("red")), timedelta(minutes=1))
    assert isinstance(reserved, Reservation)
    # Uploads that began before are possible until their reservations expire, so the removal is not complete.
    assert (await site.organizations.remove(site.own)).open_until is not None
    assert await site.organizations.authenticate(site.own_key) is None
    with pytest.raises(OrganizationRemoved):
        await receiver.store_file(organization, reserved, image)
    assert [info.key async for info in site.services.objects.list()] == []


async def test_an_upload_is_told_to_the_queue_and_without_one_ingested_at_once(
    platform: PlatformEndpoints, database: Database, objects: ObjectStore, temporal: Client
) -> None:
    async with (
        open_intake(platform.nats_url, database) as intake,
        open_organization_page(database, objects, temporal, intake.publisher) as site,
    ):
        async with site.client() as client:
            await client.put(site.path("queued.png"), content=paint("red"))
        assert (await intake.read_backlog()).messages == 1
        assert await site.services.store.find(site.own, "queued.png") is None
    async with open_organization_page(database, objects, temporal) as site, site.client() as client:
        answer = await client.put(site.path("direct.png"), content=paint("red"))
        assert answer.status_code == 201
        assert await site.services.store.find(site.own, "direct.png") is not None


async def test_dead_letters_need_the_admin_token_and_are_replayed(
    platform: PlatformEndpoints, database: Database, objects: ObjectStore, temporal: Client
) -> None:
    async with (
        open_intake(platform.nats_url, database) as intake,
        open_organization_page(database, objects, temporal, intake.publisher) as site,
    ):
        await intake.letters.park(LetterKind.EVENT, created("acme/a.png").to_bytes(), "Failed.", organization_id="acme")
        operator = {"authorization": f"Bearer {ADMIN_TOKEN}"}
        async with site.client() as client:
            assert (await client.get("/api/v1/dead-letters")).status_code == 401
            assert (await client.post("/api/v1/dead-letters/replay")).status_code == 401
            (letter,) = (await client.get("/api/v1/dead-letters", headers=operator)).json()["dead_letters"]
            others = (await client.get("/api/v1/dead-letters?organization=beta", headers=operator)).json()
            replayed = (await client.post("/api/v1/dead-letters/replay", headers=operator)).json()
        assert (letter["organization_id"], letter["reason"], letter["is_replayable"]) == ("acme", "Failed.", True)
        assert others["dead_letters"] == []
        assert replayed == {"replayed": 1, "kept": {}}
        assert (await intake.read_backlog()).messages == 1


async def test_the_commands_do_what_they_say(platform: PlatformEndpoints, database: Database) -> None:
    bucket = f"test-{uuid4().hex}"
    env = command_line.clean_environment(
        MONGODB_URI=platform.mongodb_uri,
        MONGODB_DATABASE=database.name,
        S3_ENDPOINT=platform.s3_endpoint,
        S3_ACCESS_KEY=platform.s3_access_key,
        S3_SECRET_KEY=platform.s3_secret_key,
        NATS_URL=platform.nats_url,
        FOOTY_UPLOADS__BUCKET=bucket,
        FOOTY_UPLOADS__STREAM=f"T{uuid4().hex}",
    )

    async def run(*arguments: str) -> tuple[int, str, str]:
        done = await asyncio.to_thread(command_line.run, *arguments, env=env)
        return done.returncode, done.stdout, done.stderr

    code, key, told = await run("organization", "add", "acme", "--max-size", "5MB", "--max-images", "7")
    assert (code, key.startswith("ffk_"), "shown this once" in told) == (0, True, True), told
    code, listed, _ = await run("organization", "list", "--json")
    (row,) = json.loads(listed)
    assert (code, row["organization"], row["images"], row["size"]) == (0, "acme", "0 of 7", "0 B of 5 MB")
    assert key.strip() not in listed
    code, new, _ = await run("organization", "rotate", "acme")
    assert (code, new != key) == (0, True)
    hostile = b'{"key": "\\[/x] \x1b]0;title\x07"}'
    await DeadLetterStore(database).park(LetterKind.NOTIFICATION, hostile, "Not a notification.")
    code, letters, _ = await run("uploads", "dead-letters", "--json")
    assert (code, json.loads(letters)[0]["reason"]) == (0, "Not a notification.")
    code, shown, told = await run("uploads", "dead-letters")
    assert (code, "[/x]" in shown, "\x1b" in shown) == (0, True, False), told
    code, replayed, _ = await run("uploads", "replay")
    assert (code, "0 replayed, 1 cannot be" in replayed) == (1, True), replayed
    code, removed, _ = await run("organization", "remove", "acme", "--yes")
    assert (code, removed.strip()) == (0, "acme: 0 images deleted")
    assert await database["organizations"].count_documents({}) == 0
