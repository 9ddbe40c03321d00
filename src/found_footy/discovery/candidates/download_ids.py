"""Downloads that no attempt of the search stands behind: links that a person gave, what other sources found while the
main one was out, and open links that are taken up again.
"""

import hashlib
from collections.abc import Sequence

from found_footy.domain.ids import EXTRA_DOWNLOAD_PREFIX, GoalSlug

_RETRY_PREFIX = f"{EXTRA_DOWNLOAD_PREFIX}retry"


def extra_download_id(slug: GoalSlug, event_id: str, names: Sequence[str]) -> str:
    """Named after what it fetches, or after the turn that found it: the same names are one download."""
    digest = hashlib.sha256("\n".join(sorted(names)).encode()).hexdigest()[:10]
    return f"{EXTRA_DOWNLOAD_PREFIX}{digest}-{slug.team}-{slug.last}-{event_id}"


def retry_download_id(slug: GoalSlug, event_id: str, number: int) -> str:
    """A round of trying again the open links of a goal."""
    return f"{_RETRY_PREFIX}{number}-{slug.team}-{slug.last}-{event_id}"


def is_retry_download(download_id: str) -> bool:
    return download_id.startswith(_RETRY_PREFIX)
