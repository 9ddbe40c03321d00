"""From a scene to its frames."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from PIL import Image

from found_footy.sim.media import studio
from found_footy.sim.media.bugs import bug, reading_at, watermark
from found_footy.sim.media.camera import LENGTH, Floats, Lens, cameras
from found_footy.sim.media.figures import CHEERING, STANDING, STRIDES, Look, ball, figure, shadow
from found_footy.sim.media.pitch import surroundings
from found_footy.sim.media.play import SCORER, Play, choreograph
from found_footy.sim.media.spec import Club, Scene, Show

_PLAYER, _BALL = 1.86, 0.30
_KEEPERS = ("#39c26d", "#ff8a1f")


def frames_of(scene: Scene) -> Iterator[Image.Image]:
    """Every frame of the clip, in order. The same scene gives the same frames."""
    if scene.show is Show.GOAL:
        return _goal_frames(scene)
    return studio.talk(scene) if scene.show is Show.STUDIO else studio.blank(scene)


@dataclass(frozen=True)
class Cast:
    """Everybody on the pitch, one row per person: positions per frame, and what they look like."""

    places: Floats
    looks: tuple[Look, ...]
    poses: np.ndarray[tuple[int, ...], np.dtype[np.int64]]
    left: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]


def _goal_frames(scene: Scene) -> Iterator[Image.Image]:
    lens = Lens(cameras(scene.scorer_home)[scene.angle], scene.width, scene.height)
    play = _mirrored(choreograph(scene.seed, scene.duration, scene.moment * scene.duration, scene.fps), scene)
    cast = _cast(scene, play, lens)
    windows = _windows(lens, play, scene)
    colours = scene.home.shirt, scene.away.shirt
    calm, wild = surroundings(lens, colours)
    for number in range(len(play.ball)):
        since = number / scene.fps - scene.moment * scene.duration
        behind = wild if since > 0.3 and int(since * 5) % 2 else calm
        yield _frame(scene, lens, cast, play.ball[number], behind, windows[number], number)


def _mirrored(play: Play, scene: Scene) -> Play:
    """Home attacks to the right, away to the left."""
    if scene.scorer_home:
        return play
    parts = [part.copy() for part in (play.ball, play.attack, play.defence, play.referee)]
    for part in parts:
        part[..., 0] = LENGTH - part[..., 0]
    return Play(*parts)


def _cast(scene: Scene, play: Play, lens: Lens) -> Cast:
    scorers, others = (scene.home, scene.away) if scene.scorer_home else (scene.away, scene.home)
    places = np.concatenate([play.attack, play.defence, play.referee[:, None]], axis=1)
    looks = [*_team(scorers, _KEEPERS[0], 0), *_team(others, _KEEPERS[1], 5), Look("#15161a", "#15161a", "#15161a", 3)]
    step = np.diff(places, axis=0, prepend=places[:1])
    pace = np.hypot(step[..., 0], step[..., 1]) * scene.fps
    stride = np.cumsum(pace / scene.fps, axis=0) / 2.3 * STRIDES + np.arange(len(looks)) * 2.7
    poses = np.where(pace > 0.9, stride.astype(np.int64) % STRIDES, STANDING)
    _cheer(poses, scene)
    columns = lens.project(places[..., 0], places[..., 1], 0.0)[0]
    drift = np.diff(columns, axis=0, prepend=columns[:1])
    left = np.where(np.abs(drift) > 0.02, drift < 0, ~np.bool_(scene.scorer_home))
    return Cast(places, tuple(looks), poses, left)


def _team(club: Club, keeper: str, first: int) -> list[Look]:
    players = [Look(club.shirt, club.shorts, club.shirt, first + number) for number in range(10)]
    return [*players, Look(keeper, keeper, keeper, first + 2)]


def _cheer(poses: np.ndarray[tuple[int, ...], np.dtype[np.int64]], scene: Scene) -> None:
    """The scorer throws his arms up as soon as it is in; the others follow when they reach him."""
    goal = int(scene.moment * scene.duration * scene.fps)
    poses[goal + int(0.3 * scene.fps) : goal + int(1.3 * scene.fps), SCORER] = CHEERING
    poses[goal + int(4.2 * scene.fps) :, 3:SCORER] = CHEERING


def _windows(lens: Lens, play: Play, scene: Scene) -> Floats:
    """The cut-out of the surroundings per frame: left, top, right, bottom. It follows the ball, then the scorer."""
    goal = int(scene.moment * scene.duration * scene.fps)
    after = np.clip((np.arange(len(play.ball)) - goal - 0.5 * scene.fps) / (1.6 * scene.fps), 0, 1)[:, None]
    subject = play.ball[:, :2] + (play.attack[:, SCORER] - play.ball[:, :2]) * after * after * (3 - 2 * after)
    column, row, _ = lens.project(subject[:, 0], subject[:, 1], 0.8)
    column, row = _steady(column, scene.fps), _steady(row, scene.fps * 1.3)
    near = np.clip((np.abs(subject[:, 0] - LENGTH / 2) - 18) / 26, 0, 1)
    view = _steady(lens.camera.wide + (lens.camera.tight - lens.camera.wide) * np.maximum(near, after[:, 0]), scene.fps)
    width = np.minimum(np.radians(view) * lens.focal, lens.size[0] - 2.0)
    height = width * scene.height / scene.width
    over = np.minimum(1.0, (lens.size[1] - 2.0) / height)
    width, height = width * over, height * over
    left = np.clip(column - width / 2, 0, lens.size[0] - width)
    top = np.clip(row - height * 0.56, 0, lens.size[1] - height)
    return np.stack([left, top, left + width, top + height], axis=1)


def _steady(values: Floats, frames: float) -> Floats:
    """A camera operator's hand: two passes of a moving average."""
    reach = max(1, round(frames * 0.6))
    for _ in range(2):
        padded = np.concatenate([np.full(reach, values[0]), values, np.full(reach, values[-1])])
        total = np.cumsum(np.concatenate([[0.0], padded]))
        values = (total[2 * reach :] - total[: -2 * reach])[: len(values)] / (2 * reach)
    return values


