"""Ids of downloads that are not attempts of the search: candidates that a person gave, those that other sources found
while the main one was unavailable, and retries of open candidates.
"""

import hashlib
from collections.abc import Sequence

from found_footy.domain.ids import EXTRA_DOWNLOAD_PREFIX, GoalSlug

_RETRY_PREFIX = f"{EXTRA_DOWNLOAD_PREFIX}retry"


def extra_download_id(slug: GoalSlug, event_id: str, names: Sequence[str]) -> str:
    """Derived from the URLs it fetches, or from the pause it was found in: the same names give the same id."""
    digest = hashlib.sha256("\n".join(sorted(names)).encode()).hexdigest()[:10]
    return f"{EXTRA_DOWNLOAD_PREFIX}{digest}-{slug.team}-{slug.last}-{event_id}"


def retry_download_id(slug: GoalSlug, event_id: str, number: int) -> str:
    """One round of retries of a goal's open candidates."""
    return f"{_RETRY_PREFIX}{number}-{slug.team}-{slug.last}-{event_id}"


def is_retry_download(download_id: str) -> bool:
    return download_id.startswith(_RETRY_PREFIX)
