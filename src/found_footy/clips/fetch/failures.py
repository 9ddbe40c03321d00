"""Why a video could not be had, as a value: what is said of the clip, the reason for people, and what may help."""

from dataclasses import dataclass

from found_footy.domain.outcomes import ClipOutcome


@dataclass(frozen=True)
class FetchFailure:
    """`transient`: the same request may succeed in a while. `try_other_source`: another source may have it now."""

    outcome: ClipOutcome
    reason: str
    transient: bool = False
    try_other_source: bool = False


def merge_failures(first: FetchFailure, later: FetchFailure) -> FetchFailure:
    """What is said after one more source was asked. Its word counts more, unless it only says that it has no video;
    after it a further one may be asked, except about what is deleted.
    """
    decisive = first if later.outcome is ClipOutcome.BAD_URL else later
    reason = f"{first.reason}; {later.reason}" if first.reason != later.reason else first.reason
    return FetchFailure(decisive.outcome, reason, later.transient, later.outcome is not ClipOutcome.DOWNLOAD_DELETED)
