from datetime import UTC, datetime, timedelta
from pathlib import Path

from found_footy_sim import Simulator, load_scenario

START = datetime(2026, 11, 15, 15, 0, tzinfo=UTC)


def test_the_site_has_the_posts_of_the_scenario_with_their_videos(tmp_path: Path) -> None:
    simulator = Simulator(load_scenario("better-copy-later"), clock="manual", media_dir=tmp_path, now=lambda: START)
    source = simulator.x_posts("http://sim:1/")
    assert source.posts(START) == []
    simulator.advance(minutes=25)
    (post,) = source.posts(START)
    assert (post.author, post.text, post.posted_at) == ("sim_quick", "Szoboszlai goal Liverpool", START)
    (video,) = post.videos
    assert video.duration_ms == 6000
    assert [rendition.url for rendition in video.renditions] == [f"http://sim:1/video/{video.id}/640x360/poor.mp4"]
    assert source.posts(START - timedelta(seconds=1)) == []
