"""A play in its stadium, seen by one camera: the picture at any moment, without a broadcaster's graphics."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from found_footy_sim.media.clip_spec import ClipScene, TeamKit
from found_footy_sim.media.play.choreography import SCORER_INDEX, PlayPositions, choreograph_goal
from found_footy_sim.media.play.figures import (
    APPEARANCE_COUNT,
    CHEERING_POSE,
    STANDING_POSE,
    STRIDE_POSES,
    PlayerAppearance,
    draw_ball,
    draw_figure,
    draw_shadow_mask,
)
from found_footy_sim.media.play.sprites import paste_colour, paste_sprite
from found_footy_sim.media.stadium.camera import PITCH_LENGTH, CameraLens, FloatArray, PitchCamera
from found_footy_sim.media.stadium.camera_noise import CameraNoise
from found_footy_sim.media.stadium.surroundings import draw_surroundings
from found_footy_sim.media.stadium.venues import generate_venue

_PLAYER_HEIGHT, _BALL_WIDTH = 1.86, 0.30
_KEEPER_COLOURS = ("#39c26d", "#ff8a1f")
_DEFAULT_NOISE = 0.035
_SHADOW_COLOUR = 18, 34, 16, 255


@dataclass(frozen=True)
class PlayerTracks:
    """Everybody on the pitch: their appearance and, per frame and person, the position in pixels of the lens, the
    pixels per metre there, the pose, and the drawing order.
    """

    appearances: tuple[PlayerAppearance, ...]
    columns: FloatArray
    rows: FloatArray
    pixels_per_metre: FloatArray
    poses: NDArray[np.int64]
    facing_left: NDArray[np.bool_]
    far_first: NDArray[np.int64]


@dataclass(frozen=True)
class BallTrack:
    """The ball per frame, in pixels of the lens; `ground` is the row of the grass below it."""

    columns: FloatArray
    rows: FloatArray
    ground: FloatArray
    pixels_per_metre: FloatArray


class StadiumView:
    """`play` is the choreography in this camera's orientation, one entry per frame of the scene."""

    def __init__(self, scene: ClipScene, camera: PitchCamera, *, noise: float = _DEFAULT_NOISE) -> None:
        self.scene = scene
        self.lens = CameraLens(camera, scene.width, scene.height)
        self.play = mirror_play(
            choreograph_goal(scene.seed, scene.duration, scene.moment * scene.duration, scene.fps), scene
        )
        self._player_tracks = _build_player_tracks(scene, self.play, self.lens)
        self._ball_track = _build_ball_track(self.play, self.lens)
        self._surroundings = draw_surroundings(
            self.lens, (scene.home.shirt, scene.away.shirt), generate_venue(scene.home.short)
        )
        self._noise = CameraNoise((scene.width, scene.height), noise)

    def draw_frame(self, window: FloatArray, number: int) -> Image.Image:
        """Draw what is in the window, in pixels of the lens, at a frame."""
        since = number / self.scene.fps - self.scene.moment * self.scene.duration
        calm, wild = self._surroundings
        behind = wild if since > 0.3 and int(since * 5) % 2 else calm
        left, top, right, bottom = (float(edge) for edge in window)
        size = self.scene.width, self.scene.height
        picture = behind.resize(size, Image.Resampling.BILINEAR, box=(left, top, right, bottom))
        zoom = size[0] / (right - left)
        self._draw_players(picture, (left, top), zoom, number)
        self._draw_ball(picture, (left, top), zoom, number)
        return self._noise.apply_to(picture, number)

    def _draw_players(self, picture: Image.Image, origin: tuple[float, float], zoom: float, number: int) -> None:
        """Draw far players first, so that near ones cover them."""
        cast = self._player_tracks
        tall = cast.pixels_per_metre[number] * zoom * _PLAYER_HEIGHT
        across, down = (cast.columns[number] - origin[0]) * zoom, (cast.rows[number] - origin[1]) * zoom
        seen = (across > -tall) & (across < picture.width + tall) & (down > 0) & (down < picture.height + 2 * tall)
        order = cast.far_first[number]
        shown = order[seen[order]]
        measures = (tall, across, down, cast.poses[number], cast.facing_left[number])
        for index, high, x, y, pose, left in zip(shown.tolist(), *(m[shown].tolist() for m in measures), strict=True):
            _draw_standing(picture, draw_figure(cast.appearances[index], pose, left, max(6, round(high / 2) * 2)), x, y)

    def _draw_ball(self, picture: Image.Image, origin: tuple[float, float], zoom: float, number: int) -> None:
        flight = self._ball_track
        wide = max(3, round(float(flight.pixels_per_metre[number]) * zoom * _BALL_WIDTH))
        across = (float(flight.columns[number]) - origin[0]) * zoom
        down, below = ((float(rows[number]) - origin[1]) * zoom for rows in (flight.rows, flight.ground))
        spot, sprite = draw_shadow_mask(max(4, wide * 2)), draw_ball(wide)
        paste_colour(picture, _SHADOW_COLOUR, spot, round(across - spot.width / 2), round(below - spot.height / 2))
        paste_sprite(picture, sprite, round(across - wide / 2), round(down - wide / 2))


