"""The text of a chat completion, or why there is none."""

from typing import Any

import pytest

from found_footy.platform.errors import Malformed
from found_footy.platform.http.chat_completion import extract_message_text


def completion(content: Any, **choice: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"role": "assistant", "content": content}, **choice}, "another"], "usage": {}}


def test_the_text_of_the_first_choice_is_returned() -> None:
    assert extract_message_text("model", completion(" yes \ud83d", finish_reason="stop")) == " yes ?"
    assert extract_message_text("model", completion("yes", finish_reason=7)) == "yes"


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (completion("yes", finish_reason="length"), "cut off"),
        (completion(""), "nothing"),
        (completion(" \n"), "nothing"),
        (completion(None), "nothing"),
        (completion(["yes"]), "nothing"),
        ({"choices": [{}]}, "nothing"),
        ({"choices": []}, "nothing"),
        ({"choices": "yes"}, "nothing"),
        ({}, "nothing"),
        (["yes"], "nothing"),
        (None, "nothing"),
    ],
)
def test_a_completion_without_text_is_malformed(body: Any, why: str) -> None:
    with pytest.raises(Malformed, match=why):
        extract_message_text("model", body)