def _frame(
    scene: Scene, lens: Lens, cast: Cast, ball_at: Floats, behind: Image.Image, window: Floats, number: int
) -> Image.Image:
    size = scene.width, scene.height
    box = tuple(float(edge) for edge in window)
    picture = behind.resize(size, Image.Resampling.BILINEAR, box=(box[0], box[1], box[2], box[3]))
    zoom = scene.width / (box[2] - box[0])
    _put_people(picture, lens, cast, ball_at, box[:2], zoom, number)
    if scene.design != "none":
        panel, corner = bug(scene.design, reading_at(scene, number / scene.fps), size)
        picture.paste(panel, corner, panel)
    mark, corner = watermark(size)
    picture.paste(mark, corner, mark)
    return picture


def _put_people(
    picture: Image.Image, lens: Lens, cast: Cast, ball_at: Floats, origin: tuple[float, ...], zoom: float, number: int
) -> None:
    """Far ones first, so that near ones stand in front of them."""
    places = cast.places[number]
    columns, rows, distance = lens.project(places[:, 0], places[:, 1], 0.0)
    tall = lens.scale(distance) * zoom * _PLAYER
    across, down = (columns - origin[0]) * zoom, (rows - origin[1]) * zoom
    seen = (across > -tall) & (across < picture.width + tall) & (down > 0) & (down < picture.height + 2 * tall)
    for index in np.argsort(-distance):
        if seen[index]:
            sprite = figure(
                cast.looks[index],
                int(cast.poses[number, index]),
                bool(cast.left[number, index]),
                max(6, round(tall[index] / 2) * 2),
            )
            _stand(picture, sprite, across[index], down[index])
    _put_ball(picture, lens, ball_at, origin, zoom)


def _stand(picture: Image.Image, sprite: Image.Image, across: float, down: float) -> None:
    spot = shadow(max(4, round(sprite.height * 0.62)))
    picture.paste((18, 34, 16), (round(across - spot.width / 2), round(down - spot.height / 2)), spot)
    picture.paste(sprite, (round(across - sprite.width / 2), round(down - sprite.height * 0.985)), sprite)


def _put_ball(picture: Image.Image, lens: Lens, at: Floats, origin: tuple[float, ...], zoom: float) -> None:
    x, y, z = (np.array([value]) for value in at)
    column, row, distance = lens.project(x, y, z)
    _, ground, _ = lens.project(x, y, 0.0)
    wide = max(3, round(float(lens.scale(distance)[0]) * zoom * _BALL))
    across, down, below = (
        float(v[0]) for v in ((column - origin[0]) * zoom, (row - origin[1]) * zoom, (ground - origin[1]) * zoom)
    )
    spot = shadow(max(4, wide * 2))
    picture.paste((18, 34, 16), (round(across - spot.width / 2), round(below - spot.height / 2)), spot)
    sprite = ball(wide)
    picture.paste(sprite, (round(across - wide / 2), round(down - wide / 2)), sprite)
