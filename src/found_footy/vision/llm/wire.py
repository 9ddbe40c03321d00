"""The request that every server understands, and the text of its answer."""

import base64
import io
from collections.abc import Sequence
from typing import Any

from PIL import Image

from found_footy.platform.errors import Malformed
from found_footy.vision.frames import Frame
from found_footy.vision.llm.prompt import PROMPT, SYSTEM, prompt, schema

_QUALITY = 88
_TOKENS_PER_FRAME = 120
_TOKENS_AROUND = 40


def request_body(frames: Sequence[Frame], model: str, width: int, template: str = PROMPT) -> dict[str, Any]:
    pictures = [{"type": "image_url", "image_url": {"url": data_uri(frame, width)}} for frame in frames]
    count = len(frames)
    return {
        "model": model,
        "temperature": 0,
        "seed": 1,
        "stream": False,
        "max_tokens": _TOKENS_AROUND + _TOKENS_PER_FRAME * count,
        "chat_template_kwargs": {"enable_thinking": False},
        "messages": [
            {"role": "system", "content": SYSTEM},
            {"role": "user", "content": [{"type": "text", "text": prompt(count, template)}, *pictures]},
        ],
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "frame_answers", "strict": True, "schema": schema(count)},
        },
    }


def data_uri(frame: Frame, width: int) -> str:
    """A JPEG: the one format that all servers decode. Larger pictures cost tokens and show nothing more."""
    picture = Image.fromarray(frame.pixels)
    if picture.width > width:
        picture = picture.resize((width, max(1, round(picture.height * width / picture.width))), Image.Resampling.BOX)
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=_QUALITY)
    return "data:image/jpeg;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")


def answer_text(system: str, answer: Any) -> str:
    """What the model wrote. Malformed if it wrote nothing or was cut off."""
    choice = _first(_field(answer, "choices"))
    if _field(choice, "finish_reason") == "length":
        raise Malformed(system, "the model's answer was cut off")
    text = _field(_field(choice, "message"), "content")
    if not isinstance(text, str) or not text.strip():
        raise Malformed(system, "the model wrote nothing")
    return text


def _field(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, list) and value else None
