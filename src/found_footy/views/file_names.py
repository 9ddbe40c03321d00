"""Names of files that visitors download: readable, and harmless on every file system. Pure."""

import unicodedata
from urllib.parse import quote

from found_footy.domain.ids import fold_to_ascii
from found_footy.views.fixture_views import FixtureView, GoalView

# What Windows, macOS or Linux do not take in a file's name.
_FORBIDDEN = frozenset('/\\:*?"<>|')
_MAX_NAME_LENGTH = 40


def build_goal_file_stem(match: FixtureView, goal: GoalView) -> str:
    """`2026-11-14 Liverpool–Arsenal 45+3 Florian Wirtz`; the day is that of the kickoff in UTC."""
    parts = (
        f"{match.kickoff:%Y-%m-%d}",
        f"{clean_name(match.home.name)}–{clean_name(match.away.name)}",
        clean_name(goal.minute.rstrip("'′’")),
        clean_name(goal.player),
    )
    return " ".join(part for part in parts if part)


def build_clip_file_name(match: FixtureView, goal: GoalView, rank: int) -> str:
    return f"{build_goal_file_stem(match, goal)} {rank}.mp4"


def clean_name(text: str) -> str:
    """Drop control and formatting characters, such as marks that reverse the direction of text, replace what no file
    system takes, and cut to a bounded length. No result begins or ends with a dot or a space.
    """
    visible = (one for one in unicodedata.normalize("NFC", text) if not _is_hidden(one))
    harmless = "".join("-" if one in _FORBIDDEN else one for one in visible)
    return " ".join(harmless.split())[:_MAX_NAME_LENGTH].strip(". ")


def _is_hidden(character: str) -> bool:
    """Control, formatting, surrogate, private and unassigned characters; tabs and line ends count as spaces."""
    return unicodedata.category(character).startswith("C") and not character.isspace()


def build_content_disposition(name: str) -> str:
    """RFC 6266: the name in ASCII for old programs, and in UTF-8 as of RFC 8187."""
    plain = fold_to_ascii(name.replace("–", "-")).replace("\\", "-").replace('"', "'")
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
