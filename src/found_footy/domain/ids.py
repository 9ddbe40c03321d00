"""Identities: how fixtures, goals and workflows are named.

A name is the product's memory. Progress is kept as sets of the names below, so a name must be the same whoever
computes it and whenever: nothing that the feed may change later goes into one, except through a frozen `GoalSlug`.
"""

import hashlib
import re
import unicodedata
from dataclasses import dataclass
from datetime import date

# Letters that Unicode does not decompose, so that stripping accents alone would lose them.
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

UNKNOWN_PLAYER_ID = 0
# Objects that nothing needs any more lie below this key for a while before they are deleted.
TRASH_PREFIX = "trash/"


def fold_to_ascii(text: str) -> str:
    """The same text in ASCII: accents stripped, letters without a decomposition spelled out, the rest dropped."""
    decomposed = unicodedata.normalize("NFKD", text.translate(_ASCII_FOLDS))
    return decomposed.encode("ascii", "ignore").decode("ascii")


def to_id_part(text: str) -> str:
    """`text` as part of a workflow id: ASCII, everything that is not a letter, digit, + or - becomes one _."""
    return _UNSAFE_CHARACTERS.sub("_", fold_to_ascii(text)).strip("_") or "Unknown"


def last_name(player: str | None) -> str:
    """The last word of a player's name, "Unknown" without one."""
    words = (player or "").split()
    return to_id_part(words[-1]) if words else "Unknown"


def minute_label(elapsed: int, extra: int | None) -> str:
    """`23min`, or `45+3min` in added time."""
    return f"{elapsed}+{extra}min" if extra else f"{elapsed}min"


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
    """`{fixture}_{team}_{player}_{type}_{seq}`; a player without an id yet is 0."""
    return f"{fixture}_{team}_{player or UNKNOWN_PLAYER_ID}_{kind}_{seq}"


def twitter_workflow_id(slug: GoalSlug, event: str) -> str:
    return f"twitter-{slug.team}-{slug.last}-{slug.minute}-{event}"


def download_workflow_id(slug: GoalSlug, event: str, attempt: int) -> str:
    return f"download{attempt}-{slug.team}-{slug.last}-{event}"


# A download that no attempt of the search stands behind: it delivers like any other, but is not one of the ten.
EXTRA_DOWNLOAD_PREFIX = "extra"


def is_search_attempt(download_id: str) -> bool:
    """Whether a registered download is one of the search's attempts."""
    return not download_id.startswith(EXTRA_DOWNLOAD_PREFIX)


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
    return f"{fixture}/{event}/{md5}.mp4"


def thumbnail_key(fixture: int, event: str, md5: str) -> str:
    return f"{fixture}/{event}/{md5}.jpg"


def preview_key(fixture: int, event: str, md5: str) -> str:
    """The short silent loop that plays under the mouse."""
    return f"{fixture}/{event}/{md5}.preview.mp4"


def fingerprint_key(fixture: int, event: str, md5: str) -> str:
    """The perceptual fingerprint's bytes; about a kilobyte per second, too much for the goal's document."""
    return f"{fixture}/{event}/{md5}.print"


def evidence_key(fixture: int, event: str, md5: str, number: int) -> str:
    """A small picture of what was looked at in a clip, accepted or not."""
    return f"{fixture}/{event}/evidence/{md5}-{number}.jpg"


def scratch_key(event: str, md5: str) -> str:
    return f"scratch/{event}/{md5}.mp4"


def scratch_thumbnail_key(clip: str) -> str:
    """Where the picture of the clip with this scratch key lies."""
    return clip.removesuffix(".mp4") + ".jpg"


def scratch_preview_key(clip: str) -> str:
    return clip.removesuffix(".mp4") + ".preview.mp4"


def scratch_fingerprint_key(clip: str) -> str:
    return clip.removesuffix(".mp4") + ".print"


def link_field_name(url: str) -> str:
    """A link as the name of a field, which may have no dots."""
    return hashlib.sha256(url.encode()).hexdigest()[:16]
