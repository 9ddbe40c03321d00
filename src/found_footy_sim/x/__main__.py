"""The simulated site on a port of its own, with somebody always posting: `python -m found_footy_sim.x`."""

import argparse
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import uvicorn

from found_footy_sim.x import VideoRendition, XPost, XSite, XVideo, make_snowflake

_POST_INTERVAL_SECONDS = 20
_MAX_POSTS = 200
_POST_TEXTS = (
    "GOAL! Saka puts Arsenal ahead",
    "Haaland again. Manchester City lead",
    "What a finish from Salah, Liverpool level it",
    "Bellingham! Real Madrid in front",
    "Football as it should be: Szoboszlai from 30 metres for Liverpool",
)


class EndlessPosts:
    """Publishes one post every few seconds without end."""

    def posts(self, now: datetime) -> Iterator[XPost]:
        latest = int(now.timestamp()) // _POST_INTERVAL_SECONDS
        return (_build_post(number) for number in range(latest - _MAX_POSTS, latest + 1))


def _build_post(number: int) -> XPost:
    at = datetime.fromtimestamp(number * _POST_INTERVAL_SECONDS, UTC) + timedelta(milliseconds=number % 997)
    rendition = VideoRendition(f"https://video.example/{number}/vid/1280x720/clip.mp4", 2_176_000, 1280, 720)
    video = XVideo(make_snowflake(at, 1), (rendition,), duration_ms=8_000 + number % 30_000)
    return XPost(make_snowflake(at), f"fan{number % 97}", _POST_TEXTS[number % len(_POST_TEXTS)], at, (video,))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8099)
    parser.add_argument("--username", default="footy")
    parser.add_argument("--password", default="goal")
    chosen = parser.parse_args()
    site = XSite(EndlessPosts(), passwords={chosen.username: chosen.password})
    uvicorn.run(site.app, host="127.0.0.1", port=chosen.port, log_level="info", access_log=False)


if __name__ == "__main__":
    main()
