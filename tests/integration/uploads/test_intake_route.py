"""The route for notifications: who may send, what is answered when; and a real SeaweedFS that sends."""

import hmac
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path

import httpx
import pytest
from pydantic import SecretStr

from found_footy.embedded.endpoints import PlatformEndpoints
from found_footy.embedded.server import NotificationTarget
from found_footy.embedded.supervisor import Supervisor
from found_footy.platform.errors import ConfigError
from found_footy.platform.free_port import find_free_port
from found_footy.platform.mongo import Database
from found_footy.platform.objects import ObjectStore
from found_footy.platform.queue_connection import QueueConnection
from found_footy.uploads.intake.notification_intake import NotificationIntake
from found_footy.uploads.intake.notification_parser import MAX_NOTIFICATION_BYTES
from found_footy.uploads.intake.publisher import EventPublisher
from found_footy.uploads.settings import UploadSettings
from found_footy.web.app import create_app
from found_footy.web.deps import WebDeps
from found_footy.web.server import serve_app
from found_footy.web.settings import OBJECT_NOTIFICATIONS_PATH as PATH
from found_footy.web.settings import WebSettings
from found_footy.web.uploads.notification_deps import build_notification_deps
from tests.support.embedded.stored_data import all_but
from tests.support.patience import PATIENCE_SECONDS, eventually
from tests.support.uploads.intake import Intake, open_intake
from tests.support.uploads.notifications import BUCKET, aws_record, r2_body, seaweedfs_body
from tests.support.web.page import open_client, report_all_ok

SECRET = "a-secret-of-the-tests"
SETTINGS = UploadSettings(notification_secret=SecretStr(SECRET))


@dataclass
class Route:
    deps: WebDeps
    intake: Intake

    async def send(
        self, body: object, *, token: str = f"Bearer {SECRET}", headers: dict[str, str] | None = None
    ) -> httpx.Response:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        async with open_client(self.deps) as client:
            return await client.post(PATH, content=content, headers={"authorization": token, **(headers or {})})


@pytest.fixture
async def route(platform: PlatformEndpoints, database: Database, objects: ObjectStore) -> AsyncIterator[Route]:
    async with open_intake(platform.nats_url, database) as intake:
        deps = WebDeps(database, objects, report_all_ok)
        yield Route(replace(deps, notifications=build_notification_deps(SETTINGS, intake.notifications)), intake)


async def test_a_notification_is_stored_before_it_is_answered(route: Route) -> None:
    answer = await route.send({"Records": [aws_record("acme/a.jpg"), aws_record("b", bucket="clips"), {"x": 1}]})
    assert (answer.status_code, answer.json()) == (200, {"published": 1, "ignored": 1, "parked": 1})
    assert (await route.intake.read_backlog()).messages == 1


@pytest.mark.parametrize("body", [b"garbage", b"[" * 100_000, b"", {"what": "is this"}])
async def test_what_cannot_be_read_is_parked_and_not_sent_again(route: Route, body: object) -> None:
    answer = await route.send(body)
    assert (answer.status_code, answer.json()["parked"]) == (200, 1)
    assert await route.intake.letters.count() == 1


@pytest.mark.parametrize("token", ["", "Bearer", "Bearer wrong", SECRET, f"Basic {SECRET}"])
async def test_without_the_secret_nothing_is_read(route: Route, token: str) -> None:
    answer = await route.send(r2_body("acme/a.jpg"), token=token)
    assert answer.status_code == 401
    assert SECRET not in answer.text
    assert (await route.intake.read_backlog()).messages == 0


async def test_the_secret_is_compared_in_constant_time(route: Route, monkeypatch: pytest.MonkeyPatch) -> None:
    """A comparison that ends at the first wrong character tells by its duration how many were right."""
    compared: list[tuple[bytes, bytes]] = []

    def record(given: bytes, wanted: bytes) -> bool:
        compared.append((given, wanted))
        return False

    monkeypatch.setattr(hmac, "compare_digest", record)
    assert (await route.send(r2_body("acme/a.jpg"))).status_code == 401
    assert compared == [(SECRET.encode(), SECRET.encode())]


async def test_without_a_secret_there_is_no_route(route: Route) -> None:
    closed = replace(route, deps=replace(route.deps, notifications=None))
    assert (await closed.send(r2_body("acme/a.jpg"))).status_code == 404
    assert build_notification_deps(UploadSettings(), route.intake.notifications) is None


async def test_a_store_without_a_secret_is_refused_at_the_start(route: Route) -> None:
    settings = UploadSettings(notification_stores=("minio",))
    with pytest.raises(ConfigError, match="NOTIFICATION_SECRET is not set"):
        build_notification_deps(settings, route.intake.notifications)


async def test_a_body_of_unknown_or_excessive_length_is_refused_unread(route: Route) -> None:
    too_long = {"content-length": str(MAX_NOTIFICATION_BYTES + 1)}
    assert (await route.send(b"x", headers=too_long)).status_code == 413
    assert (await route.send(b"x", headers={"transfer-encoding": "chunked"})).status_code == 411


async def test_while_the_queue_is_away_the_store_is_asked_to_send_again(route: Route) -> None:
    away = QueueConnection("nats://127.0.0.1:1")  # not opened, so never connected
    intake = NotificationIntake(EventPublisher(away), route.intake.letters, BUCKET)
    closed = replace(route, deps=replace(route.deps, notifications=build_notification_deps(SETTINGS, intake)))
    answer = await closed.send(seaweedfs_body("acme/a.jpg"))
    assert answer.status_code == 503
    assert int(answer.headers["retry-after"]) > 0
    assert "127.0.0.1" not in answer.text
    assert await route.intake.letters.count() == 0


async def test_a_real_seaweedfs_tells_of_uploads_and_of_nothing_else(route: Route, tmp_path: Path) -> None:
    port = find_free_port()
    target = NotificationTarget(f"http://127.0.0.1:{port}{PATH}", BUCKET, SECRET)
    async with (
        serve_app(create_app(route.deps), WebSettings(port=port)),
        Supervisor(tmp_path / "data", external=all_but("seaweedfs"), notifications=target, abrupt=True) as store,
    ):
        where = store.endpoints
        uploads, clips = (
            ObjectStore(where.s3_endpoint, where.s3_access_key, where.s3_secret_key, name) for name in (BUCKET, "clips")
        )
        for bucket in (uploads, clips):
            await bucket.ensure_bucket()
        await clips.put_bytes("acme/clip.mp4", b"clip", content_type="video/mp4")
        await uploads.put_bytes(".previews/x.jpg", b"preview", content_type="image/jpeg")
        await uploads.put_bytes("acme/café one+two.jpg", b"one", content_type="image/jpeg")
        await uploads.put_bytes("acme/café one+two.jpg", b"two", content_type="image/jpeg")
        await uploads.delete("acme/café one+two.jpg")
        async with route.intake.consume():
            await eventually(lambda: len(route.intake.agents.ingested) == 3, PATIENCE_SECONDS)
        assert set(route.intake.agents.ingested) == {"acme/café one+two.jpg"}
        assert await route.intake.letters.count() == 0
        for bucket in (uploads, clips):
            await bucket.aclose()
