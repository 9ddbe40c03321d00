"""Downloads that no attempt of the search stands behind: links that a person gave, and what other sources found while
the main one was out. They are named after what they fetch, so that the same links are one download.
"""

import hashlib
from collections.abc import Sequence

from found_footy.model.ids import EXTRA_DOWNLOAD, Slug


def extra_workflow_id(slug: Slug, event: str, urls: Sequence[str]) -> str:
    digest = hashlib.sha256("\n".join(sorted(urls)).encode()).hexdigest()[:10]
    return f"{EXTRA_DOWNLOAD}{digest}-{slug.team}-{slug.last}-{event}"
