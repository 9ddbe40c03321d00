"""The short way onto a picture gives the same pixels as Pillow's own."""

import pytest
from PIL import Image, ImageDraw

from found_footy_sim.media.play import figures
from found_footy_sim.media.play.figures import STANDING_POSE, PlayerAppearance, draw_figure, draw_shadow_mask
from found_footy_sim.media.play.sprites import paste_colour, paste_sprite


def field() -> Image.Image:
    picture = Image.linear_gradient("L").resize((64, 48)).convert("RGB")
    ImageDraw.Draw(picture).line((0, 0, 64, 48), fill="red", width=5)
    return picture


@pytest.mark.parametrize(("left", "top"), [(10, 5), (-7, -9), (50, 40), (-100, 0), (64, 48)])
def test_a_sprite_lies_where_and_as_pillow_puts_it_over_every_edge(left: int, top: int) -> None:
    sprite, spot = (
        draw_figure(PlayerAppearance("#c8102e", "#ffffff", "#c8102e"), STANDING_POSE, True, 24),
        draw_shadow_mask(20),
    )
    ours, theirs = field(), field()
    paste_colour(ours, (18, 34, 16, 255), spot, left, top)
    paste_sprite(ours, sprite, left, top)
    theirs.paste((18, 34, 16), (left, top), spot)
    theirs.paste(sprite, (left, top), sprite)
    assert ours.tobytes() == theirs.tobytes()


@pytest.mark.parametrize(("height", "part"), [(12, 6), (48, 6), (74, 3), (120, 2), (200, 1)])
def test_a_player_of_any_height_is_as_pillow_brings_the_large_drawing_down(height: int, part: int) -> None:
    look = PlayerAppearance("#1456a0", "#ffffff", "#1456a0", 3)
    plainly = figures._draw_master(look, 2).reduce(part).resize((height, height), Image.Resampling.BILINEAR)
    assert draw_figure(look, 2, False, height).tobytes() == plainly.tobytes()
