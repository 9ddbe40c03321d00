"""A play in its stadium, seen by one camera: the picture of any moment, without what a broadcaster puts on top."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from found_footy.sim.media.camera import LENGTH, Camera, Floats, Lens
from found_footy.sim.media.figures import CHEERING, KINDS, STANDING, STRIDES, Look, ball, figure, shadow
from found_footy.sim.media.grain import Grain
from found_footy.sim.media.paste import put, stain
from found_footy.sim.media.pitch import surroundings
from found_footy.sim.media.play import SCORER, Play, choreograph
from found_footy.sim.media.spec import Club, Scene
from found_footy.sim.media.venues import venue_of

_PLAYER, _BALL = 1.86, 0.30
_KEEPERS = ("#39c26d", "#ff8a1f")
_FAINT = 0.035
_SHADOW = 18, 34, 16, 255


@dataclass(frozen=True)
class Cast:
    """Everybody on the pitch: what they look like and, per frame and person, where they are in pixels of the lens, how
    many of those a metre has there, how they move, and who is behind whom.
    """

    looks: tuple[Look, ...]
    columns: Floats
    rows: Floats
    metre: Floats
    poses: NDArray[np.int64]
    left: NDArray[np.bool_]
    far_first: NDArray[np.int64]


@dataclass(frozen=True)
class Flight:
    """The ball per frame, in pixels of the lens; `ground` is the row of the grass below it."""

    columns: Floats
    rows: Floats
    ground: Floats
    metre: Floats


class Stage:
    """`play` is the choreography as this camera's pictures have it, one entry per frame of the scene."""

    def __init__(self, scene: Scene, camera: Camera, *, grain: float = _FAINT) -> None:
        self.scene = scene
        self.lens = Lens(camera, scene.width, scene.height)
        self.play = mirrored(choreograph(scene.seed, scene.duration, scene.moment * scene.duration, scene.fps), scene)
        self._cast = _cast(scene, self.play, self.lens)
        self._flight = _flight(self.play, self.lens)
        self._behind = surroundings(self.lens, (scene.home.shirt, scene.away.shirt), venue_of(scene.home.short))
        self._grain = Grain((scene.width, scene.height), grain)

    def picture(self, window: Floats, number: int) -> Image.Image:
        """What is in the window, in pixels of the lens, at a frame."""
        since = number / self.scene.fps - self.scene.moment * self.scene.duration
        calm, wild = self._behind
        behind = wild if since > 0.3 and int(since * 5) % 2 else calm
        left, top, right, bottom = (float(edge) for edge in window)
        size = self.scene.width, self.scene.height
        picture = behind.resize(size, Image.Resampling.BILINEAR, box=(left, top, right, bottom))
        zoom = size[0] / (right - left)
        self._put_people(picture, (left, top), zoom, number)
        self._put_ball(picture, (left, top), zoom, number)
        return self._grain.over(picture, number)

    def _put_people(self, picture: Image.Image, origin: tuple[float, float], zoom: float, number: int) -> None:
        """Far ones first, so that near ones stand in front of them."""
        cast = self._cast
        tall = cast.metre[number] * zoom * _PLAYER
        across, down = (cast.columns[number] - origin[0]) * zoom, (cast.rows[number] - origin[1]) * zoom
        seen = (across > -tall) & (across < picture.width + tall) & (down > 0) & (down < picture.height + 2 * tall)
        order = cast.far_first[number]
        shown = order[seen[order]]
        measures = (tall, across, down, cast.poses[number], cast.left[number])
        for index, high, x, y, pose, left in zip(shown.tolist(), *(m[shown].tolist() for m in measures), strict=True):
            _stand(picture, figure(cast.looks[index], pose, left, max(6, round(high / 2) * 2)), x, y)

    def _put_ball(self, picture: Image.Image, origin: tuple[float, float], zoom: float, number: int) -> None:
        flight = self._flight
        wide = max(3, round(float(flight.metre[number]) * zoom * _BALL))
        across = (float(flight.columns[number]) - origin[0]) * zoom
        down, below = ((float(rows[number]) - origin[1]) * zoom for rows in (flight.rows, flight.ground))
        spot, sprite = shadow(max(4, wide * 2)), ball(wide)
        stain(picture, _SHADOW, spot, round(across - spot.width / 2), round(below - spot.height / 2))
        put(picture, sprite, round(across - wide / 2), round(down - wide / 2))


def mirrored(play: Play, scene: Scene) -> Play:
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
    columns, rows, distance = lens.project(places[..., 0], places[..., 1], 0.0)
    drift = np.diff(columns, axis=0, prepend=columns[:1])
    left = np.where(np.abs(drift) > 0.02, drift < 0, ~np.bool_(scene.scorer_home))
    return Cast(tuple(looks), columns, rows, lens.scale(distance), poses, left, np.argsort(-distance, axis=1))


def _flight(play: Play, lens: Lens) -> Flight:
    x, y, z = play.ball.T
    columns, rows, distance = lens.project(x, y, z)
    return Flight(columns, rows, lens.project(x, y, 0.0)[1], lens.scale(distance))


def _team(club: Club, keeper: str, first: int) -> list[Look]:
    players = [Look(club.shirt, club.shorts, club.shirt, (first + number) % KINDS) for number in range(10)]
    return [*players, Look(keeper, keeper, keeper, (first + 2) % KINDS)]


def _cheer(poses: NDArray[np.int64], scene: Scene) -> None:
    """The scorer throws his arms up as soon as it is in; the others follow when they reach him."""
    goal = int(scene.moment * scene.duration * scene.fps)
    poses[goal + int(0.3 * scene.fps) : goal + int(1.3 * scene.fps), SCORER] = CHEERING
    poses[goal + int(4.2 * scene.fps) :, 3:SCORER] = CHEERING


def _stand(picture: Image.Image, sprite: Image.Image, across: float, down: float) -> None:
    spot = shadow(max(4, round(sprite.height * 0.62)))
    stain(picture, _SHADOW, spot, round(across - spot.width / 2), round(down - spot.height / 2))
    put(picture, sprite, round(across - sprite.width / 2), round(down - sprite.height * 0.985))
