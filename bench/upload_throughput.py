"""Images per second from PUT to classified with one worker, against the classifier alone; latency; growth.

    python -m bench.upload_throughput [--images 400] [--clients 16] [--idle 200] [--width 640]
                                      [--rows 100,1000,10000] [--organizations 1,10,100] [--rounds 20]

Real MongoDB, Temporal, object store and NATS on this machine; page and worker as processes with shipped settings,
except that the bucket is compared with the rows only at the start: rows that are inserted for size have no object. The
limit is the classifier alone: the same pictures, decoded before, through the same micro-batches with as many waiting,
measured before and after. A time ends when the row says so (`completedAt`); the row's history tells where the time of
one image goes. Exit code 1 below 60 % of the limit.
"""

import argparse
import asyncio
import io
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, aclosing, asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from http import HTTPStatus
from pathlib import Path
from typing import Any
from uuid import uuid4

from PIL import Image

from found_footy import app
from found_footy.app import AppContext
from found_footy.domain.uploads import classification_workflow_id, compute_event_id, object_key
from found_footy.embedded.supervisor import Supervisor
from found_footy.platform.clock import utc_now
from found_footy.platform.free_port import find_free_port
from found_footy.platform.http.issued_keys import generate_key
from found_footy.platform.media.frames import Pixels
from found_footy.platform.media.image_decoder import ImageLimits
from found_footy.platform.objects import ObjectStore
from found_footy.settings import load_settings
from found_footy.uploads.classifiers.classification import UploadClassifier
from found_footy.uploads.classifiers.factory import build_upload_classifier
from found_footy.uploads.images.preparation import PreparedImage, prepare_image
from found_footy.uploads.organizations.store import Organization, OrganizationStore
from found_footy.uploads_factory import build_uploads_store
from found_footy_sim.demo.startup import start_product
from found_footy_sim.scorecard.distribution import compute_quantile
from found_footy_sim.uploads.client import OrganizationClient
from found_footy_sim.uploads.pictures import Motif, draw_picture
from found_footy_sim.uploads.true_labels import check_model, find_model_dir
from tests.support.command_line import clean_environment

TARGET_SHARE = 0.6
LONGEST_WAIT_SECONDS = 1800.0
POLL_SECONDS = 0.02
INSERT_BATCH = 2000


@dataclass(frozen=True)
class Sent:
    name: str
    at: datetime
    answer_seconds: float


@dataclass(frozen=True)
class IdleTimes:
    """Seconds of images that are sent one after another. The parts follow each other and add up to `to_classified`."""

    to_answer: list[float] = field(default_factory=list)
    to_row: list[float] = field(default_factory=list)
    to_start: list[float] = field(default_factory=list)
    to_result: list[float] = field(default_factory=list)
    to_classified: list[float] = field(default_factory=list)

    def add(self, sent: Sent, row: dict[str, Any]) -> None:
        at = {entry["what"]: entry["at"] for entry in row["history"]}
        marks = [sent.at, at["stored"], at["started"], row["completedAt"]]
        for part, begin, end in zip((self.to_row, self.to_start, self.to_result), marks, marks[1:], strict=False):
            part.append((end - begin).total_seconds())
        self.to_answer.append(sent.answer_seconds)
        self.to_classified.append((row["completedAt"] - sent.at).total_seconds())

    def describe_parts(self) -> str:
        parts = {"row stored": self.to_row, "classification started": self.to_start, "result": self.to_result}
        return ", ".join(f"{name} after {statistics.median(times) * 1000:.0f} ms" for name, times in parts.items())


@dataclass(frozen=True)
class Bench:
    app: AppContext
    client: OrganizationClient
    pictures: Sequence[bytes]

    @property
    def organization_id(self) -> str:
        return self.client.organization_id

    async def send(self, number: int) -> Sent:
        name, at, began = f"{uuid4().hex}.jpg", utc_now(), time.perf_counter()
        answer = await self.client.upload(name, self.pictures[number % len(self.pictures)])
        assert answer.status == HTTPStatus.CREATED, answer
        return Sent(name, at, time.perf_counter() - began)

    async def wait_classified(self, names: Sequence[str]) -> list[dict[str, Any]]:
        """The rows of the names, once all are classified."""
        query = {"organizationId": self.organization_id, "name": {"$in": list(names)}, "status": "classified"}
        deadline = time.monotonic() + LONGEST_WAIT_SECONDS
        while await self.app.database["uploads"].count_documents(query) < len(names):
            assert time.monotonic() < deadline, "not classified in time"
            await asyncio.sleep(POLL_SECONDS)
        return await self.app.database["uploads"].find(query, {"completedAt": 1, "history": 1}).to_list()


