"""A backup of a running installation, restored into an empty one, is the same; anything else is refused."""

import json
import re
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from bson import Binary, Decimal128, Int64, ObjectId

from found_footy.archive.maintenance.scan import ScanScope
from found_footy.domain.collections import FixtureCollection
from found_footy.embedded.endpoints import PlatformEndpoints
from found_footy.keep import schema
from found_footy.keep.backup import CLIP_STORE, BackupWriter
from found_footy.keep.manifest import MANIFEST, OBJECT_LIST, hash_file
from found_footy.keep.restore import BackupRestorer, verify_backup
from found_footy.keep.schema import ensure_schema
from found_footy.keep.store import LEFT_OUT_COLLECTIONS, BackupStore
from found_footy.platform.clock import utc_now
from found_footy.platform.errors import BadInput, ConfigError, Conflict
from found_footy.platform.mongo import Database, Document, connect
from found_footy.platform.objects import ObjectStore
from tests.support.archive.stored_clips import open_stored_clips
from tests.support.deploy_files import ROOT

BACKED_UP = {
    "api_keys",
    "audit",
    "blocklist",
    "clip_redirects",
    "dismissed_errors",
    "feed_state",
    "fixtures_active",
    "fixtures_completed",
    "fixtures_staging",
    "goal_moments",
    "gone_clips",
    "notify_outbox",
    "notify_state",
    "organizations",
    "push_subscriptions",
    "reddit_posts",
    "team_aliases",
    "upload_dead_letters",
    "uploads",
    "users",
}
# Every kind of value that documents have, and those that plain JSON would change.
ODD_VALUES: Document = {
    "_id": ObjectId(),
    "at": datetime(2026, 11, 14, 15, 4, 5, 678000, tzinfo=UTC),
    "large": Int64(2**53 + 1),
    "one": 1,
    "real": 1.0,
    "exact": Decimal128("0.10"),
    "bytes": Binary(b"\x00\xff"),
    "nothing": None,
    "text": "Özil \u2028 </script> \u0000",
    "nested": {"$date-like": "no date", "list": [1, 2.5, {"deep": True}]},
}


@dataclass
class Installation:
    database: Database
    objects: ObjectStore

    @property
    def stores(self) -> dict[str, ObjectStore]:
        return {CLIP_STORE: self.objects}

    async def back_up(self, folder: Path, *, objects: bool = True) -> None:
        stores = self.stores if objects else {}
        await BackupWriter(BackupStore(self.database), stores, 1, "1.0 (test)").write(folder, utc_now())

    async def restore(self, folder: Path, *, allow_missing: bool = False) -> None:
        restorer = BackupRestorer(BackupStore(self.database), self.stores)
        await restorer.restore(verify_backup(folder, 1), utc_now(), allow_missing=allow_missing)

    async def read_all(self) -> dict[str, list[Document]]:
        names = [name for name in await self.database.list_collection_names() if name not in LEFT_OUT_COLLECTIONS]
        return {name: await self.database[name].find().sort("_id").to_list() for name in sorted(names)}

    async def read_objects(self) -> dict[str, tuple[bytes, str]]:
        found = {}
        async for info in self.objects.list():
            head = await self.objects.head(info.key)
            assert head is not None
            found[info.key] = (await self.objects.get_bytes(info.key, limit=10**6), head.content_type)
        return found


@pytest.fixture
async def full(database: Database, objects: ObjectStore) -> Installation:
    """Goals with clips, and records of every kind."""
    stored = open_stored_clips(database, objects)
    await stored.goal(1, 2)
    await stored.goal(3, collection=FixtureCollection.COMPLETED)
    await database["audit"].insert_one(dict(ODD_VALUES))
    await database["upload_sessions"].insert_one({"_id": "a session", "secret": "hunter2"})
    for name in ("fixtures_live", "user_sessions", "one_time_links", "known_devices", "oidc_requests"):
        await database[name].insert_one({"_id": 5, "raw": "hunter2"})
    await objects.put_bytes("scratch/1/part.mp4", b"in work", content_type="video/mp4")
    await objects.put_bytes("trash/1/old.mp4", b"deleted", content_type="video/mp4")
    return Installation(database, objects)


@asynccontextmanager
async def empty_installation(platform: PlatformEndpoints) -> AsyncIterator[Installation]:
    objects = ObjectStore(
        platform.s3_endpoint, platform.s3_access_key, platform.s3_secret_key, bucket=f"test-{uuid4().hex}"
    )
    await objects.ensure_bucket()
    try:
        async with connect(platform.mongodb_uri, f"test_{uuid4().hex}") as database:
            yield Installation(database, objects)
            await database.client.drop_database(database.name)
    finally:
        await objects.aclose()


