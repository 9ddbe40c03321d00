"""Broadcasts of other sports: their own fields, players, score bugs and running clocks."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import sin

import numpy as np
from PIL import Image

from found_footy_sim.media.clip_spec import ClipScene, SceneKind
from found_footy_sim.media.graphics.bug_styles import generate_style
from found_footy_sim.media.graphics.panels import PanelCell, draw_row
from found_footy_sim.media.graphics.score_bug_state import format_clock
from found_footy_sim.media.play.figures import STANDING_POSE, STRIDE_POSES, PlayerAppearance, draw_figure
from found_footy_sim.media.play.sprites import paste_sprite
from found_footy_sim.media.scenes.courts import (
    CourtPainter,
    ProjectedCourt,
    draw_basketball_court,
    draw_gridiron,
    draw_stands,
    draw_tennis_court,
    project_court,
)
from found_footy_sim.media.stadium.camera_noise import CameraNoise

# The drawn surroundings are this much larger than the picture, so that the camera can pan.
_COURT_SCALE = 1.25
_SPORT_BUG_DESIGNS = "strip", "bar"


@dataclass(frozen=True)
class OtherSport:
    """The number of players, the position of the field's far edge, the height of people, and the text of the score bug
    at a second.
    """

    draw_field: CourtPainter
    players: int
    horizon: float
    person: float
    floor: tuple[int, int, int]
    bug_texts: Callable[[ClipScene, np.random.Generator, int], list[str]]


def _gridiron_texts(scene: ClipScene, dice: np.random.Generator, second: int) -> list[str]:
    quarter = ("1ST", "2ND", "3RD", "4TH")[dice.integers(4)]
    down = f"{('1ST', '2ND', '3RD')[dice.integers(3)]} & {int(dice.integers(1, 11))}"
    left = max(0, int(dice.integers(60, 890)) - second)
    points = dice.integers(0, 35, 2)
    return [
        f"{scene.home.short} {points[0]}",
        f"{scene.away.short} {points[1]}",
        f"{quarter} QTR",
        format_clock(left),
        down,
    ]


def _tennis_texts(scene: ClipScene, dice: np.random.Generator, second: int) -> list[str]:
    games = dice.integers(0, 7, 4)
    points = dice.choice(["0", "15", "30", "40"], 2)
    minutes = int(dice.integers(35, 170)) + second // 60
    played = f"{minutes // 60}:{minutes % 60:02d}"
    home, away = (f"{name} {a} {b}" for name, a, b in ((scene.home.short, *games[:2]), (scene.away.short, *games[2:])))
    return [f"SET {int(dice.integers(2, 4))}", f"{home} {points[0]}", f"{away} {points[1]}", played]


def _basketball_texts(scene: ClipScene, dice: np.random.Generator, second: int) -> list[str]:
    points = dice.integers(40, 120, 2)
    left = max(0, int(dice.integers(60, 710)) - second)
    quarter = f"Q{int(dice.integers(1, 5))}"
    shot = str(max(1, 24 - second % 24))
    return [f"{scene.home.short} {points[0]}", f"{scene.away.short} {points[1]}", quarter, format_clock(left), shot]


OTHER_SPORTS = {
    SceneKind.AMERICAN_FOOTBALL: OtherSport(draw_gridiron, 22, 0.3, 0.05, (50, 100, 48), _gridiron_texts),
    SceneKind.TENNIS: OtherSport(draw_tennis_court, 2, 0.28, 0.085, (70, 84, 92), _tennis_texts),
    SceneKind.BASKETBALL: OtherSport(draw_basketball_court, 10, 0.34, 0.1, (60, 44, 34), _basketball_texts),
}


def render_other_sport(scene: ClipScene) -> Iterator[Image.Image]:
    sport, dice = OTHER_SPORTS[scene.show], np.random.default_rng([scene.seed, 31])
    size = round(scene.width * _COURT_SCALE), round(scene.height * _COURT_SCALE)
    court = project_court(
        sport.draw_field(dice), size, draw_stands(size, sport.horizon, dice, sport.floor), sport.horizon, sport.person
    )
    grain = CameraNoise((scene.width, scene.height), 0.035)
    starts, drifts = dice.uniform(0.1, 0.9, (sport.players, 2)), dice.uniform(-1.0, 1.0, (sport.players, 2))
    for number in range(round(scene.duration * scene.fps)):
        at = number / scene.fps
        large = court.picture.copy()
        places = starts + drifts * sin(at * 0.5 + scene.seed) * 0.14
        _draw_players(large, court, places, scene, number)
        left = (size[0] - scene.width) * (0.5 + 0.45 * sin(at * 0.4 + scene.seed))
        top = (size[1] - scene.height) * 0.6
        picture = large.crop((round(left), round(top), round(left) + scene.width, round(top) + scene.height))
        picture = grain.apply_to(picture, number)
        _draw_sport_bug(picture, sport, scene, int(at))
        yield picture


def _draw_players(
    large: Image.Image,
    court: ProjectedCourt,
    places: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]",
    scene: ClipScene,
    number: int,
) -> None:
    for index in np.argsort(places[:, 1]):
        x, y, tall = court.locate_point(float(places[index, 0]), float(places[index, 1]))
        club = scene.home if index % 2 else scene.away
        look = PlayerAppearance(club.shirt, club.shorts, "#f0f0f0", int(index))
        pose = (number * 2 // 3 + int(index)) % STRIDE_POSES if index % 3 else STANDING_POSE
        sprite = draw_figure(look, pose, bool(index % 2), max(8, round(tall / 2) * 2))
        paste_sprite(large, sprite, round(x - sprite.width / 2), round(y - sprite.height))


def _draw_sport_bug(picture: Image.Image, sport: OtherSport, scene: ClipScene, second: int) -> None:
    says = sport.bug_texts(scene, np.random.default_rng([scene.seed, 32]), second)
    design = _SPORT_BUG_DESIGNS[scene.seed % 2]
    style = generate_style(design, scene.style or scene.seed + 1)
    inks = style.teams, style.teams, style.score, style.clock, style.flash
    panel = draw_row([PanelCell(text, inks[index % 5]) for index, text in enumerate(says)], style)
    scale = min(picture.height * 0.075 / panel.height, picture.width * 0.9 / panel.width)
    panel = panel.resize((round(panel.width * scale), round(panel.height * scale)), Image.Resampling.LANCZOS)
    top = picture.height * (0.86 if design == "strip" else 0.05)
    picture.paste(panel, ((picture.width - panel.width) // 2, round(top)), panel)
