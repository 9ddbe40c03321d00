"""Workers AI by its documentation: each error is the one that says what to do next."""

from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from pydantic import SecretStr

from found_footy.platform.errors import (
    BadInput,
    ConfigError,
    Denied,
    FoundFootyError,
    Malformed,
    RateLimited,
    TooLarge,
    Unavailable,
)
from found_footy.uploads.classifiers.factory import build_upload_classifier
from found_footy.uploads.classifiers.workers_ai import MODEL_NAME, WorkersAiClassifier
from found_footy.uploads.classifiers.workers_ai_errors import (
    DayAllocationUsed,
    PictureNotAccepted,
    PictureTooLargeForClassifier,
)
from found_footy.uploads.settings import UploadSettings
from found_footy_sim.workers_ai.faults import ERROR_BY_FAULT, WorkersAiFault
from found_footy_sim.workers_ai.loopback_server import serve_workers_ai
from found_footy_sim.workers_ai.server import WorkersAiServer
from tests.support.patience import PATIENCE

TOKEN = "a-token-of-cloudflare"
PIXELS = np.random.default_rng(3).integers(0, 255, (320, 700, 3), np.uint8)
NOON = datetime(2026, 11, 17, 12, 0, tzinfo=UTC)

Build = Callable[..., WorkersAiClassifier]


@pytest.fixture
def service() -> WorkersAiServer:
    return WorkersAiServer(TOKEN)


@pytest.fixture
def address(service: WorkersAiServer) -> Iterator[str]:
    with serve_workers_ai(service) as url:
        yield url


@pytest.fixture
async def build(address: str) -> AsyncIterator[Build]:
    made: list[WorkersAiClassifier] = []

    def make(**changes: Any) -> WorkersAiClassifier:
        values = {"workers_ai_token": SecretStr(TOKEN), "workers_ai_account": "acc0", "workers_ai_timeout": PATIENCE}
        settings = UploadSettings(classifier="workers-ai", workers_ai_url=address, **(values | changes))
        classifier = build_upload_classifier(settings, Path())
        assert isinstance(classifier, WorkersAiClassifier)
        classifier._now = lambda: NOON
        made.append(classifier)
        return classifier

    yield make
    for classifier in made:
        await classifier.aclose()


async def test_labels_come_back_normalized_and_best_first(service: WorkersAiServer, build: Build) -> None:
    found = await build().classify(PIXELS)
    scores = [one.score for one in found.labels]
    assert (found.model_name, found.model_sha256) == (MODEL_NAME, "")
    assert len(scores) == 5
    assert scores == sorted(scores, reverse=True)
    assert all(one.label == one.label.lower() for one in found.labels)
    with Image.open(BytesIO(service.pictures[0])) as sent:
        assert (sent.format, max(sent.size)) == ("JPEG", 512)
    assert len(service.pictures[0]) < 1_000_000


ERRORS: dict[WorkersAiFault, type[FoundFootyError]] = {
    WorkersAiFault.MISSING_BODY: PictureNotAccepted,
    WorkersAiFault.INVALID_TYPE: PictureNotAccepted,
    WorkersAiFault.UNDECODABLE: PictureNotAccepted,
    WorkersAiFault.UNDECODABLE_500: PictureNotAccepted,
    WorkersAiFault.NO_SUCH_MODEL: ConfigError,
    WorkersAiFault.INVALID_MODEL_ID: ConfigError,
    WorkersAiFault.TOO_LARGE: PictureTooLargeForClassifier,
    WorkersAiFault.TIMEOUT: Unavailable,
    WorkersAiFault.ABORTED: Unavailable,
    WorkersAiFault.SERVER_ERROR: Unavailable,
    WorkersAiFault.GATEWAY_HTML: Unavailable,
    WorkersAiFault.HALF_BODY: Unavailable,
    WorkersAiFault.DAY_USED_UP: DayAllocationUsed,
    WorkersAiFault.NO_CAPACITY: RateLimited,
    WorkersAiFault.RATE_LIMITED: RateLimited,
    WorkersAiFault.FAILED_WITH_200: RateLimited,
    WorkersAiFault.ACCOUNT_BLOCKED: Denied,
    WorkersAiFault.NOT_ALLOWED: Denied,
    WorkersAiFault.NOT_PERMITTED: Denied,
    WorkersAiFault.UNAUTHENTICATED: Denied,
    WorkersAiFault.UNAUTHORIZED: Denied,
    WorkersAiFault.NOT_JSON: Malformed,
    WorkersAiFault.NO_RESULT: Malformed,
    WorkersAiFault.EMPTY_RESULT: Malformed,
    WorkersAiFault.WRONG_TYPES: Malformed,
    WorkersAiFault.FLOOD: TooLarge,
}
RETRYABLE = {Unavailable, RateLimited, DayAllocationUsed, Malformed}
HARMLESS = {WorkersAiFault.NONE, WorkersAiFault.SOME_FIELDS_MISSING, WorkersAiFault.UNSORTED, WorkersAiFault.SLOW}