def mirror_play(play: PlayPositions, scene: ClipScene) -> PlayPositions:
    """Home attacks to the right, away to the left."""
    if scene.scorer_home:
        return play
    parts = [part.copy() for part in (play.ball, play.attack, play.defence, play.referee)]
    for part in parts:
        part[..., 0] = PITCH_LENGTH - part[..., 0]
    return PlayPositions(*parts)


def _build_player_tracks(scene: ClipScene, play: PlayPositions, lens: CameraLens) -> PlayerTracks:
    scorers, others = (scene.home, scene.away) if scene.scorer_home else (scene.away, scene.home)
    places = np.concatenate([play.attack, play.defence, play.referee[:, None]], axis=1)
    looks = [
        *_team_appearances(scorers, _KEEPER_COLOURS[0], 0),
        *_team_appearances(others, _KEEPER_COLOURS[1], 5),
        PlayerAppearance("#15161a", "#15161a", "#15161a", 3),
    ]
    step = np.diff(places, axis=0, prepend=places[:1])
    pace = np.hypot(step[..., 0], step[..., 1]) * scene.fps
    stride = np.cumsum(pace / scene.fps, axis=0) / 2.3 * STRIDE_POSES + np.arange(len(looks)) * 2.7
    poses = np.where(pace > 0.9, stride.astype(np.int64) % STRIDE_POSES, STANDING_POSE)
    _set_cheering_poses(poses, scene)
    columns, rows, distance = lens.project(places[..., 0], places[..., 1], 0.0)
    drift = np.diff(columns, axis=0, prepend=columns[:1])
    left = np.where(np.abs(drift) > 0.02, drift < 0, ~np.bool_(scene.scorer_home))
    return PlayerTracks(
        tuple(looks), columns, rows, lens.pixels_per_metre(distance), poses, left, np.argsort(-distance, axis=1)
    )


def _build_ball_track(play: PlayPositions, lens: CameraLens) -> BallTrack:
    x, y, z = play.ball.T
    columns, rows, distance = lens.project(x, y, z)
    return BallTrack(columns, rows, lens.project(x, y, 0.0)[1], lens.pixels_per_metre(distance))


def _team_appearances(club: TeamKit, keeper: str, first: int) -> list[PlayerAppearance]:
    players = [
        PlayerAppearance(club.shirt, club.shorts, club.shirt, (first + number) % APPEARANCE_COUNT)
        for number in range(10)
    ]
    return [*players, PlayerAppearance(keeper, keeper, keeper, (first + 2) % APPEARANCE_COUNT)]


def _set_cheering_poses(poses: NDArray[np.int64], scene: ClipScene) -> None:
    """The scorer throws his arms up after the goal; the others follow when they reach him."""
    goal = int(scene.moment * scene.duration * scene.fps)
    poses[goal + int(0.3 * scene.fps) : goal + int(1.3 * scene.fps), SCORER_INDEX] = CHEERING_POSE
    poses[goal + int(4.2 * scene.fps) :, 3:SCORER_INDEX] = CHEERING_POSE


def _draw_standing(picture: Image.Image, sprite: Image.Image, across: float, down: float) -> None:
    spot = draw_shadow_mask(max(4, round(sprite.height * 0.62)))
    paste_colour(picture, _SHADOW_COLOUR, spot, round(across - spot.width / 2), round(down - spot.height / 2))
    paste_sprite(picture, sprite, round(across - sprite.width / 2), round(down - sprite.height * 0.985))
