"""Stage three's settings."""

from datetime import timedelta
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from found_footy.clips.screening import Rules
from found_footy.platform.settings import Bytes, Duration, Group


class ClipSettings(Group):
    video_hosts: tuple[str, ...] = ("video.twimg.com",)
    """Hosts that videos may be fetched from; nothing else is ever asked."""

    shortest: Duration = timedelta(seconds=3)
    """Shortest clip that is kept."""

    longest: Duration = timedelta(seconds=60)
    """Longest clip that is kept."""

    min_aspect: Annotated[float, Field(gt=0)] = 1.33
    """Least width per height; portrait and phone shapes are below it."""

    max_aspect: Annotated[float, Field(gt=0)] = 3.0
    """Most width per height."""

    min_short_side: Annotated[int, Field(ge=0)] = 144
    """Fewest lines that a clip must have."""

    max_bytes: Bytes = 200 * 10**6
    """Largest video that is fetched."""

    download_deadline: Duration = timedelta(seconds=60)
    """How long fetching one video may take."""

    cache_dir: Path | None = None
    """Where clips are kept on this machine's disk; by default a folder of the data directory."""

    cache_bytes: Bytes = 2 * 10**9
    """How much of the disk the clips may take."""

    reader: Literal["accept-all"] = "accept-all"
    """Who looks at clips; accept-all checks nothing and says so."""

    @property
    def rules(self) -> Rules:
        return Rules(self.shortest, self.longest, self.min_aspect, self.max_aspect, self.min_short_side)
