"""Dependencies of the route for notifications of object stores."""

from dataclasses import dataclass

from found_footy.platform.errors import ConfigError
from found_footy.platform.http.access_tokens import TokenGuard
from found_footy.platform.logs import ActionLogger
from found_footy.uploads.intake.notification_intake import NotificationIntake
from found_footy.uploads.settings import UploadSettings

logger = ActionLogger(__name__)


@dataclass(frozen=True)
class NotificationDeps:
    intake: NotificationIntake
    guard: TokenGuard


def build_notification_deps(settings: UploadSettings, intake: NotificationIntake) -> NotificationDeps | None:
    """None without a secret: whoever reached the route could fill the queue. Raises ConfigError if stores are said to
    send notifications.
    """
    if settings.notification_secret is not None:
        return NotificationDeps(intake, TokenGuard(settings.notification_secret))
    if settings.notification_stores:
        named = ", ".join(settings.notification_stores)
        raise ConfigError(
            f"FOOTY_UPLOADS__NOTIFICATION_STORES names {named}, but FOOTY_UPLOADS__NOTIFICATION_SECRET is not set; "
            "`openssl rand -hex 16` prints a good one"
        )
    logger.info(
        "notifications of stores are not accepted: FOOTY_UPLOADS__NOTIFICATION_SECRET is not set",
        action="notifications_off",
    )
    return None
