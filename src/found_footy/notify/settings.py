"""Settings of notifications: channels, rules, paces."""

import base64
import binascii
import json
from datetime import timedelta
from typing import Annotated, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    TypeAdapter,
    ValidationError,
    field_validator,
    model_validator,
)

from found_footy.notify.messages import NotifyRequest
from found_footy.notify.rules import NotifyRule
from found_footy.platform.settings.groups import Bytes, Duration, HttpUrl, SettingsGroup

_NAME_PATTERN = r"^[a-z0-9][a-z0-9_-]{0,31}$"
_MIN_SECRET_BYTES, _MAX_SECRET_BYTES = 24, 64
_P256_POINT_BYTES, _P256_SCALAR_BYTES, _PUSH_AUTH_BYTES = 65, 32, 16
_SECRET_PREFIX = "whsec_"  # noqa: S105  the prefix that marks a secret, not a secret


class _ChannelModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class DiscordChannel(_ChannelModel):
    kind: Literal["discord"]
    url: HttpUrl

    @field_validator("url")
    @classmethod
    def _check_url(cls, url: str) -> str:
        if "/webhooks/" not in url or "?" in url:
            raise ValueError("must be the webhook's address, such as https://discord.com/api/webhooks/1234/abcd")
        return url


class TelegramChannel(_ChannelModel):
    kind: Literal["telegram"]
    token: Annotated[SecretStr, Field(min_length=10)]
    chat: Annotated[str, Field(pattern=r"^(-?[0-9]+|@[A-Za-z0-9_]+)$")]
    api_url: HttpUrl = "https://api.telegram.org"


class WebhookChannel(_ChannelModel):
    kind: Literal["webhook"]
    url: HttpUrl
    secret: SecretStr

    @field_validator("secret")
    @classmethod
    def _check_secret(cls, secret: SecretStr) -> SecretStr:
        size = len(decode_webhook_secret(secret.get_secret_value()))
        if not _MIN_SECRET_BYTES <= size <= _MAX_SECRET_BYTES:
            raise ValueError(f"must hold {_MIN_SECRET_BYTES} to {_MAX_SECRET_BYTES} bytes, not {size}")
        return secret


class WebPushKeys(_ChannelModel):
    p256dh: str
    auth: SecretStr


class WebPushSubscription(BaseModel):
    """As a browser gives it: JSON.stringify(await registration.pushManager.subscribe(…))."""

    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)

    endpoint: HttpUrl
    keys: WebPushKeys


class WebPushChannel(_ChannelModel):
    kind: Literal["webpush"]
    subscription: WebPushSubscription
    private_key: SecretStr
    contact: Annotated[str, Field(pattern=r"^(mailto:.+@.+|https://.+)$")]

    @model_validator(mode="after")
    def _check_keys(self) -> Self:
        sizes = (
            ("private_key", self.private_key.get_secret_value(), _P256_SCALAR_BYTES),
            ("subscription.keys.p256dh", self.subscription.keys.p256dh, _P256_POINT_BYTES),
            ("subscription.keys.auth", self.subscription.keys.auth.get_secret_value(), _PUSH_AUTH_BYTES),
        )
        for name, text, size in sizes:
            if (found := len(decode_base64url(text))) != size:
                raise ValueError(f"{name} must hold {size} bytes in base64url, not {found}")
        return self


class AppriseChannel(_ChannelModel):
    kind: Literal["apprise"]
    url: Annotated[SecretStr, Field(min_length=4)]

    @field_validator("url")
    @classmethod
    def _check_url(cls, url: SecretStr) -> SecretStr:
        if "://" not in url.get_secret_value():
            raise ValueError("must be an address of Apprise, such as mailto://user:password@example.org")
        return url


ChannelSettings = Annotated[
    DiscordChannel | TelegramChannel | WebhookChannel | WebPushChannel | AppriseChannel, Field(discriminator="kind")
]
_CHANNELS = TypeAdapter(dict[Annotated[str, Field(pattern=_NAME_PATTERN)], ChannelSettings])


def decode_base64url(text: str) -> bytes:
    """Raises ValueError for text that is not base64url; padding may be missing."""
    try:
        return base64.b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4), altchars=b"-_", validate=True)
    except binascii.Error as error:
        raise ValueError("is not base64url") from error


