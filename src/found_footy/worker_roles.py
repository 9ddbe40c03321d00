"""The roles of workers: which task queues a process serves, and how many activities of each at a time."""

from enum import StrEnum

from found_footy.domain.messages import aliases_queue_name, images_queue_name
from found_footy.settings import Settings


class WorkerRole(StrEnum):
    """Which task queues a worker process serves. One process serves all by default."""

    ALL = "all"
    MAIN = "main"
    MEDIA = "media"
    VISION = "vision"


def queue_limits(role: WorkerRole, settings: Settings) -> dict[str, int]:
    """Map each task queue of a role to its number of concurrent activities."""
    limits = settings.worker
    every = {
        WorkerRole.MAIN: {
            settings.queues.main: limits.activities,
            aliases_queue_name(settings.queues.main): limits.aliases,
        },
        WorkerRole.MEDIA: {
            settings.queues.media: limits.media,
            images_queue_name(settings.queues.media): limits.images,
        },
        WorkerRole.VISION: {settings.queues.vision: limits.vision},
    }
    served = every.values() if role is WorkerRole.ALL else [every[role]]
    return {queue: limit for queues in served for queue, limit in queues.items()}
