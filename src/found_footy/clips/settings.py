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
    """Hosts that videos may be fetched from; nothing else is ever asked."""

    syndication_url: HttpUrl = "https://cdn.syndication.twimg.com"
    """Address of the endpoint behind embedded posts, which tells a post's videos where the search did not."""

    syndication_timeout: Duration = timedelta(seconds=10)
    """How long that endpoint may take to answer."""

    ytdlp: bool = False
    """Ask yt-dlp for a post's videos when nothing else knows them; needs found-footy[ytdlp]."""

    shortest: Duration = DEFAULT_SCREENING_RULES.min_duration
    """Shortest clip that is kept."""

    longest: Duration = DEFAULT_SCREENING_RULES.max_duration
    """Longest clip that is kept."""

    min_aspect: Annotated[float, Field(gt=0)] = DEFAULT_SCREENING_RULES.min_aspect
    """Least width per height; portrait and phone shapes are below it."""

    max_aspect: Annotated[float, Field(gt=0)] = DEFAULT_SCREENING_RULES.max_aspect
    """Most width per height."""

    min_short_side: Annotated[int, Field(ge=0)] = DEFAULT_SCREENING_RULES.min_short_side
    """Fewest lines that a clip must have."""

    max_bytes: Bytes = 200 * 10**6
    """Largest video that is fetched."""

    download_deadline: Annotated[Duration, Field(gt=timedelta(0), le=MAX_DOWNLOAD_DEADLINE)] = timedelta(seconds=60)
    """How long fetching one video may take, at most five minutes."""

    cache_dir: Path | None = None
    """Where clips are kept on this machine's disk; by default a folder of the data directory."""

    cache_bytes: Bytes = 2 * 10**9
    """How much of the disk the clips may take."""

    cache_for: Annotated[Duration, Field(gt=timedelta(0))] = timedelta(hours=6)
    """How long a clip stays there at most; it is in the object store besides, as long as it is wanted."""

    cache_check: Annotated[Duration, Field(gt=timedelta(0))] = timedelta(minutes=10)
    """How often a worker deletes clips from there that are too old or were taken down."""

    prints_at_once: Annotated[int, Field(ge=1, le=64)] = 2
    """Fingerprints that one worker process makes at once; each keeps a core busy."""

    decoder_memory: Bytes | None = None
    """Memory for all decoders of one worker process together; by default half of the machine's or the container's."""

    @property
    def rules(self) -> ScreeningRules:
        return ScreeningRules(self.shortest, self.longest, self.min_aspect, self.max_aspect, self.min_short_side)
