"""Signs in the text of a post that its video shows something else than the goal. Pure.

A weak witness: it lowers the rank of a clip whose picture proves nothing, and verifies nothing.
"""

import re
from collections.abc import Iterable
from datetime import date

from found_footy.discovery.aliases.table import is_known_team_name, short_name_key
from found_footy.domain.ids import fold_to_ascii
from found_footy.domain.national_teams import strip_squad_suffix

_COMPILATION_PATTERN = re.compile(
    r"\b(?:highlights?|all (?:the )?goals|every goal|compilation|full match|skills|best of|top (?:5|10) goals"
    r"|resumen|todos los goles|melhores momentos|alle tore|tous les buts|throwback|on this day|otd|tbt|last season)\b"
)
_EARLIER_PATTERN = re.compile(
    r"\b(?:remember (?:when|that one)|flashback|last (?:week|month|year|time)|years? ago|la semana pasada"
    r"|letzte (?:woche|saison)|la semaine derniere|settimana scorsa|semana passada)\b"
)
# Squads of a club that share its name and its score bug with the first team.
_OTHER_SQUAD_PATTERN = re.compile(
    r"\b(?:women|ladies|wsl|femeni(?:no|na)?|frauen|feminin(?:e|o|a|es)?|u ?(?:1[5-9]|2[0-3])|under ?(?:1[5-9]|2[0-3])"
    r"|academy|youth team|reserves|b team|primavera|juvenil|castilla)\b"
)
_OPPONENT_PATTERN = re.compile(r"\b(?:vs?|against|contra|gegen|contre)\b\.?\s+([a-z0-9 ]+)")
_DATE_PATTERN = re.compile(
    r"\b(?:(?P<year>(?:19|20)\d\d)[-/.](?P<month>\d\d?)[-/.](?P<day>\d\d?)"
    r"|(?P<first>\d\d?)[-/.](?P<second>\d\d?)[-/.](?P<last>(?:19|20)\d\d))\b"
)
_YEAR_PATTERN = re.compile(r"(?<![\d/.-])((?:19|20)\d\d)(?![\d/.-])")
_MAX_OPPONENT_WORDS = 3


def count_post_doubts(text: str, player_names: Iterable[str], teams: Iterable[str], played_on: date) -> int:
    """`teams` are names of both sides. An empty text has no sign of anything."""
    sides = tuple(teams)
    plain = " ".join(fold_to_ascii(text).lower().replace("#", " ").split())
    if not plain:
        return 0
    words = re.sub(r"[^a-z0-9]+", " ", plain)
    names_player = any(_contains(words, name) for name in player_names)
    return sum(
        (
            not names_player,
            _COMPILATION_PATTERN.search(plain) is not None,
            _names_other_opponent(words, sides),
            _names_other_date(plain, played_on) or _EARLIER_PATTERN.search(plain) is not None,
            _names_other_squad(words, sides),
        )
    )


def _contains(words: str, name: str) -> bool:
    sought = " ".join(re.sub(r"[^a-z0-9]+", " ", fold_to_ascii(name).lower()).split())
    return bool(sought) and f" {sought} " in f" {words} "


def _names_other_opponent(words: str, teams: tuple[str, ...]) -> bool:
    """Whether the post names as opponent a team of the built-in table that does not play."""
    own = {short_name_key(team) for team in teams}
    for found in _OPPONENT_PATTERN.finditer(words):
        after = found[1].split()[:_MAX_OPPONENT_WORDS]
        names = [" ".join(after[:count]) for count in range(len(after), 0, -1)]
        if any(short_name_key(name) in own for name in names):
            continue
        if any(is_known_team_name(name) for name in names):
            return True
    return False


def _names_other_squad(words: str, teams: tuple[str, ...]) -> bool:
    """Whether the post is about women, youth or reserves, and the match is not theirs."""
    is_first_team = all(strip_squad_suffix(team) == team and not _names_squad(team) for team in teams)
    return is_first_team and _names_squad(words)


def _names_squad(text: str) -> bool:
    return _OTHER_SQUAD_PATTERN.search(fold_to_ascii(text).lower()) is not None


def _names_other_date(plain: str, played_on: date) -> bool:
    """Whether the post gives a date, and none of those is the day of the match, with day and month in either order."""
    dates = list(_DATE_PATTERN.finditer(plain))
    if dates:
        return not any(_is_date(found, played_on) for found in dates)
    years = {int(year) for year in _YEAR_PATTERN.findall(plain)}
    return bool(years) and not years & {played_on.year, played_on.year + 1}


def _is_date(found: "re.Match[str]", day: date) -> bool:
    if found["year"]:
        return (int(found["year"]), int(found["month"]), int(found["day"])) == (day.year, day.month, day.day)
    parts = {int(found["first"]), int(found["second"])}
    return int(found["last"]) == day.year and parts == {day.month, day.day}
