"""Settings of stage three."""

from datetime import timedelta
from pathlib import Path
from typing import Annotated

from pydantic import Field

from found_footy.domain.screening import DEFAULT_SCREENING_RULES, ScreeningRules
from found_footy.platform.settings.groups import Bytes, Duration, HttpUrl, SettingsGroup

# The activity that fetches, screens and stores a video must end before Temporal's timeout.
MAX_DOWNLOAD_DEADLINE = timedelta(minutes=5)


class ClipSettings(SettingsGroup):
    video_hosts: tuple[str, ...] = ("video.twimg.com",)
    """Hosts that videos may be fetched from; no other host is contacted."""

    clip_hosts: tuple[str, ...] = ()
    """Further clip hosts that posts on Reddit may link to, besides the built-in table; their pages name the file, which
    must be on the same host."""

    syndication_url: HttpUrl = "https://cdn.syndication.twimg.com"
    """Address of X's endpoint for embedded posts; it lists a post's videos where the search did not."""

    syndication_timeout: Duration = timedelta(seconds=10)
    """Timeout of a request to that endpoint."""

    ytdlp: bool = False
    """Use yt-dlp to list a post's videos when every other way fails; needs found-footy[ytdlp]."""

    shortest: Duration = DEFAULT_SCREENING_RULES.min_duration
    """Minimum duration of a clip; shorter ones are rejected."""

    longest: Duration = DEFAULT_SCREENING_RULES.max_duration
    """Maximum duration of a clip; longer ones are rejected."""

    min_aspect: Annotated[float, Field(gt=0)] = DEFAULT_SCREENING_RULES.min_aspect
    """Minimum aspect ratio (width / height); portrait videos are below it."""

    max_aspect: Annotated[float, Field(gt=0)] = DEFAULT_SCREENING_RULES.max_aspect
    """Maximum aspect ratio (width / height)."""

    min_short_side: Annotated[int, Field(ge=0)] = DEFAULT_SCREENING_RULES.min_short_side
    """Minimum of the shorter side, in pixels."""

    max_bytes: Bytes = 200 * 10**6
    """Maximum size of a video; larger ones are rejected."""

    download_deadline: Annotated[Duration, Field(gt=timedelta(0), le=MAX_DOWNLOAD_DEADLINE)] = timedelta(seconds=60)
    """Time limit of fetching one video; at most five minutes."""

    cache_dir: Path | None = None
    """Directory of the clip cache on this machine; by default in the data directory."""

    cache_bytes: Bytes = 2 * 10**9
    """Maximum size of the clip cache."""

    cache_for: Annotated[Duration, Field(gt=timedelta(0))] = timedelta(hours=6)
    """Maximum age of a clip in the cache; the object store has it as well, as long as it is needed."""

    cache_check: Annotated[Duration, Field(gt=timedelta(0))] = timedelta(minutes=10)
    """How often a worker deletes clips from the cache that are too old or were taken down."""

    prints_at_once: Annotated[int, Field(ge=1, le=64)] = 2
    """Fingerprints that one worker process computes at the same time; each keeps one core busy."""

    decoder_memory: Bytes | None = None
    """Memory for all decoders of one worker process together; by default half of the machine's or the container's."""

    @property
    def rules(self) -> ScreeningRules:
        return ScreeningRules(self.shortest, self.longest, self.min_aspect, self.max_aspect, self.min_short_side)
