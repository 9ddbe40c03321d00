"""Whether an empty answer is trusted. X answers limited accounts with valid, empty pages: always, or now and then."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

_CONTRADICTION_LIFETIME = timedelta(hours=1)
_DEFAULT_PASSES = 2
_DOUBTFUL_PASSES = 3


@dataclass(frozen=True)
class EmptyAnswerHistory:
    """`posts_at` is when a search of this account last returned posts of any kind; `contradicted_at` when an empty
    answer last had posts on a repeated request.
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
        """Return how often an answer without posts is requested before it counts."""
        return _DOUBTFUL_PASSES if self.is_doubtful(now) else _DEFAULT_PASSES

    def is_trusted(self, now: datetime, max_age: timedelta) -> bool:
        """Whether an empty answer means that there is nothing: only if the account received posts recently."""
        return self.posts_at is not None and now - self.posts_at <= max_age
