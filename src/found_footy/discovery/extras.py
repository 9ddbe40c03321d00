"""Downloads that no attempt of the search stands behind: links that a person gave, what other sources found while the
main one was out, and open links that are taken up again.
"""

import hashlib
from collections.abc import Sequence

from found_footy.model.ids import EXTRA_DOWNLOAD, Slug

_RETRY = f"{EXTRA_DOWNLOAD}retry"


def extra_workflow_id(slug: Slug, event: str, names: Sequence[str]) -> str:
    """Named after what it fetches, or after the turn that found it: the same names are one download."""
    digest = hashlib.sha256("\n".join(sorted(names)).encode()).hexdigest()[:10]
    return f"{EXTRA_DOWNLOAD}{digest}-{slug.team}-{slug.last}-{event}"


def retry_download_id(slug: Slug, event: str, number: int) -> str:
    """A round of trying again the open links of a goal."""
    return f"{_RETRY}{number}-{slug.team}-{slug.last}-{event}"


def is_retry(download_id: str) -> bool:
    return download_id.startswith(_RETRY)