def test_every_fault_of_the_service_is_tried() -> None:
    assert set(ERRORS) | HARMLESS == set(WorkersAiFault)
    assert set(ERROR_BY_FAULT) <= set(ERRORS)


@pytest.mark.parametrize("fault", ERRORS)
async def test_each_error_says_what_to_do_next(service: WorkersAiServer, build: Build, fault: WorkersAiFault) -> None:
    service.fault = fault
    with pytest.raises(FoundFootyError) as failed:
        await build().classify(PIXELS)
    assert type(failed.value) is ERRORS[fault]
    assert failed.value.retryable is (ERRORS[fault] in RETRYABLE)
    assert isinstance(failed.value, BadInput) is (ERRORS[fault] is PictureNotAccepted)
    assert TOKEN not in str(failed.value)


async def test_the_allocation_of_a_day_is_waited_for_until_midnight(service: WorkersAiServer, build: Build) -> None:
    service.fault = WorkersAiFault.DAY_USED_UP
    with pytest.raises(DayAllocationUsed) as failed:
        await build().classify(PIXELS)
    assert failed.value.retry_after == 12 * 3600


@pytest.mark.parametrize(("header", "seconds"), [(None, 30.0), ("7", 7.0), ("999999", 3600.0), ("soon", 30.0)])
async def test_a_service_without_capacity_is_given_time(
    service: WorkersAiServer, build: Build, header: str | None, seconds: float
) -> None:
    service.fault, service.retry_after = WorkersAiFault.NO_CAPACITY, header
    with pytest.raises(RateLimited) as failed:
        await build().classify(PIXELS)
    assert failed.value.retry_after == seconds


async def test_a_picture_that_is_too_large_is_sent_once_more_and_smaller(
    service: WorkersAiServer, build: Build
) -> None:
    service.fault, service.faults_left = WorkersAiFault.TOO_LARGE, 1
    assert (await build().classify(PIXELS)).labels
    assert service.requests == 2
    with Image.open(BytesIO(service.pictures[0])) as sent:
        assert max(sent.size) == 256


async def test_labels_without_a_score_are_left_out_and_the_others_sorted(
    service: WorkersAiServer, build: Build
) -> None:
    classifier = build()
    expected = await classifier.classify(PIXELS)
    for fault in (WorkersAiFault.SOME_FIELDS_MISSING, WorkersAiFault.UNSORTED):
        service.fault = fault
        assert await classifier.classify(PIXELS) == expected


async def test_a_service_that_does_not_answer_is_unavailable(service: WorkersAiServer, build: Build) -> None:
    service.fault = WorkersAiFault.SLOW
    with pytest.raises(Unavailable, match="took longer"):
        await build(workers_ai_timeout=timedelta(milliseconds=300)).classify(PIXELS)


@pytest.mark.parametrize(
    "changes",
    [
        {"workers_ai_token": SecretStr("another-token-of-nobody")},
        {"workers_ai_account": "a%2Fb"},
        {"workers_ai_account": "acc1"},
    ],
)
async def test_wrong_credentials_are_denied(build: Build, changes: dict[str, Any]) -> None:
    with pytest.raises(Denied):
        await build(**changes).classify(PIXELS)


async def test_a_service_that_is_away_is_unavailable(service: WorkersAiServer) -> None:
    with serve_workers_ai(service) as url:
        pass
    settings = UploadSettings(
        classifier="workers-ai", workers_ai_url=url, workers_ai_token=SecretStr(TOKEN), workers_ai_account="acc0"
    )
    classifier = build_upload_classifier(settings, Path())
    with pytest.raises(Unavailable):
        await classifier.classify(PIXELS)
    await classifier.aclose()
