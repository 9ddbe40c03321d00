"""Builds the channels from their settings."""

from importlib.util import find_spec

from found_footy.notify.channels.apprise_url import AppriseSender
from found_footy.notify.channels.base import CallLimits, NotifyChannel
from found_footy.notify.channels.discord import DiscordWebhook
from found_footy.notify.channels.telegram import TelegramBot
from found_footy.notify.channels.webhook import SignedWebhook
from found_footy.notify.settings import (
    AppriseChannel,
    ChannelSettings,
    DiscordChannel,
    TelegramChannel,
    WebhookChannel,
    WebPushChannel,
    decode_base64url,
    decode_webhook_secret,
)
from found_footy.platform.clock import Clock
from found_footy.platform.errors import ConfigError


def build_channel(settings: ChannelSettings, limits: CallLimits, now: Clock) -> NotifyChannel:
    """Raises ConfigError if a library is missing or a key is no key."""
    match settings:
        case DiscordChannel():
            return DiscordWebhook(settings.url, limits, now)
        case TelegramChannel():
            return TelegramBot(settings.api_url, settings.token.get_secret_value(), settings.chat, limits, now)
        case WebhookChannel():
            secret = decode_webhook_secret(settings.secret.get_secret_value())
            return SignedWebhook(settings.url, secret, limits, now)
        case WebPushChannel():
            return _build_web_push(settings, limits, now)
        case AppriseChannel():
            return AppriseSender(settings.url.get_secret_value(), limits)


def derive_public_key(private_key: str) -> str:
    """Return the key that a browser subscribes with, in base64url. Raises ConfigError if the library is missing or the
    private key is no key.
    """
    _require_cryptography()
    from found_footy.notify.channels import push_encryption  # noqa: PLC0415  needs the optional library

    try:
        key = push_encryption.load_private_key(decode_base64url(private_key))
    except ValueError as error:
        raise ConfigError(f"FOOTY_NOTIFY__PUSH_KEY is not usable: {error}") from None
    return push_encryption.encode_base64url(push_encryption.encode_point(key.public_key()))


def _require_cryptography() -> None:
    if find_spec("cryptography") is None:
        raise ConfigError("a channel of kind webpush needs the extra notify: pip install 'found-footy[notify]'")


def _build_web_push(settings: WebPushChannel, limits: CallLimits, now: Clock) -> NotifyChannel:
    _require_cryptography()
    from found_footy.notify.channels.webpush import WebPushSender  # noqa: PLC0415  needs the optional library

    subscription = settings.subscription
    try:
        return WebPushSender(
            subscription.endpoint,
            decode_base64url(subscription.keys.p256dh),
            decode_base64url(subscription.keys.auth.get_secret_value()),
            decode_base64url(settings.private_key.get_secret_value()),
            settings.contact,
            limits,
            now,
        )
    except ValueError as error:
        raise ConfigError(f"a key of a webpush channel is not usable: {error}") from None
