"""From a scene to its frames."""

from collections.abc import Callable, Iterator
from itertools import chain, islice

from PIL import Image

from found_footy.sim.media import adverts, replay, studio
from found_footy.sim.media.bugs import bug, reading_at, watermark
from found_footy.sim.media.camera import cameras
from found_footy.sim.media.fancam import fan_cam
from found_footy.sim.media.pan import windows
from found_footy.sim.media.spec import Scene, Show
from found_footy.sim.media.sports import SPORTS, other_sport
from found_footy.sim.media.stage import Stage

Frames = Iterator[Image.Image]


def frames_of(scene: Scene) -> Frames:
    """Every frame of the clip, in order. The same scene gives the same frames."""
    mark, corner = watermark((scene.width, scene.height))
    for picture in _SHOWS[scene.show](scene):
        if scene.show is not Show.BLANK:
            picture.paste(mark, corner, mark)
        yield picture


def goal(scene: Scene) -> Frames:
    """The goal as it was broadcast: live with the score bug on top, and then, behind a wipe, its replay."""
    cut = round((scene.duration - scene.replay) * scene.fps)
    again = replay.replays(scene, scene.replay) if scene.replay else iter(())
    for number, picture in enumerate(chain(islice(_live(scene), cut), again)):
        progress = (number - cut) / scene.fps / replay.WIPE + 0.5
        yield replay.wiped(picture, scene, progress) if scene.replay else picture


def _live(scene: Scene) -> Frames:
    stage = Stage(scene, cameras(scene.scorer_home)[scene.angle])
    seen = windows(stage.lens, stage.play, scene)
    for number in range(len(seen)):
        picture = stage.picture(seen[number], number)
        if scene.design != "none":
            panel, corner = bug(scene.design, reading_at(scene, number / scene.fps), picture.size, scene.style)
            picture.paste(panel, corner, panel)
        yield picture


_SHOWS: dict[Show, Callable[[Scene], Frames]] = {
    Show.GOAL: goal,
    Show.REPLAY: replay.whole,
    Show.FAN_CAM: fan_cam,
    Show.STUDIO: studio.talk,
    Show.ADVERT: adverts.advert,
    Show.CARD: adverts.card,
    **dict.fromkeys(SPORTS, other_sport),
    Show.BLANK: studio.blank,
}
