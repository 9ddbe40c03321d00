"""Telegram, as a bot. One message per goal, edited. Telegram recognizes no repeated request."""

from typing import ClassVar

from found_footy.notify.channels.base import CallLimits, ChannelHttp, ChannelMessage, NotifyChannel
from found_footy.notify.errors import MessageGone
from found_footy.notify.outbox import ChannelTraits
from found_footy.platform.clock import Clock
from found_footy.platform.http.client import HttpResponse
from found_footy.platform.wire import Lenient, LenientObject, LenientText, WireModel, parse_or_empty

SYSTEM = "Telegram"
_MAX_TEXT = 4096
_BAD_REQUEST = 400
_UNCHANGED = "message is not modified"
_GONE = ("message to edit not found", "message can't be edited", "message_id_invalid")


class _ResultAnswer(WireModel):
    message_id: Lenient[int] = None


class _ParametersAnswer(WireModel):
    retry_after: Lenient[float] = None


class _TelegramAnswer(WireModel):
    description: LenientText = ""
    result: LenientObject[_ResultAnswer] = _ResultAnswer()
    parameters: LenientObject[_ParametersAnswer] = _ParametersAnswer()


class TelegramBot(NotifyChannel):
    traits: ClassVar[ChannelTraits] = ChannelTraits(edits=True, repeatable=False)

    def __init__(self, api_url: str, token: str, chat: str, limits: CallLimits, now: Clock) -> None:
        self._methods_url = f"{api_url}/bot{token}"
        self._chat = chat
        self._http = ChannelHttp(SYSTEM, api_url, limits, [token], now)

    async def send(self, message: ChannelMessage) -> str | None:
        response = await self._call("sendMessage", {"text": message.text.whole[:_MAX_TEXT]})
        answer = _read_answer(response)
        self._http.check(response, answer.parameters.retry_after)
        return None if answer.result.message_id is None else str(answer.result.message_id)

    async def edit(self, message_id: str, message: ChannelMessage) -> None:
        body = {"message_id": int(message_id), "text": message.text.whole[:_MAX_TEXT]}
        response = await self._call("editMessageText", body)
        answer = _read_answer(response)
        reason = answer.description.lower()
        if response.status == _BAD_REQUEST and _UNCHANGED in reason:
            return
        if response.status == _BAD_REQUEST and any(text in reason for text in _GONE):
            raise MessageGone(SYSTEM, answer.description)
        self._http.check(response, answer.parameters.retry_after)

    async def aclose(self) -> None:
        await self._http.aclose()

    async def _call(self, method: str, body: dict[str, object]) -> HttpResponse:
        """The text has no parse mode, so no character of it is markup."""
        return await self._http.call("POST", f"{self._methods_url}/{method}", json_body={"chat_id": self._chat, **body})


def _read_answer(response: HttpResponse) -> _TelegramAnswer:
    is_json = response.body[:1] == b"{"
    return parse_or_empty(_TelegramAnswer, response.json()) if is_json else _TelegramAnswer()
