"""Web push to one browser. A later message about a goal takes the place of the one before: by `Topic` while the push
service holds it, by the notification's `tag` once the browser shows it.
"""

import hashlib
from typing import ClassVar
from urllib.parse import urlsplit

from found_footy.notify.channels.base import CallLimits, ChannelHttp, ChannelMessage, NotifyChannel, encode_json
from found_footy.notify.channels.push_encryption import (
    MAX_PAYLOAD_BYTES,
    build_authorization,
    encode_base64url,
    encrypt_payload,
    load_private_key,
)
from found_footy.notify.errors import SubscriptionEnded
from found_footy.notify.outbox import ChannelTraits
from found_footy.platform.clock import Clock

SYSTEM = "web push"
# How long the push service keeps a message for a browser that is off.
_TIME_TO_LIVE_SECONDS = 12 * 3600
_TOPIC_BYTES = 24  # 32 characters in base64url, the longest topic
_GONE_STATUSES = frozenset({404, 410})


class WebPushSender(NotifyChannel):
    """A message that is sent twice is shown once, because both have the same tag."""

    traits: ClassVar[ChannelTraits] = ChannelTraits(edits=False, repeatable=True)

    def __init__(
        self,
        endpoint: str,
        receiver_key: bytes,
        auth: bytes,
        private_key: bytes,
        contact: str,
        limits: CallLimits,
        now: Clock,
    ) -> None:
        self._endpoint = endpoint
        self._receiver_key, self._auth = receiver_key, auth
        self._key = load_private_key(private_key)
        self._contact = contact
        self._now = now
        parts = urlsplit(endpoint)
        self._origin = f"{parts.scheme}://{parts.netloc}"
        self._http = ChannelHttp(SYSTEM, endpoint, limits, [parts.path.rpartition("/")[2]], now)

    async def send(self, message: ChannelMessage) -> str | None:
        headers = {
            "authorization": build_authorization(self._key, self._origin, self._contact, self._now()),
            "content-encoding": "aes128gcm",
            "content-type": "application/octet-stream",
            "ttl": str(_TIME_TO_LIVE_SECONDS),
            "topic": encode_base64url(hashlib.sha256(message.goal_id.encode()).digest()[:_TOPIC_BYTES]),
            "urgency": "high",
        }
        content = encrypt_payload(build_payload(message), self._receiver_key, self._auth)
        response = await self._http.call("POST", self._endpoint, headers=headers, content=content)
        if response.status in _GONE_STATUSES:
            raise SubscriptionEnded(SYSTEM, f"the subscription has ended (status {response.status}); subscribe again")
        self._http.check(response)
        return None

    async def edit(self, message_id: str, message: ChannelMessage) -> None:
        raise NotImplementedError("push messages are not edited")

    async def aclose(self) -> None:
        await self._http.aclose()


def build_payload(message: ChannelMessage) -> bytes:
    """The JSON that the page's service worker shows; the body is cut to what a push service must accept."""
    text = message.text
    head = {"id": message.id, "tag": message.goal_id, "title": text.title, "url": text.link}
    body = text.body
    while len(payload := encode_json({**head, "body": body})) > MAX_PAYLOAD_BYTES and body:
        body = body[: len(body) // 2]
    return payload
