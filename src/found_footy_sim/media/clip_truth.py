"""Ground truth of a rendered file, against which readers are measured."""

from collections.abc import Sequence
from dataclasses import dataclass

from found_footy_sim.media.clip_spec import ClipChange, ClipScene, SceneKind
from found_footy_sim.media.editing.derivation import duration_after
from found_footy_sim.media.graphics.score_bug_state import ScoreBugState, score_bug_state_at
from found_footy_sim.media.graphics.score_bugs import draw_bug
from found_footy_sim.media.scenes.replays import WIPE_SECONDS

_FOOTBALL_KINDS = frozenset({SceneKind.GOAL, SceneKind.REPLAY, SceneKind.FAN_CAM})


@dataclass(frozen=True)
class ClipTruth:
    """`is_football` is a match of football, whether or not the goal can be dated; `is_filmed` off a screen; `has_clock`
    if the match clock can be read at some moment of the file.
    """

    show: SceneKind
    is_football: bool
    is_filmed: bool
    is_mirrored: bool
    has_clock: bool


def compute_clip_truth(scene: ClipScene, changes: Sequence[ClipChange] = ()) -> ClipTruth:
    mirrored = sum(change.mirror for change in changes) % 2 == 1
    moments = (file_seconds(scene, changes) * share for share in (0.05, 0.25, 0.5, 0.75, 0.95))
    return ClipTruth(
        scene.show,
        scene.show in _FOOTBALL_KINDS,
        any(change.filmed for change in changes),
        mirrored,
        any(score_bug_at(scene, changes, at) is not None for at in moments),
    )


def file_seconds(scene: ClipScene, changes: Sequence[ClipChange] = ()) -> float:
    """The duration of the file in seconds."""
    length = scene.duration
    for change in changes:
        length = duration_after(change, length)
    return length


def scene_second_at(changes: Sequence[ClipChange], at: float) -> float:
    """The second of the scene that the file shows at its second `at`."""
    for change in reversed(changes):
        at = change.start + at * change.speed
    return at


def score_bug_at(scene: ClipScene, changes: Sequence[ClipChange], at: float) -> ScoreBugState | None:
    """The state of the score bug at a second of the file; None if there is none, or part of it is cut off
    or mirrored.
    """
    for number, change in enumerate(changes):
        if change.then is None:
            continue
        begins = file_seconds(scene, changes[: number + 1]) - change.then.duration
        if (since := scene_second_at(changes[number + 1 :], at) - begins) >= 0:
            return score_bug_at(change.then, (), since)
    live = scene_second_at(changes, at)
    if scene.show is not SceneKind.GOAL or scene.design == "none":
        return None
    if scene.replay and live > scene.duration - scene.replay - WIPE_SECONDS / 2:
        return None
    reading = score_bug_state_at(scene, live)
    return reading if _is_bug_visible(scene, reading, changes) else None


def _is_bug_visible(scene: ClipScene, reading: ScoreBugState, changes: Sequence[ClipChange]) -> bool:
    if sum(change.mirror for change in changes) % 2:
        return False
    size = scene.width, scene.height
    panel, (left, top) = draw_bug(scene.design, reading, size, scene.style)
    cut = 1 - 2 * sum(change.crop for change in changes)
    wide, high = size[0] * cut, size[1] * cut
    if any(change.portrait for change in changes):
        wide = min(wide, size[1] * 9 / 16)
    room = (size[0] - wide) / 2, (size[1] - high) / 2
    across = room[0] <= left and left + panel.width <= size[0] - room[0]
    return across and room[1] <= top and top + panel.height <= size[1] - room[1]
