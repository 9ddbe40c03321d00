"""A vision outage: the image classifier is damaged when the worker loads it, so that no clip can be checked."""

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
    """Put a damaged model into this data directory: a worker that starts now cannot check clips.

    An existing model is set aside. It may be the user's only one.
    """
    place, aside = _model_path(data_dir), _backup_path(data_dir)
    place.parent.mkdir(parents=True, exist_ok=True)
    # A model that an aborted demo set aside is not replaced by its damaged copy.
    if place.is_file() and place.stat().st_size != len(_DAMAGED_MODEL) and not aside.is_file():
        place.rename(aside)
    place.unlink(missing_ok=True)
    place.write_bytes(_DAMAGED_MODEL)


def restore_model(data_dir: Path) -> None:
    """Restore the model that was set aside, else the user's own, or none if there was none."""
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
    """Goal and link of every clip that could not be checked, once or more."""
    return {(goal, url) for goal, url, outcomes in _iter_outcomes(stored) if ClipOutcome.VISION_UNAVAILABLE in outcomes}


def find_checked_clips(stored: Iterable[StoredFixture]) -> set[tuple[str, str]]:
    """Goal and link of every clip whose last try was a check."""
    return {
        (goal, url) for goal, url, outcomes in _iter_outcomes(stored) if outcomes[-1] != ClipOutcome.VISION_UNAVAILABLE
    }


def select_standing_goals(clips: Iterable[tuple[str, str]], stored: Iterable[StoredFixture]) -> set[tuple[str, str]]:
    """Without those of removed or re-attributed goals: they are not retried under that id."""
    standing = {str(event.get("_event_id")) for one in stored for event in read_documents(one.document.get("events"))}
    return {(goal, url) for goal, url in clips if goal in standing}


def find_pending_clips(stored: Iterable[StoredFixture]) -> set[tuple[str, str]]:
    """Goal and link of every clip that is still to be checked: its last try could not check it, or has no result yet.

    Links that are open because their host is unreachable are not among them; that may last for ever.
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
    """Goal, link and outcomes, in the order of the attempts and of the retries after them."""
    for one in stored:
        for event in read_documents(one.document.get("events")):
            attempts = get_nested(event, "_telemetry", "attempts")
            outcomes_by_url: dict[str, list[str]] = {}
            for attempt in sorted(attempts.values(), key=_attempt_order) if isinstance(attempts, Mapping) else ():
                clips = get_nested(attempt, "clips")
                for clip in clips.values() if isinstance(clips, Mapping) else ():
                    if clip.get("outcome"):
                        outcomes_by_url.setdefault(str(clip.get("url")), []).append(str(clip["outcome"]))
            yield from ((str(event.get("_event_id")), url, outcomes) for url, outcomes in outcomes_by_url.items())


def _attempt_order(attempt: Any) -> tuple[datetime, int]:
    return get_nested(attempt, "searched_at") or _EARLIEST_TIME, int(get_nested(attempt, "attempt") or 0)