async def measure_throughput(bench: Bench, images: int, clients: int) -> float:
    """Images per second from the first PUT to the last classification, PUT by so many clients at once."""
    numbers = iter(range(images))

    async def send_all() -> list[Sent]:
        return [await bench.send(number) for number in numbers]

    sent = [one for each in await asyncio.gather(*(send_all() for _ in range(clients))) for one in each]
    rows = await bench.wait_classified([one.name for one in sent])
    ended: datetime = max(row["completedAt"] for row in rows)
    return images / (ended - min(one.at for one in sent)).total_seconds()


async def measure_idle(bench: Bench, images: int) -> IdleTimes:
    times = IdleTimes()
    for number in range(images):
        sent = await bench.send(number)
        (row,) = await bench.wait_classified([sent.name])
        times.add(sent, row)
    return times


async def measure_list(bench: Bench, rounds: int) -> list[float]:
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        answer = await bench.client.get_list()
        times.append(time.perf_counter() - began)
        assert answer.status == HTTPStatus.OK, answer
    return times


async def measure_alone(classifier: UploadClassifier, pictures: Sequence[Pixels], images: int, waiting: int) -> float:
    """Images per second of the classifier with so many waiting."""
    numbers = iter(range(images))

    async def classify_all() -> None:
        for number in numbers:
            await classifier.classify(pictures[number % len(pictures)])

    await classifier.classify(pictures[0])  # the first one loads the model
    began = time.perf_counter()
    await asyncio.gather(*(classify_all() for _ in range(waiting)))
    return images / (time.perf_counter() - began)


