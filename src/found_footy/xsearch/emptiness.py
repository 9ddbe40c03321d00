"""Whether an empty answer is believed. X answers limited accounts with sound, empty pages: always, or now and then."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

_CONTRADICTION_KEPT = timedelta(hours=1)
_PASSES = 2
_PASSES_OF_A_DOUBTFUL_ACCOUNT = 3


@dataclass(frozen=True)
class Emptiness:
    """`posts_at` is when a search of this account last showed posts, of whatever kind; `contradicted_at` when an empty
    answer last had posts after all when it was asked for again.
    """

    posts_at: datetime | None = None
    contradicted_at: datetime | None = None

    def after(self, now: datetime, *, posts: bool, contradicted: bool) -> "Emptiness":
        return replace(
            self,
            posts_at=now if posts else self.posts_at,
            contradicted_at=now if contradicted else self.contradicted_at,
        )

    def doubtful(self, now: datetime) -> bool:
        return self.contradicted_at is not None and now - self.contradicted_at < _CONTRADICTION_KEPT

    def passes(self, now: datetime) -> int:
        """How often an answer without posts is asked for before it counts as one."""
        return _PASSES_OF_A_DOUBTFUL_ACCOUNT if self.doubtful(now) else _PASSES

    def believed(self, now: datetime, kept: timedelta) -> bool:
        """Whether an empty answer means that there is nothing: only an account that was shown posts of late knows."""
        return self.posts_at is not None and now - self.posts_at <= kept
