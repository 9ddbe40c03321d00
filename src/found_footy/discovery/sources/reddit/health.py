"""How Reddit does as a source, in words for its owner: from the state of the last poll. Pure."""

from dataclasses import dataclass
from datetime import datetime

from found_footy.discovery.sources.reddit.store import PollState

_REMEDIES = {
    "AuthFailed": "check REDDIT_CLIENT_ID and REDDIT_CLIENT_SECRET; Reddit may have withdrawn the key",
    "Blocked": "a key from Reddit helps (REDDIT_CLIENT_ID); else leave it resting, or drop reddit from"
    " FOOTY_DISCOVERY__SOURCES",
    "RateLimited": "nothing to do: it is called again when the time is over",
    "Malformed": "if it lasts, Reddit has changed its format and this program needs an update",
}


@dataclass(frozen=True)
class RedditHealth:
    healthy: bool
    text: str
    remedy: str = ""


def describe_reddit(state: PollState, *, has_key: bool) -> RedditHealth:
    way = "with a key" if has_key else "by its Atom feed, without a key"
    if state.error:
        rest = f"rests until {_show_time(state.next_at)}"
        last = f", last read at {_show_time(state.worked_at)}" if state.worked_at else ", never read yet"
        text = f"{state.error}: {state.message}; {rest}{last} ({way})"
        return RedditHealth(False, text, _REMEDIES.get(state.error, "nothing to do: it is tried again"))
    if state.worked_at is None:
        return RedditHealth(True, f"not read yet; it is read when a goal is searched for ({way})")
    return RedditHealth(True, f"r/soccer last read at {_show_time(state.worked_at)} ({way})")


def _show_time(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M:%S UTC")
