"""Whether the teams in the picture are those of the match. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from found_footy.domain.outcomes import Finding
from found_footy.vision.bug_text import BugText
from found_footy.vision.expectation import MatchTeams
from found_footy.vision.team_names import NameFit, fit_name, is_known_code, reads_like_known_team

# What one frame shows alone refutes nothing: it may be misread.
_MIN_CONTRADICTING_FRAMES = 2


@dataclass(frozen=True)
class TeamsResult:
    """`home_first` says which side is printed first, None if that is unknown; `text` is the deciding pair. If
    `is_doubtful`, one frame shows another team, or a name may be that of another, and the clip is not verified.
    """

    finding: Finding
    home_first: bool | None = None
    text: str = ""
    is_doubtful: bool = False


def judge_teams(pairs: Iterable[tuple[str, str]], match: MatchTeams | None) -> TeamsResult:
    """Decide from the pairs of names that the frames show. One right pair confirms; two pairs with another team in them
    contradict.
    """
    shown = list(pairs)
    if match is None or not shown:
        return TeamsResult(Finding.UNKNOWN, None, format_pair(*shown[0]) if shown else "")
    results = [judge_pair(*pair, match) for pair in shown]
    confirmed = [one for one in results if one.finding is Finding.CONFIRMED]
    if confirmed:
        return confirmed[0]
    contradicted = [one for one in results if one.finding is Finding.CONTRADICTED]
    if len(contradicted) >= _MIN_CONTRADICTING_FRAMES:
        return contradicted[0]
    is_doubtful = bool(contradicted) or any(one.is_doubtful for one in results)
    return TeamsResult(Finding.UNKNOWN, None, results[0].text, is_doubtful)


def judge_pair(first: str, second: str, match: MatchTeams) -> TeamsResult:
    """Confirmed if each name fits another side, at least one of them strongly. Contradicted if a name fits no side and
    reads like another team, and the other name is a team's too: text of a channel or a caption has no such pair. One
    that may be a misread name of a side, and is the code of another team, leaves a doubt.
    """
    text = format_pair(first, second)
    home, away = ([fit_name(name, side) for name in (first, second)] for side in (match.home, match.away))
    orders = [is_home_first for is_home_first in (True, False) if _is_match(home, away, home_first=is_home_first)]
    if orders:
        return TeamsResult(Finding.CONFIRMED, orders[0] if len(orders) == 1 else None, text)
    fits = [max(pair) for pair in zip(home, away, strict=True)]
    others = [
        fit is NameFit.NONE and reads_like_known_team(name) for fit, name in zip(fits, (first, second), strict=True)
    ]
    is_team = [
        other or fit is NameFit.STRONG or is_known_code(name)
        for other, fit, name in zip(others, fits, (first, second), strict=True)
    ]
    if any(others) and all(is_team):
        return TeamsResult(Finding.CONTRADICTED, None, text)
    return TeamsResult(Finding.UNKNOWN, None, text, is_doubtful=all(is_team) and NameFit.POSSIBLE in fits)


def choose_reading(
    readings: Sequence[BugText], match: MatchTeams | None, name_pairs: Sequence[BugText] = ()
) -> BugText | None:
    """Of several readings of one bug, the one that names the teams of the match, else the likeliest. `name_pairs` are
    less certain readings, which count only if they name the teams of the match.
    """
    if match is not None:
        for reading in (*readings, *name_pairs):
            if judge_pair(reading.first, reading.second, match).finding is Finding.CONFIRMED:
                return reading
    return readings[0] if readings else None


def format_pair(first: str, second: str) -> str:
    return f"{first}–{second}"


def _is_match(home: Sequence[NameFit], away: Sequence[NameFit], *, home_first: bool) -> bool:
    """Whether the first name fits one side and the second the other."""
    fits = (home[0], away[1]) if home_first else (home[1], away[0])
    return min(fits) >= NameFit.WEAK and max(fits) is NameFit.STRONG
