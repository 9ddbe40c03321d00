"""Records of past searches, for people and for the health report."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class SearchRecord:
    """One finished search. `outcome` is "ok", "incomplete" or the code of the failure."""

    at: datetime
    query: str
    outcome: str
    detail: str = ""
    videos: int = 0
    posts: int = 0
    pages: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class CanaryRecord:
    """A search that must find something. `ok` is false if it failed, or found no video at all."""

    at: datetime
    ok: bool
    detail: str
    posts: int = 0
    videos: int = 0
