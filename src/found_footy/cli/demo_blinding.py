"""A while in which nobody can look at clips: the picture model is damaged when the worker loads it."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from found_footy.embedded.endpoints import default_data_dir
from found_footy.model.outcome import ClipOutcome
from found_footy.vision.classifier.making import FILE
from found_footy.web.documents import at, rows
from found_footy.web.views import Stored

_LONG_AGO = datetime.min.replace(tzinfo=UTC)
_NOT_A_MODEL = b"the first half of a picture model"


def blind(data_dir: Path) -> None:
    """Put a damaged model where this data directory has its own: a worker that starts now cannot look.

    A model that lies there is set aside. It may be the user's only one.
    """
    place, aside = _place(data_dir), _aside(data_dir)
    place.parent.mkdir(parents=True, exist_ok=True)
    # One that was set aside by a demo that never came to its end is not to be replaced by its damaged copy.
    if place.is_file() and place.stat().st_size != len(_NOT_A_MODEL) and not aside.is_file():
        place.rename(aside)
    place.unlink(missing_ok=True)
    place.write_bytes(_NOT_A_MODEL)


def open_eyes(data_dir: Path) -> None:
    """The model that was set aside or else the user's own in its place, or none where there is none: as before."""
    place, aside, users = _place(data_dir), _aside(data_dir), _place(default_data_dir())
    place.unlink(missing_ok=True)
    if aside.is_file():
        aside.rename(place)
    elif users.is_file():
        place.symlink_to(users)


def _place(data_dir: Path) -> Path:
    return data_dir / "models" / FILE


def _aside(data_dir: Path) -> Path:
    return _place(data_dir).with_suffix(".aside")


def unseen(stored: Iterable[Stored]) -> set[tuple[str, str]]:
    """Goal and link of every clip that nobody could look at, once or more."""
    return {(goal, url) for goal, url, outcomes in _verdicts(stored) if ClipOutcome.VISION_UNAVAILABLE in outcomes}


def looked_at(stored: Iterable[Stored]) -> set[tuple[str, str]]:
    """Goal and link of every clip whose last try was not in vain."""
    return {(goal, url) for goal, url, outcomes in _verdicts(stored) if outcomes[-1] != ClipOutcome.VISION_UNAVAILABLE}


def of_standing_goals(clips: Iterable[tuple[str, str]], stored: Iterable[Stored]) -> set[tuple[str, str]]:
    """Without those of goals that were struck out or given to another scorer: nobody tries them again under that id."""
    standing = {str(event.get("_event_id")) for one in stored for event in rows(one.document.get("events"))}
    return {(goal, url) for goal, url in clips if goal in standing}


def awaited(stored: Iterable[Stored]) -> set[tuple[str, str]]:
    """Goal and link of every clip that is still to be looked at: its last try could not look, or has not told.

    Links that are open because their host is away are not among them; that may last for ever.
    """
    stored = list(stored)
    last = {(goal, url): outcomes[-1] for goal, url, outcomes in _verdicts(stored)}
    return {
        (goal, url)
        for one in stored
        for event in rows(one.document.get("events"))
        for goal, url in ((str(event.get("_event_id")), str(link)) for link in event.get("_open_links") or ())
        if last.get((goal, url)) in (None, ClipOutcome.VISION_UNAVAILABLE)
    }


def _verdicts(stored: Iterable[Stored]) -> Iterable[tuple[str, str, list[str]]]:
    """Goal, link and what was said of it, in the order of the attempts and of the tries that came after them."""
    for one in stored:
        for event in rows(one.document.get("events")):
            attempts = at(event, "_telemetry", "attempts")
            said: dict[str, list[str]] = {}
            for attempt in sorted(attempts.values(), key=_turn) if isinstance(attempts, Mapping) else ():
                clips = at(attempt, "clips")
                for clip in clips.values() if isinstance(clips, Mapping) else ():
                    if clip.get("outcome"):
                        said.setdefault(str(clip.get("url")), []).append(str(clip["outcome"]))
            yield from ((str(event.get("_event_id")), url, outcomes) for url, outcomes in said.items())


def _turn(attempt: Any) -> tuple[datetime, int]:
    return at(attempt, "searched_at") or _LONG_AGO, int(at(attempt, "attempt") or 0)
