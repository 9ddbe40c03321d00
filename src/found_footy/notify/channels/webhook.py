"""A signed webhook: JSON, signed as Standard Webhooks 1.0.0 describes, so that existing libraries verify it.

`webhook-id` is the same for every repetition of a message. The receiver drops an id that it has processed, and a
timestamp that is more than five minutes off; each repetition is signed with the time of its own sending.
"""

import base64
import hashlib
import hmac
from dataclasses import asdict
from typing import Any, ClassVar

from found_footy.notify.channels.base import CallLimits, ChannelHttp, ChannelMessage, NotifyChannel, encode_json
from found_footy.notify.outbox import ChannelTraits
from found_footy.platform.clock import Clock

SYSTEM = "webhook"
TEST_TYPE = "test"
_MIN_SECRET_LENGTH = 4


class SignedWebhook(NotifyChannel):
    """Each moment is a message of its own; `goal_id` joins them."""

    traits: ClassVar[ChannelTraits] = ChannelTraits(edits=False, repeatable=True)

    def __init__(self, url: str, secret: bytes, limits: CallLimits, now: Clock) -> None:
        self._url = url
        self._secret = secret
        self._now = now
        self._http = ChannelHttp(SYSTEM, url, limits, _find_secrets(url), now)

    async def send(self, message: ChannelMessage) -> str | None:
        body, at = encode_json(build_body(message)), str(int(self._now().timestamp()))
        headers = {
            "content-type": "application/json",
            "webhook-id": message.id,
            "webhook-timestamp": at,
            "webhook-signature": sign(self._secret, message.id, at, body),
        }
        self._http.check(await self._http.call("POST", self._url, headers=headers, content=body))
        return None

    async def edit(self, message_id: str, message: ChannelMessage) -> None:
        raise NotImplementedError("a webhook's messages are not edited")

    async def aclose(self) -> None:
        await self._http.aclose()


def sign(secret: bytes, message_id: str, timestamp: str, body: bytes) -> str:
    """The value of the header `webhook-signature`."""
    digest = hmac.new(secret, f"{message_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(digest).decode()}"


def build_body(message: ChannelMessage) -> dict[str, Any]:
    return {
        "id": message.id,
        "type": "goal" if message.facts else TEST_TYPE,
        "goal_id": message.goal_id,
        "moments": [moment.value for moment in message.moments],
        "at": message.at.isoformat(),
        "title": message.text.title,
        "text": message.text.body,
        "link": message.text.link,
        "goal": asdict(message.facts) if message.facts else None,
    }


def _find_secrets(url: str) -> list[str]:
    """What follows the host may be a secret of the receiver."""
    path = url.partition("://")[2].partition("/")[2]
    return [path, *(part for part in path.replace("?", "/").split("/") if len(part) >= _MIN_SECRET_LENGTH)]