def decode_webhook_secret(text: str) -> bytes:
    if not text.startswith(_SECRET_PREFIX):
        raise ValueError(f"must be {_SECRET_PREFIX} followed by 24 to 64 bytes in base64")
    try:
        return base64.b64decode(text.removeprefix(_SECRET_PREFIX), validate=True)
    except binascii.Error as error:
        raise ValueError(f"must be base64 after {_SECRET_PREFIX}") from error


def parse_channels(text: str) -> dict[str, ChannelSettings]:
    """Read the channels. Raises ValueError that names channel and field, and repeats no value: it may be a secret."""
    try:
        values = json.loads(text or "{}")
    except json.JSONDecodeError as error:
        raise ValueError(f"is not JSON (line {error.lineno}, column {error.colno})") from None
    try:
        return _CHANNELS.validate_python(values)
    except ValidationError as error:
        problems = [
            f"{'.'.join(str(part) for part in detail['loc'] if part != '[key]') or 'channels'}: "
            f"{detail['msg'].removeprefix('Value error, ').replace('Input should be', 'must be')}"
            for detail in error.errors(include_url=False, include_input=False, include_context=False)
        ]
        raise ValueError("; ".join(problems)) from None


class NotifySettings(SettingsGroup):
    channels: SecretStr = SecretStr("")
    """Channels as JSON: their names with kind (discord, telegram, webhook, webpush, apprise) and addresses."""

    rules: tuple[NotifyRule, ...] = ()
    """Who is told what, as JSON: a list of channels with leagues, teams, players and moments. None: nobody."""

    page_url: HttpUrl | None = None
    """Address of the page, for links in messages; without one there is no link."""

    push_key: SecretStr = SecretStr("")
    """Private key (VAPID, 32 bytes in base64url) with which browsers are told that subscribed on the page; without one,
    none can subscribe."""

    push_contact: Annotated[str, Field(pattern=r"^$|^(mailto:.+@.+|https://.+)$")] = ""
    """Address of the operator for the browsers' push services, mailto: or https:."""

    interval: Duration = timedelta(seconds=15)
    """How often goals are looked at for moments that were not told yet."""

    look_back: Annotated[Duration, Field(le=timedelta(days=30))] = NotifyRequest.look_back
    """How old a goal may be, and for how long notifications may be off and still tell what happened meanwhile."""

    send_within: Duration = timedelta(hours=12)
    """How long a message is tried again while its channel fails; after that it is given up."""

    timeout: Duration = timedelta(seconds=15)
    """Time limit of one call to a channel."""

    max_bytes: Bytes = 64 * 1024
    """Size limit of a channel's answer."""

    lease: Duration = timedelta(seconds=60)
    """How long a worker may be sending a message before another takes it up; longer than the timeout."""

    in_doubt: Literal["hold", "resend"] = "hold"
    """A first message of Discord, Telegram or Apprise that may have been sent when its worker died or its answer was
    lost: hold does not send it again, resend does."""

    run_timeout: Duration = timedelta(minutes=10)
    """Time limit of one run."""

    @model_validator(mode="after")
    def _check_channels(self) -> Self:
        channels = self.parsed_channels
        unknown = sorted({name for rule in self.rules for name in rule.channels} - channels.keys())
        if unknown:
            known = ", ".join(sorted(channels)) or "none"
            raise ValueError(f"a rule names the channel {unknown[0]}, which is not configured; configured: {known}")
        if self.push_key.get_secret_value():
            if len(decode_base64url(self.push_key.get_secret_value())) != _P256_SCALAR_BYTES:
                raise ValueError(f"push_key must hold {_P256_SCALAR_BYTES} bytes in base64url")
            if not self.push_contact:
                raise ValueError("push_key needs push_contact: push services want to know whom to write to")
        if self.lease <= self.timeout:
            raise ValueError("lease must be longer than timeout: another worker would send a message a second time")
        return self

    @property
    def parsed_channels(self) -> dict[str, ChannelSettings]:
        return parse_channels(self.channels.get_secret_value())

    @property
    def is_enabled(self) -> bool:
        return bool(self.rules) or self.takes_subscriptions

    @property
    def takes_subscriptions(self) -> bool:
        return bool(self.push_key.get_secret_value())


def build_notify_request(settings: NotifySettings) -> NotifyRequest:
    return NotifyRequest(settings.look_back)
