"""yt-dlp is asked in a process of its own, for one site, and nothing else of it is reachable."""

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from found_footy.clips.fetch.failures import FetchFailure
from found_footy.clips.fetch.ytdlp import child, lookup
from found_footy.clips.fetch.ytdlp.lookup import YtDlpLookup, parse_answer
from found_footy.domain.messages import ClipCandidate, VideoVariant
from found_footy.domain.outcomes import ClipOutcome
from tests.support.clips.syndication_posts import ID, media, post
from tests.support.loopback_services import served

WORDS: list[tuple[str, int, ClipOutcome, bool]] = [
    ("ERROR: No suitable extractor found for URL http://h/", 0, ClipOutcome.BAD_URL, False),
    ("ERROR: [twitter] 1: No video could be found in this tweet", 0, ClipOutcome.BAD_URL, False),
    ("ERROR: [twitter] 1: Media #2 is not a video", 0, ClipOutcome.BAD_URL, False),
    ("ERROR: [twitter] 1: Unable to download JSON metadata: HTTP Error 404", 404, ClipOutcome.DOWNLOAD_DELETED, False),
    ("ERROR: [twitter] 1: HTTP Error 429", 429, ClipOutcome.DOWNLOAD_RATE_LIMITED, True),
    ("ERROR: [twitter] 1: HTTP Error 403", 403, ClipOutcome.DOWNLOAD_RATE_LIMITED, True),
    ("ERROR: Syndication endpoint returned empty JSON response", 0, ClipOutcome.DOWNLOAD_RATE_LIMITED, True),
    ("ERROR: [twitter] 1: Failed to parse JSON", 0, ClipOutcome.DOWNLOAD_RATE_LIMITED, True),
    ("ERROR: [twitter] 1: The read operation timed out", 0, ClipOutcome.DOWNLOAD_TIMEOUT, True),
    ("ERROR: [twitter] 1: Unable to download JSON metadata: no route", 0, ClipOutcome.DOWNLOAD_FAILED, True),
    ("ERROR: [twitter] 1: NSFW tweet requires authentication", 0, ClipOutcome.DOWNLOAD_FAILED, False),
    ("ERROR: [twitter] 1: HTTP Error 503", 503, ClipOutcome.DOWNLOAD_FAILED, True),
]


@pytest.mark.parametrize(("words", "status", "outcome", "passing"), WORDS)
def test_every_failure_has_an_outcome(words: str, status: int, outcome: ClipOutcome, passing: bool) -> None:
    refusal = parse_answer({"error": words, "status": status})
    assert isinstance(refusal, FetchFailure)
    assert (refusal.outcome, refusal.transient) == (outcome, passing)


def test_an_answer_without_a_plain_file_has_no_video() -> None:
    answers: list[Any] = [[], [[]], [[{"url": None}]]]
    for reported in answers:
        refusal = parse_answer({"videos": reported})
        assert isinstance(refusal, FetchFailure)
        assert refusal.outcome is ClipOutcome.BAD_URL


@pytest.mark.parametrize("body", [None, [], "?", {}, {"videos": None}, {"status": 404}])
def test_an_answer_that_is_none_is_a_failure_and_not_a_post_without_a_video(body: Any) -> None:
    refusal = parse_answer(body)
    assert isinstance(refusal, FetchFailure)
    assert refusal.outcome is ClipOutcome.DOWNLOAD_FAILED


@pytest.mark.parametrize(
    ("tweet_id", "place"),
    [("1", ""), ("../../etc", ""), (ID + "?x=1", ""), (ID, "9"), (ID, "../"), ("٣" * 19, ""), (ID + "\n", "")],
)
def test_an_address_is_built_from_digits_alone(tweet_id: str, place: str) -> None:
    with pytest.raises(ValueError, match="not a post id"):
        child.build_url(tweet_id, place)
    assert child.build_url(ID, "2") == f"https://x.com/i/status/{ID}/video/2"


def link(place: str = "") -> ClipCandidate:
    return ClipCandidate(f"https://x.com/fan/status/{ID}{place}", ID, "fan", None, None)


