"""Classifies at Cloudflare: one request with a small JPEG per picture."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from io import BytesIO
from typing import Annotated, Any
from urllib.parse import quote

from PIL import Image
from pydantic import Field

from found_footy.platform.clock import utc_now
from found_footy.platform.errors import Malformed
from found_footy.platform.http.client import HttpResponse, SafeHttpClient
from found_footy.platform.http.retry_after import parse_retry_after
from found_footy.platform.media.frames import Pixels
from found_footy.platform.wire import CleanText, LenientItems, LenientText, ValidItems, WireModel, parse_or_none
from found_footy.uploads.classifiers.classification import TOP_COUNT, Classification, normalize_label
from found_footy.uploads.classifiers.workers_ai_errors import SYSTEM, PictureTooLargeForClassifier, build_error
from found_footy.uploads.messages import LabelScore

MODEL_NAME = "@cf/microsoft/resnet-50"
MAX_ANSWER_BYTES = 64 * 1024
_MAX_RETRY_AFTER = 3600.0
_MAX_LABEL_LENGTH = 100
_MAX_MESSAGE_LENGTH = 300
# Side and quality of the JPEG: as it is sent, and again if that is too large.
_SIZES = ((512, 90), (256, 75))


class _WireLabel(WireModel):
    label: Annotated[CleanText, Field(min_length=1, max_length=_MAX_LABEL_LENGTH)]
    score: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class _WireError(WireModel):
    code: int
    message: LenientText = ""


class _WireSuccess(WireModel):
    result: ValidItems[_WireLabel]
    success: bool = True


class _WireFailure(WireModel):
    errors: LenientItems[_WireError] = ()


@dataclass(frozen=True)
class WorkersAiOptions:
    """`base_url` without a slash at its end, as https://api.cloudflare.com/client/v4."""

    base_url: str
    account: str
    model: str = MODEL_NAME

    @property
    def run_url(self) -> str:
        return f"{self.base_url}/accounts/{quote(self.account, safe='')}/ai/run/{self.model}"


class WorkersAiClassifier:
    """An UploadClassifier. The client carries the token."""

    def __init__(self, http: SafeHttpClient, options: WorkersAiOptions, now: Callable[[], datetime] = utc_now) -> None:
        self._http = http
        self._options = options
        self._now = now

    async def classify(self, pixels: Pixels) -> Classification:
        """A picture that is too large for the model is sent once more, smaller."""
        *sizes, last = _SIZES
        for side, quality in sizes:
            try:
                return await self._request_labels(pixels, side, quality)
            except PictureTooLargeForClassifier:
                continue
        return await self._request_labels(pixels, *last)

    async def aclose(self) -> None:
        await self._http.aclose()

    async def _request_labels(self, pixels: Pixels, side: int, quality: int) -> Classification:
        content = await asyncio.to_thread(encode_jpeg, pixels, side, quality)
        response = await self._http.request(
            "POST", self._options.run_url, headers={"content-type": "application/octet-stream"}, content=content
        )
        return Classification(self._read_labels(response), self._options.model, "")

    def _read_labels(self, response: HttpResponse) -> tuple[LabelScore, ...]:
        if response.status != HTTPStatus.OK:
            raise self._to_error(response, _read_json_or_none(response))
        body = response.json()
        answer = parse_or_none(_WireSuccess, body)
        if answer is None or not answer.success:
            failure = parse_or_none(_WireFailure, body)
            if failure is not None and failure.errors:
                raise self._to_error(response, body)
            raise Malformed(SYSTEM, "the answer has no list of labels")
        labels = [LabelScore(normalize_label(item.label), item.score) for item in answer.result]
        if not labels:
            raise Malformed(SYSTEM, "the answer has no label")
        return tuple(sorted(labels, key=lambda one: -one.score)[:TOP_COUNT])

    def _to_error(self, response: HttpResponse, body: Any) -> Exception:
        failure = parse_or_none(_WireFailure, body) or _WireFailure()
        message = "; ".join(error.message for error in failure.errors)[:_MAX_MESSAGE_LENGTH]
        now = self._now()
        wait = parse_retry_after(response.headers, now, default=-1.0, max_seconds=_MAX_RETRY_AFTER)
        return build_error(
            response.status, [error.code for error in failure.errors], message, now, wait if wait >= 0 else None
        )


def encode_jpeg(pixels: Pixels, side: int, quality: int) -> bytes:
    """A JPEG of the picture, at most `side` on its longer side."""
    picture, encoded = Image.fromarray(pixels), BytesIO()
    picture.thumbnail((side, side), Image.Resampling.BICUBIC)
    picture.save(encoded, "JPEG", quality=quality)
    return encoded.getvalue()


def _read_json_or_none(response: HttpResponse) -> Any:
    """The body of an error, which a proxy on the way may have written in another form."""
    try:
        return response.json()
    except Malformed:
        return None
