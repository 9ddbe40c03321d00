"""Renders the frames of a scene."""

from collections.abc import Callable, Iterator
from itertools import chain, islice

from PIL import Image

from found_footy_sim.media.clip_spec import ClipScene, SceneKind
from found_footy_sim.media.graphics.score_bugs import draw_bug, draw_watermark, score_bug_state_at
from found_footy_sim.media.scenes import adverts, replays, studio
from found_footy_sim.media.scenes.fan_video import render_fan_video
from found_footy_sim.media.scenes.other_sports import OTHER_SPORTS, render_other_sport
from found_footy_sim.media.stadium.camera import build_cameras
from found_footy_sim.media.stadium.camera_pan import compute_pan_windows
from found_footy_sim.media.stadium.stadium_view import StadiumView

Frames = Iterator[Image.Image]


def render_frames(scene: ClipScene) -> Frames:
    """Yield every frame of the clip, in order. The same scene gives the same frames."""
    mark, corner = draw_watermark((scene.width, scene.height))
    for picture in _FRAME_RENDERERS[scene.show](scene):
        if scene.show is not SceneKind.BLANK:
            picture.paste(mark, corner, mark)
        yield picture


def render_goal(scene: ClipScene) -> Frames:
    """The goal as it was broadcast: live with the score bug on top, and then, behind a wipe, its replay."""
    cut = round((scene.duration - scene.replay) * scene.fps)
    again = replays.render_replays(scene, scene.replay) if scene.replay else iter(())
    for number, picture in enumerate(chain(islice(_render_live(scene), cut), again)):
        progress = (number - cut) / scene.fps / replays.WIPE_SECONDS + 0.5
        yield replays.draw_wipe(picture, scene, progress) if scene.replay else picture


def _render_live(scene: ClipScene) -> Frames:
    stage = StadiumView(scene, build_cameras(scene.scorer_home)[scene.angle])
    seen = compute_pan_windows(stage.lens, stage.play, scene)
    for number in range(len(seen)):
        picture = stage.draw_frame(seen[number], number)
        if scene.design != "none":
            panel, corner = draw_bug(
                scene.design, score_bug_state_at(scene, number / scene.fps), picture.size, scene.style
            )
            picture.paste(panel, corner, panel)
        yield picture


_FRAME_RENDERERS: dict[SceneKind, Callable[[ClipScene], Frames]] = {
    SceneKind.GOAL: render_goal,
    SceneKind.REPLAY: replays.render_replay_clip,
    SceneKind.FAN_CAM: render_fan_video,
    SceneKind.STUDIO: studio.render_talk_show,
    SceneKind.ADVERT: adverts.render_advert,
    SceneKind.CARD: adverts.render_card,
    **dict.fromkeys(OTHER_SPORTS, render_other_sport),
    SceneKind.BLANK: studio.render_blank,
}
