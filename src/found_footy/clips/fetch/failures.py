"""Why a candidate could not be fetched, as a value: the outcome, the reason, and whether a retry may help."""

from dataclasses import dataclass

from found_footy.domain.outcomes import ClipOutcome

# How X answers about a post: to somebody who asks too often, and about a post that does not exist any more.
THROTTLED_STATUSES = (403, 429)
GONE_STATUSES = (404, 410)


@dataclass(frozen=True)
class FetchFailure:
    """`transient`: the same request may succeed later. `try_other_source`: another source may have the video now."""

    outcome: ClipOutcome
    reason: str
    transient: bool = False
    try_other_source: bool = False


def merge_failures(first: FetchFailure, later: FetchFailure) -> FetchFailure:
    """Combine the failures of two sources. The later outcome is used, unless it is only "no video"; a further source
    may be asked unless the post is deleted.
    """
    decisive = first if later.outcome is ClipOutcome.BAD_URL else later
    reason = f"{first.reason}; {later.reason}" if first.reason != later.reason else first.reason
    return FetchFailure(decisive.outcome, reason, later.transient, later.outcome is not ClipOutcome.DOWNLOAD_DELETED)
