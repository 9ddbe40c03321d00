"""Ids of goals and workflows, and keys of stored objects.

Progress is stored as sets of these ids, so an id must be the same whoever computes it and whenever: nothing that the
feed may change later goes into one, except through a frozen `GoalSlug`.
"""

import hashlib
import re
import unicodedata
from dataclasses import dataclass
from datetime import date
from typing import Any

from found_footy.domain.clip_files import VIDEO

# Letters that Unicode does not decompose: stripping accents alone would drop them.
_ASCII_FOLDS = str.maketrans(
    {
        "ø": "o",
        "Ø": "O",
        "ł": "l",
        "Ł": "L",
        "đ": "d",
        "Đ": "D",
        "ð": "d",
        "Ð": "D",
        "þ": "th",
        "Þ": "Th",
        "ß": "ss",
        "ẞ": "SS",
        "æ": "ae",
        "Æ": "AE",
        "œ": "oe",
        "Œ": "OE",
        "ı": "i",
        "ħ": "h",
        "Ħ": "H",
        "ŧ": "t",
        "Ŧ": "T",
        "ŋ": "n",
        "Ŋ": "N",
        "ə": "e",
        "Ə": "E",
        "ĸ": "k",
        "’": "'",
        "‘": "'",
        "ʼ": "'",
    }
)
_UNSAFE_CHARACTERS = re.compile(r"[^A-Za-z0-9+-]+")
_MAX_FIXTURE_ID_DIGITS = 15

UNKNOWN_PLAYER_ID = 0
# Objects that are no longer needed are moved below this prefix and deleted later.
TRASH_PREFIX = "trash/"


def fold_to_ascii(text: str) -> str:
    """Convert `text` to ASCII: strip accents, spell out letters without a decomposition, drop the rest."""
    decomposed = unicodedata.normalize("NFKD", text.translate(_ASCII_FOLDS))
    return decomposed.encode("ascii", "ignore").decode("ascii")


def to_id_part(text: str) -> str:
    """Convert `text` to a part of a workflow id: ASCII, each run of characters other than letters, digits, + and -
    becomes one _.
    """
    return _UNSAFE_CHARACTERS.sub("_", fold_to_ascii(text)).strip("_") or "Unknown"


def last_name(player: str | None) -> str:
    """Return the last word of a player's name, "Unknown" if there is none."""
    words = (player or "").split()
    return to_id_part(words[-1]) if words else "Unknown"


def minute_text(elapsed: int, extra: int | None) -> str:
    """`23`, or `45+3` in added time."""
    return f"{elapsed}+{extra}" if extra else f"{elapsed}"


def minute_label(elapsed: int, extra: int | None) -> str:
    """The minute in a workflow id: `23min`, or `45+3min`."""
    return f"{minute_text(elapsed, extra)}min"


def parse_fixture_id(event_id: str) -> int:
    """Return the fixture's id, with which event ids begin; -1, which no fixture has, for any other text."""
    first = event_id.partition("_")[0]
    is_number = first.isascii() and first.isdecimal() and len(first) <= _MAX_FIXTURE_ID_DIGITS
    return int(first) if is_number else -1


@dataclass(frozen=True)
class GoalSlug:
    """The readable part of a goal's workflow ids, computed once when the goal is first stored."""

    team: str
    last: str
    minute: str

    @classmethod
    def from_goal(cls, team: str, player: str | None, elapsed: int, extra: int | None) -> "GoalSlug":
        return cls(to_id_part(team), last_name(player), minute_label(elapsed, extra))

    @classmethod
    def parse(cls, text: str) -> "GoalSlug":
        team, last, minute = text.rsplit("|", 2)
        return cls(team, last, minute)

    def __str__(self) -> str:
        return f"{self.team}|{self.last}|{self.minute}"


def event_id(fixture: int, team: int, player: int | None, kind: str, seq: int) -> str:
    """Return `{fixture}_{team}_{player}_{type}_{seq}`; a player without an id is 0."""
    return f"{fixture}_{team}_{player or UNKNOWN_PLAYER_ID}_{kind}_{seq}"


def twitter_workflow_id(slug: GoalSlug, event: str) -> str:
    return f"twitter-{slug.team}-{slug.last}-{slug.minute}-{event}"


def download_workflow_id(slug: GoalSlug, event: str, attempt: int) -> str:
    return f"download{attempt}-{slug.team}-{slug.last}-{event}"


# Prefix of downloads that belong to no search attempt: they deliver clips but do not count towards the ten attempts.
EXTRA_DOWNLOAD_PREFIX = "extra"


def is_search_attempt(download_id: str) -> bool:
    """Whether a registered download is one of the search's attempts."""
    return not download_id.startswith(EXTRA_DOWNLOAD_PREFIX)


def search_attempts_expression(download_ids: Any) -> dict[str, Any]:
    """Return the MongoDB expression that filters a list of download ids by `is_search_attempt`."""
    prefix = {"$substrCP": ["$$download", 0, len(EXTRA_DOWNLOAD_PREFIX)]}
    is_attempt = {"$ne": [prefix, EXTRA_DOWNLOAD_PREFIX]}
    return {"$filter": {"input": download_ids, "as": "download", "cond": is_attempt}}


def upload_workflow_id(event: str) -> str:
    return f"upload-{event}"


def rag_workflow_id(team: int) -> str:
    return f"rag-{team}"


def ingest_workflow_id(day: date) -> str:
    return f"ingest-{day:%d_%m_%Y}"


INGEST_SCHEDULED_WORKFLOW_ID = "ingest-scheduled"
MONITOR_SCHEDULED_WORKFLOW_ID = "monitor-scheduled"
RETRY_SCHEDULED_WORKFLOW_ID = "retry-scheduled"
INGEST_SCHEDULE_ID = "ingest-daily"
MONITOR_SCHEDULE_ID = "monitor-every-30s"
RETRY_SCHEDULE_ID = "retry-open-links"


def clip_key(fixture: int, event: str, md5: str) -> str:
    return VIDEO.key(fixture, event, md5)


def evidence_key(fixture: int, event: str, md5: str, number: int) -> str:
    """Key of a small picture of a checked frame; stored for accepted and rejected clips."""
    return f"{fixture}/{event}/evidence/{md5}-{number}.jpg"


def scratch_key(event: str, md5: str) -> str:
    return f"scratch/{event}/{md5}{VIDEO.suffix}"


def link_field_name(url: str) -> str:
    """Hash a URL to a MongoDB field name: field names may not contain dots."""
    return hashlib.sha256(url.encode()).hexdigest()[:16]
