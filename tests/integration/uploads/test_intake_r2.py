"""R2's notifications, pulled from a simulated Cloudflare queue into ours."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta

import pytest

from found_footy.embedded.endpoints import PlatformEndpoints
from found_footy.platform.errors import Denied, ExternalSystemError, Malformed, NotFound, RateLimited, Unavailable
from found_footy.platform.http.client import SafeHttpClient
from found_footy.platform.mongo import Database
from found_footy.platform.queue_connection import QueueConnection
from found_footy.platform.settings.addresses import host_and_port
from found_footy.uploads.intake.notification_intake import NotificationIntake
from found_footy.uploads.intake.publisher import EventPublisher
from found_footy.uploads.intake.r2_pull import R2Puller, R2QueueClient
from found_footy_sim.app_server import serve_app
from found_footy_sim.r2_queue.server import BodyForm, QueueFault, R2Queue
from tests.support.patience import eventually
from tests.support.uploads.intake import Intake, open_intake
from tests.support.uploads.notifications import BUCKET, r2_body

INTERVAL = timedelta(milliseconds=50)


@dataclass
class Pulling:
    queue: R2Queue
    http: SafeHttpClient
    base: str
    intake: Intake

    def client(self, *, token: str = "", queue: str = "queue1") -> R2QueueClient:
        return R2QueueClient(self.http, self.base, "account1", queue, token or self.queue.token)

    @property
    def puller(self) -> R2Puller:
        return R2Puller(self.client(), self.intake.notifications, INTERVAL)


@pytest.fixture
async def pulling(platform: PlatformEndpoints, database: Database) -> AsyncIterator[Pulling]:
    queue = R2Queue()
    with serve_app(queue.app) as url:
        http = SafeHttpClient(
            system="Cloudflare Queues", allowed_hosts=[host_and_port(url)], trusted_private=[host_and_port(url)]
        )
        async with open_intake(platform.nats_url, database) as intake:
            yield Pulling(queue, http, f"{url}/client/v4", intake)
        await http.aclose()


async def test_notifications_in_every_form_are_moved_and_then_acknowledged(pulling: Pulling) -> None:
    forms = [form for form in BodyForm if form is not BodyForm.V8]
    ids = [pulling.queue.add(r2_body(f"acme/{form}.jpg"), form) for form in forms]
    ids += [pulling.queue.add("garbage", BodyForm.TEXT), pulling.queue.add({"a": 1}, BodyForm.V8)]
    assert await pulling.puller.move_batch() == len(ids)
    assert sorted(pulling.queue.acknowledged) == sorted(ids)
    assert (await pulling.intake.read_backlog()).messages == len(forms)
    assert await pulling.intake.letters.count() == 2
    assert await pulling.puller.move_batch() == 0


FAULTS: list[tuple[QueueFault, type[ExternalSystemError]]] = [
    (QueueFault.RATE_LIMITED, RateLimited),
    (QueueFault.SERVER_ERROR, Unavailable),
    (QueueFault.NOT_JSON, Malformed),
    (QueueFault.NO_RESULT, Malformed),
]


@pytest.mark.parametrize(("fault", "kind"), FAULTS)
async def test_a_failing_queue_raises_a_typed_error(
    pulling: Pulling, fault: QueueFault, kind: type[ExternalSystemError]
) -> None:
    pulling.queue.faults.append(fault)
    with pytest.raises(kind) as caught:
        await pulling.client().pull()
    if isinstance(caught.value, RateLimited):
        assert caught.value.retry_after == 1


async def test_a_refused_token_and_a_missing_queue_are_told_apart(pulling: Pulling) -> None:
    with pytest.raises(Denied, match="Authentication error") as caught:
        await pulling.client(token="wrong-token").pull()
    assert "wrong-token" not in str(caught.value)
    with pytest.raises(NotFound, match="queue not found"):
        await pulling.client(queue="queue2").pull()


async def test_what_our_queue_did_not_store_is_asked_for_again(pulling: Pulling, database: Database) -> None:
    pulling.queue.add(r2_body("acme/a.jpg"))
    away = QueueConnection("nats://127.0.0.1:1")  # not opened, so never connected
    intake = NotificationIntake(EventPublisher(away), pulling.intake.letters, BUCKET)
    with pytest.raises(Unavailable):
        await R2Puller(pulling.client(), intake, INTERVAL).move_batch()
    assert not pulling.queue.acknowledged
    assert len(pulling.queue.requests[-1]["body"]["retries"]) == 1
    pulling.queue.messages[0].ready_at = 0.0
    assert await pulling.puller.move_batch() == 1


async def test_the_puller_goes_on_after_failures(pulling: Pulling) -> None:
    pulling.queue.faults += [QueueFault.SERVER_ERROR, QueueFault.NOT_JSON]
    wanted = pulling.queue.add(r2_body("acme/a.jpg"))
    task = asyncio.create_task(pulling.puller.run())
    try:
        await eventually(lambda: pulling.queue.acknowledged == [wanted])
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
