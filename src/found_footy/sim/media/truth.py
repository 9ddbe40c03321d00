"""What a rendered file really shows: the answers that those who look at it are measured by."""

from collections.abc import Sequence
from dataclasses import dataclass

from found_footy.sim.media.bugs import bug
from found_footy.sim.media.derive import duration_after
from found_footy.sim.media.reading import Reading, reading_at
from found_footy.sim.media.replay import WIPE
from found_footy.sim.media.spec import Change, Scene, Show

_FOOTBALL = frozenset({Show.GOAL, Show.REPLAY, Show.FAN_CAM})


@dataclass(frozen=True)
class Truth:
    """`football` is a match of football, whether or not the goal can be dated; `filmed` off a screen; `clocked` if the
    match clock can be read at some moment of the file.
    """

    show: Show
    football: bool
    filmed: bool
    mirrored: bool
    clocked: bool


def truth_of(scene: Scene, changes: Sequence[Change] = ()) -> Truth:
    mirrored = sum(change.mirror for change in changes) % 2 == 1
    moments = (length_of(scene, changes) * share for share in (0.05, 0.25, 0.5, 0.75, 0.95))
    return Truth(
        scene.show,
        scene.show in _FOOTBALL,
        any(change.filmed for change in changes),
        mirrored,
        any(clock_at(scene, changes, at) is not None for at in moments),
    )


def length_of(scene: Scene, changes: Sequence[Change] = ()) -> float:
    """Seconds that the file takes."""
    length = scene.duration
    for change in changes:
        length = duration_after(change, length)
    return length


def recorded_at(changes: Sequence[Change], at: float) -> float:
    """The second of the scene that the file shows at its second `at`."""
    for change in reversed(changes):
        at = change.start + at * change.speed
    return at


def clock_at(scene: Scene, changes: Sequence[Change], at: float) -> Reading | None:
    """What the score bug says at a second of the file; None if there is none, or part of it is cut off or mirrored."""
    for number, change in enumerate(changes):
        if change.then is None:
            continue
        begins = length_of(scene, changes[: number + 1]) - change.then.duration
        if (since := recorded_at(changes[number + 1 :], at) - begins) >= 0:
            return clock_at(change.then, (), since)
    live = recorded_at(changes, at)
    if scene.show is not Show.GOAL or scene.design == "none":
        return None
    if scene.replay and live > scene.duration - scene.replay - WIPE / 2:
        return None
    reading = reading_at(scene, live)
    return reading if _whole(scene, reading, changes) else None


def _whole(scene: Scene, reading: Reading, changes: Sequence[Change]) -> bool:
    if sum(change.mirror for change in changes) % 2:
        return False
    size = scene.width, scene.height
    panel, (left, top) = bug(scene.design, reading, size, scene.style)
    cut = 1 - 2 * sum(change.crop for change in changes)
    wide, high = size[0] * cut, size[1] * cut
    if any(change.portrait for change in changes):
        wide = min(wide, size[1] * 9 / 16)
    room = (size[0] - wide) / 2, (size[1] - high) / 2
    across = room[0] <= left and left + panel.width <= size[0] - room[0]
    return across and room[1] <= top and top + panel.height <= size[1] - room[1]