def draw_pictures(width: int) -> list[bytes]:
    """One JPEG of every motif, in the shape of a photograph."""
    found = []
    for motif in Motif:
        data = io.BytesIO()
        small = Image.open(io.BytesIO(draw_picture(motif, 0)))
        small.resize((width, width * 3 // 4)).save(data, "JPEG", quality=90)
        found.append(data.getvalue())
    return found


async def decode(pictures: Sequence[bytes]) -> list[Pixels]:
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for data in pictures:
            source = Path(folder) / "picture"
            source.write_bytes(data)
            image = await prepare_image(source, Path(folder), ImageLimits())
            assert isinstance(image, PreparedImage)
            found.append(image.pixels)
    return found


async def insert_rows(bench: Bench, template: dict[str, Any], organization_id: str, count: int) -> None:
    """Rows of images that are not stored; together with those before, `count`."""
    rows = bench.app.database["uploads"]
    missing = count - await rows.count_documents({"organizationId": organization_id})
    for first in range(0, missing, INSERT_BATCH):
        await rows.insert_many(
            [build_row(template, organization_id) for _ in range(min(INSERT_BATCH, missing - first))], ordered=False
        )


def build_row(template: dict[str, Any], organization_id: str) -> dict[str, Any]:
    name = f"{uuid4().hex}.jpg"
    key = object_key(organization_id, name)
    event_id = compute_event_id(key, template["etag"])
    own = {"organizationId": organization_id, "name": name, "key": key, "eventId": event_id}
    return {**template, **own, "workflowId": classification_workflow_id(event_id), "revision": uuid4().hex}


async def measure_growth(bench: Bench, rows: Sequence[int], organizations: Sequence[int], rounds: int) -> None:
    """First one organization with ever more rows, then ever more organizations with the first count of rows each."""
    template = await read_template(bench)
    print("\norganizations  rows each   PUT answered   PUT to classified   list of 50   (p50)")
    async with add_organization(bench, "growing") as growing:
        for count in rows:
            await insert_rows(bench, template, growing.organization_id, count)
            await report_growth(growing, 1, count, rounds)
    async with add_organization(bench, "neighbour-0") as first:
        for organization_count in organizations:
            for number in range(organization_count):
                await insert_rows(bench, template, f"neighbour-{number}", rows[0])
            await report_growth(first, organization_count, rows[0], rounds)


async def read_template(bench: Bench) -> dict[str, Any]:
    """A row as the product writes it."""
    sent = await bench.send(0)
    await bench.wait_classified([sent.name])
    found = await bench.app.database["uploads"].find_one(
        {"organizationId": bench.organization_id, "name": sent.name}, {"_id": 0}
    )
    assert found is not None
    return found


async def report_growth(bench: Bench, organizations: int, rows: int, rounds: int) -> None:
    times = await measure_idle(bench, rounds)
    listed = await measure_list(bench, rounds)
    measured = (times.to_answer, times.to_classified, listed)
    figures = "   ".join(f"{statistics.median(each) * 1000:10.0f} ms" for each in measured)
    print(f"{organizations:13}  {rows:9}   {figures}", flush=True)


@asynccontextmanager
async def opened(pictures: Sequence[bytes]) -> AsyncIterator[Bench]:
    async with AsyncExitStack() as stack:
        data = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "data"
        env = clean_environment(
            FOOTY_DATA_DIR=str(data), FOOTY_WEB__PORT=str(find_free_port()), FOOTY_UPLOADS__RECONCILE_INTERVAL="24h"
        )
        check_model(load_settings(env).settings)
        supervisor = await stack.enter_async_context(Supervisor(data, abrupt=True))
        settings = load_settings(env).settings
        await start_product(supervisor, settings, env)
        opened_app = await stack.enter_async_context(app.open_app(settings))
        objects = await stack.enter_async_context(aclosing(build_uploads_store(settings)))
        await objects.ensure_bucket()
        yield await stack.enter_async_context(open_bench(opened_app, objects, pictures, "bench"))


@asynccontextmanager
async def open_bench(
    opened_app: AppContext, objects: ObjectStore, pictures: Sequence[bytes], organization_id: str
) -> AsyncIterator[Bench]:
    key, record = generate_key()
    await OrganizationStore(opened_app.database).add(Organization(organization_id, record, utc_now()))
    address = f"http://127.0.0.1:{opened_app.settings.web.port}"
    async with aclosing(OrganizationClient(address, organization_id, key, "", objects)) as client:
        yield Bench(opened_app, client, pictures)


def add_organization(bench: Bench, organization_id: str) -> AbstractAsyncContextManager[Bench]:
    return open_bench(bench.app, bench.client.store, bench.pictures, organization_id)


async def run(chosen: argparse.Namespace) -> int:
    pictures = draw_pictures(chosen.width)
    decoded = await decode(pictures)
    async with opened(pictures) as bench:
        settings = bench.app.settings
        alone = build_upload_classifier(settings.uploads, find_model_dir(settings))
        async with aclosing(alone):
            await measure_idle(bench, 3)  # the worker loads its model
            before = await measure_alone(alone, decoded, chosen.images, chosen.clients)
            idle = await measure_idle(bench, chosen.idle)
            rate = await measure_throughput(bench, chosen.images, chosen.clients)
            after = await measure_alone(alone, decoded, chosen.images, chosen.clients)
        seconds = sorted(idle.to_classified)
        limit = (before + after) / 2
        print(f"classifier alone: {before:.1f} images a second before, {after:.1f} after")
        print(f"PUT to classified: {rate:.1f} images a second, {rate / limit:.0%} of the classifier alone")
        p50, p99 = (compute_quantile(seconds, share) * 1000 for share in (0.5, 0.99))
        print(f"one image at a time: p50 {p50:.0f} ms, p99 {p99:.0f} ms, {len(seconds)} images")
        print(f"of that, one part after another: {idle.describe_parts()} (p50)")
        await measure_growth(bench, chosen.rows, chosen.organizations, chosen.rounds)
    return 0 if rate >= TARGET_SHARE * limit else 1


def parse_counts(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    arguments.add_argument("--images", type=int, default=400)
    arguments.add_argument("--clients", type=int, default=16)
    arguments.add_argument("--idle", type=int, default=200)
    arguments.add_argument("--width", type=int, default=640)
    arguments.add_argument("--rows", type=parse_counts, default=[100, 1000, 10_000])
    arguments.add_argument("--organizations", type=parse_counts, default=[1, 10, 100])
    arguments.add_argument("--rounds", type=int, default=20)
    sys.exit(asyncio.run(run(arguments.parse_args())))


if __name__ == "__main__":
    main()
