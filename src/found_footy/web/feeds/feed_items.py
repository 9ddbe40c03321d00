"""The content of a feed, the same for every format. Pure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from found_footy.views import phrases
from found_footy.views.search import FoundGoal

# Characters that XML 1.0 forbids even escaped; the names come from outside.
_FORBIDDEN = re.compile("[^\\t\\n\\r\\u0020-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")
_NEVER = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class FeedVideo:
    url: str
    size: int | None
    poster_url: str | None
    seconds: float | None


@dataclass(frozen=True)
class FeedItem:
    """A goal with a clip. `id` stays when the goal is given to another scorer; `published` is when its first clip came,
    `updated` when its newest did.
    """

    id: str
    title: str
    summary: str
    url: str
    published: datetime
    updated: datetime
    league: str
    video: FeedVideo


@dataclass(frozen=True)
class FeedChannel:
    """`home_url` is the page of what the feed is about, `self_url` the feed's own address."""

    title: str
    description: str
    home_url: str
    self_url: str
    items: tuple[FeedItem, ...]

    @property
    def updated(self) -> datetime:
        """When anything in it last changed: it depends on the content alone, so that the entity tag does too."""
        return max((item.updated for item in self.items), default=_NEVER)


def drop_forbidden_characters(text: str) -> str:
    return _FORBIDDEN.sub("", text)


def build_feed_items(goals: Iterable[FoundGoal], base_url: str) -> tuple[FeedItem, ...]:
    """The goals that have a clip, the one whose first clip came last first. `base_url` ends without a slash."""
    items = [_build_item(found, base_url) for found in goals if found.goal.clips]
    return tuple(sorted(items, key=lambda item: (item.published, item.id), reverse=True))


def _build_item(found: FoundGoal, base_url: str) -> FeedItem:
    goal, match = found.goal, found.match
    added = [clip.added_at for clip in goal.clips if clip.added_at] or [goal.first_seen or match.kickoff]
    best, score = goal.clips[0], goal.score_after
    between = f"{score.home}–{score.away}" if score else "–"
    scored = " ".join(part for part in (goal.player, goal.minute, f"({goal.detail})" if goal.detail else "") if part)
    angles = "1 clip" if len(goal.clips) == 1 else f"{len(goal.clips)} clips"
    facts = [match.league.name, f"assist: {goal.assist}" if goal.assist else "", angles]
    facts.append(phrases.describe_post_count(best.found_by))
    return FeedItem(
        id=f"urn:found-footy:goal:{goal.first_id or goal.event_id}",
        title=drop_forbidden_characters(f"{scored}, {match.home.name} {between} {match.away.name}"),
        summary=drop_forbidden_characters(". ".join(fact for fact in facts if fact)),
        url=f"{base_url}/goals/{goal.event_id}",
        published=min(added),
        updated=max(added),
        league=drop_forbidden_characters(match.league.name),
        video=FeedVideo(
            url=f"{base_url}{best.url}",
            size=best.file_size,
            poster_url=f"{base_url}{best.poster_url}" if best.poster_url else None,
            seconds=best.duration,
        ),
    )
