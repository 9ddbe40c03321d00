"""The chat completion request that all supported servers accept."""

import base64
import io
from collections.abc import Sequence
from typing import Any

from PIL import Image

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
