"""A while in which nobody can look at clips: the picture model is damaged when the worker loads it."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from found_footy.domain.outcomes import ClipOutcome
from found_footy.embedded.endpoints import default_data_dir
from found_footy.views.field_readers import get_nested, read_documents
from found_footy.views.fixture_views import StoredFixture
from found_footy.vision.classifier.builder import MODEL_FILE

_EARLIEST_TIME = datetime.min.replace(tzinfo=UTC)
_DAMAGED_MODEL = b"the first half of a picture model"


def damage_model(data_dir: Path) -> None:
    """Put a damaged model where this data directory has its own: a worker that starts now cannot look.

    A model that lies there is set aside. It may be the user's only one.
    """
    place, aside = _model_path(data_dir), _backup_path(data_dir)
    place.parent.mkdir(parents=True, exist_ok=True)
    # One that was set aside by a demo that never came to its end is not to be replaced by its damaged copy.
    if place.is_file() and place.stat().st_size != len(_DAMAGED_MODEL) and not aside.is_file():
        place.rename(aside)
    place.unlink(missing_ok=True)
    place.write_bytes(_DAMAGED_MODEL)


def restore_model(data_dir: Path) -> None:
    """The model that was set aside or else the user's own in its place, or none where there is none: as before."""
    place, aside, users = _model_path(data_dir), _backup_path(data_dir), _model_path(default_data_dir())
    place.unlink(missing_ok=True)
    if aside.is_file():
        aside.rename(place)
    elif users.is_file():
        place.symlink_to(users)


def _model_path(data_dir: Path) -> Path:
    return data_dir / "models" / MODEL_FILE


def _backup_path(data_dir: Path) -> Path:
    return _model_path(data_dir).with_suffix(".aside")


def find_unchecked_clips(stored: Iterable[StoredFixture]) -> set[tuple[str, str]]:
    """Goal and link of every clip that nobody could look at, once or more."""
    return {(goal, url) for goal, url, outcomes in _iter_outcomes(stored) if ClipOutcome.VISION_UNAVAILABLE in outcomes}


def find_checked_clips(stored: Iterable[StoredFixture]) -> set[tuple[str, str]]:
    """Goal and link of every clip whose last try was not in vain."""
    return {
        (goal, url) for goal, url, outcomes in _iter_outcomes(stored) if outcomes[-1] != ClipOutcome.VISION_UNAVAILABLE
    }


def select_standing_goals(clips: Iterable[tuple[str, str]], stored: Iterable[StoredFixture]) -> set[tuple[str, str]]:
    """Without those of goals that were struck out or given to another scorer: nobody tries them again under that id."""
    standing = {str(event.get("_event_id")) for one in stored for event in read_documents(one.document.get("events"))}
    return {(goal, url) for goal, url in clips if goal in standing}


def find_pending_clips(stored: Iterable[StoredFixture]) -> set[tuple[str, str]]:
    """Goal and link of every clip that is still to be looked at: its last try could not look, or has not told.

    Links that are open because their host is away are not among them; that may last for ever.
    """
    stored = list(stored)
    last = {(goal, url): outcomes[-1] for goal, url, outcomes in _iter_outcomes(stored)}
    return {
        (goal, url)
        for one in stored
        for event in read_documents(one.document.get("events"))
        for goal, url in ((str(event.get("_event_id")), str(link)) for link in event.get("_open_links") or ())
        if last.get((goal, url)) in (None, ClipOutcome.VISION_UNAVAILABLE)
    }


def _iter_outcomes(stored: Iterable[StoredFixture]) -> Iterable[tuple[str, str, list[str]]]:
    """Goal, link and what was said of it, in the order of the attempts and of the tries that came after them."""
    for one in stored:
        for event in read_documents(one.document.get("events")):
            attempts = get_nested(event, "_telemetry", "attempts")
            said: dict[str, list[str]] = {}
            for attempt in sorted(attempts.values(), key=_attempt_order) if isinstance(attempts, Mapping) else ():
                clips = get_nested(attempt, "clips")
                for clip in clips.values() if isinstance(clips, Mapping) else ():
                    if clip.get("outcome"):
                        said.setdefault(str(clip.get("url")), []).append(str(clip["outcome"]))
            yield from ((str(event.get("_event_id")), url, outcomes) for url, outcomes in said.items())


def _attempt_order(attempt: Any) -> tuple[datetime, int]:
    return get_nested(attempt, "searched_at") or _EARLIEST_TIME, int(get_nested(attempt, "attempt") or 0)
