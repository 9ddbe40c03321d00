"""The answer of the yt-dlp process: the files of each video, or yt-dlp's error. Pure."""

from typing import Annotated, Any

from pydantic import Field

from found_footy.domain.messages import VideoVariant
from found_footy.domain.screening import infer_variant_size
from found_footy.platform.wire import (
    HttpLink,
    Lenient,
    LenientItems,
    ShownText,
    ValidItems,
    WireModel,
    parse_or_none,
    use_default_if_invalid,
)

_Measure = Annotated[float, Field(gt=0, lt=1e9), use_default_if_invalid(0.0)]


class YtDlpFile(WireModel):
    """`tbr` is the bitrate in kbit/s."""

    url: HttpLink
    tbr: _Measure = 0.0
    width: _Measure = 0.0
    height: _Measure = 0.0

    def to_variant(self) -> VideoVariant:
        return infer_variant_size(VideoVariant(self.url, 1_000 * int(self.tbr), int(self.width), int(self.height)))


class YtDlpAnswer(WireModel):
    """`status` is the HTTP status behind the error, 0 if there was none."""

    videos: Lenient[ValidItems[LenientItems[YtDlpFile]]] = None
    error: ShownText = ""
    status: Annotated[int, use_default_if_invalid(0)] = 0

    @property
    def is_failure(self) -> bool:
        return "error" in self.model_fields_set


def parse_child_answer(body: Any) -> YtDlpAnswer | None:
    """None if the answer has neither videos nor an error."""
    answer = parse_or_none(YtDlpAnswer, body)
    return answer if answer and (answer.is_failure or answer.videos is not None) else None
