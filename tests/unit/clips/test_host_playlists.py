"""Which files HLS playlists and manifests of strangers name, and that hostile ones name none."""

import pytest

from found_footy.clips.fetch.hosts.pages import find_page_video, read_manifest, read_streamable
from found_footy.clips.fetch.hosts.playlists import ListedStream, read_main_playlist, read_stream_file
from found_footy.platform.safe_xml import parse_xml

BASE = "https://v.redd.it/abc/HLSPlaylist.m3u8"
SOUND = '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="7",URI="HLS_AUDIO_128_K.m3u8"'
LARGE = '#EXT-X-STREAM-INF:BANDWIDTH=2400000,RESOLUTION=1280x720,AUDIO="7"\nHLS_720.m3u8'
HUGE = "#EXT-X-STREAM-INF:BANDWIDTH=9000000,RESOLUTION=3840x2160\nHLS_2160.m3u8"
SMALL = "#EXT-X-STREAM-INF:BANDWIDTH=300000,RESOLUTION=426x240\nHLS_240.m3u8"
BEST = ListedStream(
    "https://v.redd.it/abc/HLS_720.m3u8", "https://v.redd.it/abc/HLS_AUDIO_128_K.m3u8", 2_400_000, 1280, 720
)


@pytest.mark.parametrize(
    ("text", "stream"),
    [
        (f"#EXTM3U\n{SOUND}\n{SMALL}\n{HUGE}\n{LARGE}\n", BEST),
        (f"#EXTM3U\r\n{SOUND}\r\n\r\n{LARGE}", BEST),
        (f"#EXTM3U\n{HUGE}", None),
        ("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n#EXT-X-ENDLIST", None),
        (LARGE, None),
        ("", None),
        ("<html></html>", None),
        ("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=" + "9" * 50 + "\nx.m3u8",
         ListedStream("https://v.redd.it/abc/x.m3u8", "", 0, 0, 0)),
    ],
)  # fmt: skip
def test_the_best_picture_up_to_1080_lines_is_taken_with_its_sound(text: str, stream: ListedStream | None) -> None:
    assert read_main_playlist(text, BASE) == stream


@pytest.mark.parametrize(
    ("text", "file"),
    [
        ("#EXTM3U\n#EXT-X-BYTERANGE:5@0\nCMAF_720.mp4\n#EXT-X-BYTERANGE:5@5\nCMAF_720.mp4", "CMAF_720.mp4"),
        ("#EXTM3U\na.mp4\nb.mp4", None),
        ("#EXTM3U\nHLS_720.ts", None),
        ("#EXTM3U\n#EXT-X-ENDLIST", None),
        ("CMAF_720.mp4", None),
        ("#EXTM3U\nhttps://[x.mp4", None),
    ],
)
def test_a_playlist_of_one_mp4_is_that_file(text: str, file: str | None) -> None:
    assert read_stream_file(text, BASE) == (f"https://v.redd.it/abc/{file}" if file else None)


BOMB = '<!DOCTYPE l [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><MPD>&b;</MPD>'


@pytest.mark.parametrize(
    "body",
    [
        BOMB.encode(),
        BOMB.encode("utf-16"),
        BOMB.encode("utf-16-be"),
        f"\ufeff{BOMB}".encode(),
        f'<?xml version="1.0" encoding="utf-16"?>{BOMB}'.encode("utf-16"),
        b'<?xml version="1.0" encoding="utf-7"?>+ADwAIQ-DOCTYPE l [+ADwAIQ-ENTITY a "b">]><MPD>&a;</MPD>',
        b"",
        b"\xff\xfe",
        b"<a><b></a>",
        b"<a>\x00</a>",
        b"\xef\xbb\xbf",
    ],
)  # fmt: skip
def test_xml_with_declarations_or_in_another_encoding_is_not_parsed(body: bytes) -> None:
    assert parse_xml(body) is None
    assert read_manifest(body, BASE) is None


def test_plain_xml_is_parsed_with_and_without_its_first_line() -> None:
    for head in ("", '<?xml version="1.0" encoding="UTF-8"?>', "\ufeff\n<?xml version='1.0'?>\n"):
        root = parse_xml(f"{head}<feed>Köln &amp; &#233;</feed>".encode())
        assert root is not None
        assert root.text == "Köln & é"


def test_what_is_no_address_is_not_taken_and_breaks_nothing() -> None:
    page = '<meta property="og:video" content="https://[x/a.mp4"><video src="/b.mp4"></video>'
    assert find_page_video(page, "https://host.test/v/1") == "https://host.test/b.mp4"
    assert read_streamable({"status": 2, "files": {"mp4": {"url": "//[x/a.mp4"}}}) == (None, False)
    manifest = (
        '<MPD xmlns="urn:mpeg:dash:schema:mpd:2011"><AdaptationSet contentType="video"><Representation height="720">'
        "<BaseURL>https://[x/a.mp4</BaseURL></Representation></AdaptationSet></MPD>"
    )
    assert read_manifest(manifest.encode(), BASE) is None
    assert read_main_playlist("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nhttps://[x/a.m3u8", BASE) is None
