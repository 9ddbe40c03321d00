"""Whether an empty answer is believed. X answers limited accounts with sound, empty pages: always, or now and then."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

_CONTRADICTION_LIFETIME = timedelta(hours=1)
_DEFAULT_PASSES = 2
_DOUBTFUL_PASSES = 3


@dataclass(frozen=True)
class EmptyAnswerHistory:
    """`posts_at` is when a search of this account last showed posts, of whatever kind; `contradicted_at` when an empty
    answer last had posts after all when it was asked for again.
    """

    posts_at: datetime | None = None
    contradicted_at: datetime | None = None

    def with_answer(self, now: datetime, *, posts: bool, contradicted: bool) -> "EmptyAnswerHistory":
        return replace(
            self,
            posts_at=now if posts else self.posts_at,
            contradicted_at=now if contradicted else self.contradicted_at,
        )

    def is_doubtful(self, now: datetime) -> bool:
        return self.contradicted_at is not None and now - self.contradicted_at < _CONTRADICTION_LIFETIME

    def required_passes(self, now: datetime) -> int:
        """How often an answer without posts is asked for before it counts as one."""
        return _DOUBTFUL_PASSES if self.is_doubtful(now) else _DEFAULT_PASSES

    def is_trusted(self, now: datetime, max_age: timedelta) -> bool:
        """Whether an empty answer means that there is nothing: only an account that was shown posts of late knows."""
        return self.posts_at is not None and now - self.posts_at <= max_age