async def test_a_restored_backup_is_the_same_installation(
    full: Installation, platform: PlatformEndpoints, tmp_path: Path
) -> None:
    await full.back_up(tmp_path / "backup")
    async with empty_installation(platform) as other:
        await ensure_schema(other.database, "me", utc_now)
        await other.restore(tmp_path / "backup")
        assert await other.read_all() == await full.read_all()
        kept = {k: v for k, v in (await full.read_objects()).items() if not k.startswith(("scratch/", "trash/"))}
        assert await other.read_objects() == kept
        assert len(kept) == 15
        scanner = open_stored_clips(other.database, other.objects).keeping.build_scanner()
        assert [one async for one in scanner.scan(ScanScope(grace=timedelta(0), deep=True))] == []
        assert await ensure_schema(other.database, "me", utc_now) == 1
        await other.back_up(tmp_path / "again")
    first, second = (verify_backup(tmp_path / name, 1).manifest for name in ("backup", "again"))
    assert (first.collections, first.objects, first.missing) == (second.collections, second.objects, ())


async def test_a_backup_has_no_secret_and_nothing_of_the_moment(full: Installation, tmp_path: Path) -> None:
    await full.back_up(tmp_path / "backup")
    names = set(verify_backup(tmp_path / "backup", 1).manifest.collections)
    assert names == {"audit", "fixtures_active", "fixtures_completed"}
    everything = b"".join(path.read_bytes() for path in (tmp_path / "backup").rglob("*") if path.is_file())
    assert b"hunter2" not in everything
    assert b"in work" not in everything
    assert (tmp_path / "backup").stat().st_mode & 0o077 == 0


def test_every_collection_is_backed_up_or_left_out_on_purpose() -> None:
    """A new collection fails here until somebody has decided."""
    table = (ROOT / "docs" / "data.md").read_text(encoding="utf-8").partition("\n## ")[0]
    first_cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    documented = {name for cell in first_cells for name in re.findall(r"`(\w+)`", cell)}
    assert documented - LEFT_OUT_COLLECTIONS == BACKED_UP
    assert documented >= LEFT_OUT_COLLECTIONS


async def test_nobody_is_signed_in_by_a_restore(
    full: Installation, platform: PlatformEndpoints, tmp_path: Path
) -> None:
    """Also not by a backup of a build that did not leave such records out."""
    await full.back_up(tmp_path / "backup")
    manifest = json.loads((tmp_path / "backup" / MANIFEST).read_text())
    for name in ("user_sessions", "one_time_links"):
        path = tmp_path / "backup" / "collections" / f"{name}.jsonl"
        path.write_text('{"_id": "ended long ago"}\n')
        manifest["collections"][name] = {"entries": 1, "bytes": path.stat().st_size, "sha256": hash_file(path)}
    (tmp_path / "backup" / MANIFEST).write_text(json.dumps(manifest))
    async with empty_installation(platform) as other:
        await other.restore(tmp_path / "backup")
        assert not {"user_sessions", "one_time_links"} & set(await other.database.list_collection_names())
        assert await other.read_all() == await full.read_all()


async def test_records_alone_are_restored_beside_their_objects_only(
    full: Installation, platform: PlatformEndpoints, tmp_path: Path
) -> None:
    await full.back_up(tmp_path / "backup", objects=False)
    assert not (tmp_path / "backup" / OBJECT_LIST).exists()
    async with empty_installation(platform) as other:
        with pytest.raises(Conflict, match=r"12 objects of clips are neither .* --allow-missing"):
            await other.restore(tmp_path / "backup")
        assert await other.read_all() == {}
        kept = Installation(other.database, full.objects)
        await kept.restore(tmp_path / "backup")
        assert await kept.read_all() == await full.read_all()


async def test_a_place_that_is_not_empty_is_refused(
    full: Installation, platform: PlatformEndpoints, tmp_path: Path
) -> None:
    await full.back_up(tmp_path / "backup")
    before = await full.read_all()
    with pytest.raises(Conflict, match="the database is not empty"):
        await full.restore(tmp_path / "backup")
    assert await full.read_all() == before
    async with empty_installation(platform) as other:
        await other.objects.put_bytes("1/old.mp4", b"newer", content_type="video/mp4")
        with pytest.raises(Conflict, match="is not empty"):
            await other.restore(tmp_path / "backup")
        assert await other.read_all() == {}


