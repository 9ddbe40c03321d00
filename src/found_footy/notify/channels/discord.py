"""Discord, over the address of a webhook. One message per goal, edited.

Discord recognizes no repeated request of a webhook: `nonce` and `enforce_nonce` are for bots only.
"""

import re
from typing import ClassVar

from found_footy.notify.channels.base import CallLimits, ChannelHttp, ChannelMessage, NotifyChannel
from found_footy.notify.errors import MessageGone
from found_footy.notify.facts import MessageText
from found_footy.notify.outbox import ChannelTraits
from found_footy.platform.clock import Clock
from found_footy.platform.http.client import HttpResponse
from found_footy.platform.wire import Lenient, LenientText, WireModel, parse_or_empty

SYSTEM = "Discord"
_MAX_CONTENT = 2000
_NOT_FOUND = 404
_UNKNOWN_MESSAGE = 10008
_MARKDOWN = re.compile(r"([\\*_~`|>#\[\]()<@:-])")


class _DiscordAnswer(WireModel):
    id: LenientText = ""
    code: Lenient[int] = None
    retry_after: Lenient[float] = None


class DiscordWebhook(NotifyChannel):
    traits: ClassVar[ChannelTraits] = ChannelTraits(edits=True, repeatable=False)

    def __init__(self, url: str, limits: CallLimits, now: Clock) -> None:
        self._url = url
        self._http = ChannelHttp(SYSTEM, url, limits, [url, url.rpartition("/")[2]], now)

    async def send(self, message: ChannelMessage) -> str | None:
        body = build_body(message.text)
        response = await self._http.call("POST", self._url, params={"wait": "true"}, json_body=body)
        self._check(response)
        return _read_answer(response).id or None

    async def edit(self, message_id: str, message: ChannelMessage) -> None:
        address = f"{self._url}/messages/{message_id}"
        response = await self._http.call("PATCH", address, json_body=build_body(message.text))
        if response.status == _NOT_FOUND and _read_answer(response).code == _UNKNOWN_MESSAGE:
            raise MessageGone(SYSTEM, "the message was deleted")
        self._check(response)

    async def aclose(self) -> None:
        await self._http.aclose()

    def _check(self, response: HttpResponse) -> None:
        self._http.check(response, _read_answer(response).retry_after)


def _read_answer(response: HttpResponse) -> _DiscordAnswer:
    return parse_or_empty(_DiscordAnswer, response.json()) if _is_json(response) else _DiscordAnswer()


def _is_json(response: HttpResponse) -> bool:
    return response.body[:1] == b"{" and response.headers.get("content-type", "").startswith("application/json")


def build_body(text: MessageText) -> dict[str, object]:
    """Names come from the feed: their Markdown is escaped, and they mention nobody. Only the role of the rule is
    mentioned, when the message is new: Discord alerts nobody about an edit.
    """
    mention = f"<@&{text.role}>" if text.role else ""
    lines = [mention, f"**{_escape(text.title)}**", _escape(text.body), text.link or ""]
    content = "\n".join(line for line in lines if line)[:_MAX_CONTENT]
    mentioned = {"roles": [text.role]} if text.role else {}
    return {"content": content, "allowed_mentions": {"parse": [], **mentioned}}


def _escape(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", text)