STAND_IN = """
import json, os, sys, time
from yt_dlp import utils
class YoutubeDL:
    def __init__(self, options):
        self.options = {key: str(value) for key, value in options.items()}
    def __enter__(self): return self
    def __exit__(self, *_): pass
    def extract_info(self, url, download):
        match MODE:
            case "hang": time.sleep(60)
            case "crash": os._exit(3)
            case "talk": sys.stdout.write("x" * 10**6)
        file = {"url": f"{url}/{download}/" + ",".join(sorted(os.environ)) + ".mp4", "tbr": 832.4}
        return {"entries": [{"formats": [{**file, "protocol": "https", "ext": "mp4"}, {"protocol": "m3u8_native"}]}]}
"""


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """`stand_in(mode)` puts a library into the place of yt-dlp."""
    package = tmp_path / "yt_dlp"
    package.mkdir()
    (package / "utils.py").write_text(
        "class YoutubeDLError(Exception): ...\ndef match_filter_func(rule): return rule\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("S3_SECRET_KEY", "secret")
    monkeypatch.setattr(lookup, "is_installed", lambda: True)

    def behaves(mode: str) -> None:
        (package / "__init__.py").write_text(f'MODE = "{mode}"\n{STAND_IN}')

    return behaves


async def asked(place: str = "", limit: float = 20.0) -> tuple[VideoVariant, ...] | FetchFailure:
    return await YtDlpLookup(10**6, timedelta(seconds=60), timedelta(seconds=limit)).fetch_variants(link(place))


async def test_the_child_is_asked_for_addresses_only_and_knows_no_secret(stand_in: Callable[[str], None]) -> None:
    stand_in("")
    found = await asked("/video/2")
    assert not isinstance(found, FetchFailure), found
    [file] = found
    url, variables = file.url.removesuffix(".mp4").rsplit("/", 1)
    assert url == f"https://x.com/i/status/{ID}/video/2/False"
    assert "YTDLP_NO_PLUGINS" in variables
    assert "SECRET" not in variables
    assert file.bitrate == 832_000


@pytest.mark.parametrize(
    ("mode", "outcome"),
    [
        ("hang", ClipOutcome.DOWNLOAD_TIMEOUT),
        ("crash", ClipOutcome.DOWNLOAD_FAILED),
        ("talk", ClipOutcome.DOWNLOAD_FAILED),
    ],
)
async def test_a_failing_child_process_affects_only_its_clip(
    stand_in: Callable[[str], None], mode: str, outcome: ClipOutcome
) -> None:
    stand_in(mode)
    refusal = await asked(limit=1.0 if mode == "hang" else 20.0)
    assert isinstance(refusal, FetchFailure)
    assert refusal.outcome is outcome


async def test_a_missing_library_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookup, "is_installed", lambda: False)
    refusal = await asked()
    assert isinstance(refusal, FetchFailure)
    assert "not installed" in refusal.reason


class Web:
    """The embed endpoint with one post, and a place that nobody may be led to."""

    def __init__(self) -> None:
        self.body: Any = {}
        self.asked: list[str] = []
        paths = ("/tweet-result", "/secret.mp4")
        self.app = Starlette(routes=[Route(path, self._answer) for path in paths])

    async def _answer(self, request: Request) -> Response:
        self.asked.append(request.url.path)
        return JSONResponse(self.body)


@pytest.fixture
def web() -> Iterator[tuple[Web, str]]:
    web = Web()
    with served(web.app) as base:
        yield web, base


@pytest.fixture
def real(web: tuple[Web, str], monkeypatch: pytest.MonkeyPatch) -> Any:
    """yt-dlp itself, with the address of the endpoint turned to ours, and nothing else changed."""
    library: Any = pytest.importorskip("yt_dlp")
    whole = library.YoutubeDL.urlopen

    def turned(self: Any, request: Any) -> Any:
        request.url = request.url.replace("https://cdn.syndication.twimg.com", web[1])
        return whole(self, request)

    monkeypatch.setattr(library.YoutubeDL, "urlopen", turned)
    return library


def answer(tweet_id: str = ID, place: str = "") -> Any:
    question = {"tweet_id": tweet_id, "place": place, "max_bytes": 10**6, "longest": 60.0}
    return parse_answer(json.loads(json.dumps(child.answer_question(question))))


def test_the_library_itself_reads_the_files_of_each_video(real: Any, web: tuple[Web, str]) -> None:
    web[0].body = post(media(1), media(2))
    first, second = answer(), answer(place="2")
    assert [(file.bitrate, file.width) for file in first] == [(832_000, 640), (2_176_000, 1280)]
    assert {file.url.split("/")[4] for file in first} == {"1"}
    assert {file.url.split("/")[4] for file in second} == {"2"}


def test_a_post_that_redirects_elsewhere_is_not_followed(real: Any, web: tuple[Web, str]) -> None:
    web[0].body = post(entities={"urls": [{"expanded_url": f"{web[1]}/secret.mp4"}]})
    refusal = answer()
    assert refusal.outcome is ClipOutcome.BAD_URL
    assert "leads elsewhere" in refusal.reason
    assert set(web[0].asked) == {"/tweet-result"}


@pytest.mark.parametrize("body", [{}, post(), {"__typename": "TweetTombstone"}])
def test_the_library_finds_nothing_where_there_is_nothing(real: Any, web: tuple[Web, str], body: Any) -> None:
    web[0].body = body
    assert isinstance(answer(), FetchFailure)


def test_no_other_address_matches_an_extractor(real: Any, web: tuple[Web, str]) -> None:
    options = child.build_options(10**6, 60.0)
    assert not {"cookiefile", "cookiesfrombrowser", "external_downloader", "postprocessors", "enable_file_urls"} & set(
        options
    )
    with real.YoutubeDL(options) as locked:
        for url in (
            f"{web[1]}/secret.mp4",
            "file:///etc/passwd",
            "https://www.youtube.com/watch?v=dQw4w9WgXcQ",
            "https://t.co/abc",
            "https://x.com/i/spaces/1eaKbrPAqbwKX",
            "https://x.com/i/broadcasts/1yNGaQLWpejGj",
        ):
            with pytest.raises(real.utils.DownloadError, match="No suitable extractor"):
                locked.extract_info(url, download=False)
    assert web[0].asked == []