async def test_a_restore_that_did_not_end_is_continued_with_the_same_backup_only(
    full: Installation, platform: PlatformEndpoints, tmp_path: Path
) -> None:
    await full.back_up(tmp_path / "backup")
    await full.back_up(tmp_path / "another")
    async with empty_installation(platform) as other:
        name = verify_backup(tmp_path / "backup", 1).name
        await BackupStore(other.database).begin_restore(name, utc_now())
        await BackupStore(other.database).write_documents("audit", [ODD_VALUES])
        with pytest.raises(ConfigError, match="restore did not end"):
            await ensure_schema(other.database, "me", utc_now)
        with pytest.raises(Conflict, match="another backup"):
            await other.restore(tmp_path / "another")
        await other.restore(tmp_path / "backup")
        assert await other.read_all() == await full.read_all()
        assert await ensure_schema(other.database, "me", utc_now) == 1


def list_names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


async def test_a_backup_is_written_into_a_new_folder_or_not_at_all(full: Installation, tmp_path: Path) -> None:
    (tmp_path / "backup").mkdir()
    with pytest.raises(BadInput, match="exists"):
        await full.back_up(tmp_path / "backup")

    class BrokenStore(ObjectStore):
        async def get_file(self, key: str, path: Path) -> None:  # type: ignore[override]
            raise OSError(f"no space left for {key} in {path}")

    full.objects.__class__ = BrokenStore
    with pytest.raises(OSError, match="no space left"):
        await full.back_up(tmp_path / "new")
    full.objects.__class__ = ObjectStore
    assert list_names(tmp_path) == ["backup"]


async def test_any_change_of_a_backup_is_noticed(full: Installation, tmp_path: Path) -> None:
    """One backup, changed in one way at a time."""
    await full.back_up(tmp_path / "good")

    def refused(reason: str) -> None:
        with pytest.raises(BadInput, match=reason):
            verify_backup(tmp_path / "bad", 1)
        shutil.rmtree(tmp_path / "bad")

    def copy() -> Path:
        return Path(shutil.copytree(tmp_path / "good", tmp_path / "bad", symlinks=True))

    def rewrite_manifest(bad: Path, **changes: object) -> None:
        manifest = json.loads((bad / MANIFEST).read_text())
        (bad / MANIFEST).write_text(json.dumps(manifest | changes))

    bad = copy()
    (bad / MANIFEST).unlink()
    refused("not a complete backup")
    rewrite_manifest(copy(), format=2)
    refused("cannot be read")
    rewrite_manifest(copy(), schema_version=2)
    refused("schema version 2, this build knows 1")
    audit = copy() / "collections" / "audit.jsonl"
    audit.write_bytes(audit.read_bytes().replace(b"Int", b"int").replace(b"0.10", b"0.11"))
    refused("audit.jsonl is not the file that was backed up")
    (copy() / "collections" / "audit.jsonl").unlink()
    refused("audit.jsonl is missing")
    (copy() / "collections" / "users.jsonl").write_text("{}\n")
    refused("users.jsonl does not belong")
    bad = copy()
    (bad / "collections" / "installation.jsonl").write_text("")
    known = json.loads((bad / MANIFEST).read_text())["collections"]
    empty = {"entries": 0, "bytes": 0, "sha256": hash_file(bad / "collections" / "installation.jsonl")}
    rewrite_manifest(bad, collections={**known, "installation": empty})
    refused("installation does not belong")
    bad = copy()
    rewrite_manifest(bad, collections={**known, "audit": {**known["audit"], "entries": 2}})
    refused("audit.jsonl has 1 entries instead of 2")
    bad = copy()
    listing = json.loads((bad / MANIFEST).read_text())["objects"]
    rewrite_manifest(bad, objects={**listing, "entries": 14})
    refused("objects.jsonl has 15 entries instead of 14")
    blob = next((copy() / "objects").rglob("*/*"))
    blob.write_bytes(blob.read_bytes()[::-1] + b"!")
    refused("is not the object that was backed up")
    blob = next((copy() / "objects").rglob("*/*"))
    blob.unlink()
    blob.symlink_to("/etc/hostname")
    refused("backed up|does not belong")
    bad = copy()
    lines = (bad / OBJECT_LIST).read_text().replace('"key":"', '"key":"../')
    (bad / OBJECT_LIST).write_text(lines.replace('"sha256":"', '"sha256":"../../'))
    listed = {"entries": 15, "bytes": (bad / OBJECT_LIST).stat().st_size, "sha256": hash_file(bad / OBJECT_LIST)}
    rewrite_manifest(bad, objects=listed)
    refused(r"line 1 of objects.jsonl is not an object")
    verify_backup(tmp_path / "good", 1)


def test_the_schema_version_of_this_build_is_that_of_its_last_migration() -> None:
    assert schema.FIRST_VERSION + len(schema.MIGRATIONS) == schema.SCHEMA_VERSION
    assert [one.version for one in schema.MIGRATIONS] == list(range(2, 2 + len(schema.MIGRATIONS)))
