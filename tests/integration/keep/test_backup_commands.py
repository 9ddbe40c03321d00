"""`found-footy backup` and `found-footy restore`, from one installation to another."""

from pathlib import Path
from uuid import uuid4

import pytest

from found_footy.cli import backup, console, restore
from found_footy.embedded.endpoints import PlatformEndpoints
from found_footy.platform.errors import Conflict
from found_footy.platform.mongo import Database, connect
from found_footy.platform.objects import ObjectStore
from found_footy.settings import Settings, load_settings
from tests.support.archive.stored_clips import open_stored_clips


def settings_of(platform: PlatformEndpoints, database: str, bucket: str) -> Settings:
    return load_settings(
        {
            "FOOTY_DATA_DIR": "nowhere",
            "MONGODB_URI": platform.mongodb_uri,
            "MONGODB_DATABASE": database,
            "S3_ENDPOINT": platform.s3_endpoint,
            "S3_ACCESS_KEY": platform.s3_access_key,
            "S3_SECRET_KEY": platform.s3_secret_key,
            "S3_BUCKET": bucket,
            "FOOTY_UPLOADS__BUCKET": f"{bucket}-uploads",
        }
    ).settings


async def test_a_backup_moves_an_installation(
    platform: PlatformEndpoints,
    database: Database,
    objects: ObjectStore,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    stored = open_stored_clips(database, objects)
    goal = await stored.goal(1, 2)
    first = settings_of(platform, database.name, objects.bucket)
    uploads = ObjectStore(
        platform.s3_endpoint, platform.s3_access_key, platform.s3_secret_key, bucket=f"{objects.bucket}-uploads"
    )
    await uploads.ensure_bucket()
    await uploads.put_bytes("acme/logo.png", b"a picture", content_type="image/png", metadata={"by": "Özil"})
    await uploads.aclose()
    folder = tmp_path / "backup"
    assert await backup.write_backup(first, folder, with_objects=True) == console.OK
    assert "1 records" in (said := capsys.readouterr().out)
    assert "11 objects" in said
    name, bucket = f"test_{uuid4().hex}", f"test-{uuid4().hex}"
    other = settings_of(platform, name, bucket)
    assert await restore.restore_backup(other, folder, verify_only=True, allow_missing=False) == console.OK
    assert "verified: 1 records and 11 objects" in capsys.readouterr().out
    async with connect(platform.mongodb_uri, name) as restored:
        assert await restored.list_collection_names() == []
        assert await restore.restore_backup(other, folder, verify_only=False, allow_missing=False) == console.OK
        copy = ObjectStore(platform.s3_endpoint, platform.s3_access_key, platform.s3_secret_key, bucket=bucket)
        assert await open_stored_clips(restored, copy).clips(goal) == await stored.clips(goal)
        await copy.aclose()
        with pytest.raises(Conflict, match="not empty"):
            await restore.restore_backup(other, folder, verify_only=False, allow_missing=False)
        await restored.client.drop_database(name)
    images = ObjectStore(
        platform.s3_endpoint, platform.s3_access_key, platform.s3_secret_key, bucket=f"{bucket}-uploads"
    )
    info = await images.head("acme/logo.png")
    assert info is not None
    assert (info.content_type, dict(info.metadata)) == ("image/png", {"by": "Özil"})
    await images.aclose()
