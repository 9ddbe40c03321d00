"""The chat completion request that all supported servers accept, and the text of its answer."""

import base64
import io
from collections.abc import Sequence
from typing import Any

from PIL import Image

from found_footy.platform.errors import Malformed
from found_footy.vision.frames import Frame
from found_footy.vision.llm.prompt import PROMPT_TEMPLATE, SYSTEM_PROMPT, build_answer_schema, render_prompt

_JPEG_QUALITY = 88
_TOKENS_PER_FRAME = 120
_TOKENS_OVERHEAD = 40


def build_request(frames: Sequence[Frame], model: str, width: int, template: str = PROMPT_TEMPLATE) -> dict[str, Any]:
    pictures = [{"type": "image_url", "image_url": {"url": encode_data_uri(frame, width)}} for frame in frames]
    count = len(frames)
    return {
        "model": model,
        "temperature": 0,
        "seed": 1,
        "stream": False,
        "max_tokens": _TOKENS_OVERHEAD + _TOKENS_PER_FRAME * count,
        "chat_template_kwargs": {"enable_thinking": False},
        "messages": [
            {"role": "system", "content": SYSTEM_PROMPT},
            {"role": "user", "content": [{"type": "text", "text": render_prompt(count, template)}, *pictures]},
        ],
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "frame_answers", "strict": True, "schema": build_answer_schema(count)},
        },
    }


def encode_data_uri(frame: Frame, width: int) -> str:
    """Encode as JPEG, the one format that all servers decode. Larger pictures cost tokens and show nothing more."""
    picture = Image.fromarray(frame.pixels)
    if picture.width > width:
        picture = picture.resize((width, max(1, round(picture.height * width / picture.width))), Image.Resampling.BOX)
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=_JPEG_QUALITY)
    return "data:image/jpeg;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")


def extract_answer_text(system: str, answer: Any) -> str:
    """Return the text that the model wrote. Raises Malformed if it is empty or was cut off."""
    choice = _get_first(_get_field(answer, "choices"))
    if _get_field(choice, "finish_reason") == "length":
        raise Malformed(system, "the model's answer was cut off")
    text = _get_field(_get_field(choice, "message"), "content")
    if not isinstance(text, str) or not text.strip():
        raise Malformed(system, "the model wrote nothing")
    return text


def _get_field(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None


def _get_first(value: Any) -> Any:
    return value[0] if isinstance(value, list) and value else None
