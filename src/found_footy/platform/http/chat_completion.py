"""The answer of a server with the chat completions API: the text that its model wrote."""

from typing import Annotated, Any

from found_footy.platform.errors import Malformed
from found_footy.platform.wire import CleanText, LenientText, ValidItems, WireModel, parse_or_none, take_first

_CUT_OFF = "length"


class ChatMessage(WireModel):
    content: CleanText


class ChatChoice(WireModel):
    message: ChatMessage
    finish_reason: LenientText = ""


class ChatCompletion(WireModel):
    """Only one choice is requested."""

    choices: Annotated[ValidItems[ChatChoice], take_first(1)]


def extract_message_text(system: str, body: Any) -> str:
    """Return the text that the model wrote. Raises Malformed if there is none, or if it was cut off."""
    completion = parse_or_none(ChatCompletion, body)
    choice = next(iter(completion.choices), None) if completion else None
    if choice is not None and choice.finish_reason == _CUT_OFF:
        raise Malformed(system, "the model's answer was cut off")
    if choice is None or not choice.message.content.strip():
        raise Malformed(system, "the model wrote nothing")
    return choice.message.content
