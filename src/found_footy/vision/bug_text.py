"""Finds the two team names and the score in the text of a score bug. Pure.

A bug is read as a sequence of names and numbers: SEV 0 2 MCI, SEV 0 above MCI 2, SEV MCI 0-2. A text that has several
readings yields them all; who knows the teams chooses.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from found_footy.domain.ids import fold_to_ascii
from found_footy.domain.scores import Score
from found_footy.vision.periods import PERIOD_WORD_PATTERN, PERIOD_WORDS

MAX_GOALS = 20
_NOT_OF_A_NAME = re.compile(
    r"\([^)]*\)"  # an aggregate score or a shoot-out
    r"|(?:45|90|105|120)\+\d{1,2}(?::\d\d)?"
    r"|\+ ?\d{1,2}'?(?![\d:])"
    r"|\+?\d{1,5} ?[:.] ?\d\d(?!\d)"
    r"|\d{1,3}'"
)
_LONG_PERIOD_WORDS = sorted((word for word in PERIOD_WORDS if re.search(r"\d|HALF|TIME|PROR|PROL", word)), key=len)[
    ::-1
]
_PERIOD_PATTERN = re.compile(rf"(?<!\S)(?:{'|'.join(map(re.escape, _LONG_PERIOD_WORDS))})(?!\S)")
# Other labels of extra time are names of teams too (VERL): they are labels beside a clock of extra time, unless a
# number stands on their other side.
_EXTRA_TIME_CLOCK = r"(?:9\d|1[0-3]\d) ?[:.] ?\d\d"
_LABELLED_CLOCK_PATTERN = re.compile(
    rf"(?<!\S)(?<!\d )(?:{PERIOD_WORD_PATTERN})\.? ?{_EXTRA_TIME_CLOCK}(?!\d)"
    rf"|(?<!\d){_EXTRA_TIME_CLOCK} (?:{PERIOD_WORD_PATTERN})\.?(?!\S)(?! ?\d)"
)
_TOKEN_PATTERN = re.compile(r"[A-Z0-9&]+|[-:/]")
_WORD_PATTERN = re.compile(r"[A-Z]{2}")
_GLUED_NUMBER_PATTERN = re.compile(r"[A-Z]{2,}|\d+|[A-Z]")
_MISREAD_NUMBERS_PATTERN = re.compile(r"\d[OQIL]|[OQIL]\d")
_CODE_WITH_YEAR_PATTERN = re.compile(r"[A-Z]{1,2}\d\d")
_DIGIT_LOOKALIKES = {"O": 0, "Q": 0, "D": 0, "I": 1, "L": 1, "S": 5, "B": 8}
# Sequences of names (N), numbers (D) and signs between them (S), the most telling first.
_SHAPES = tuple(
    re.compile(shape)
    for shape in ("N(D)S?(D)N", "N(D)N(D)", "NN(D)S?(D)", "(D)S?(D)NN", "(D)N(D)N", "N(D)N", "NSN", "NN")
)


@dataclass(frozen=True)
class BugText:
    """The name printed first, the other one, and the score in the same order, None if it was not read."""

    first: str
    second: str
    score: Score | None = None


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str


def read_bug_texts(rows: Sequence[Sequence[str]]) -> list[BugText]:
    """Every reading of a score bug, the likeliest first; `rows` are its rows from top to bottom, each with its boxes
    from left to right.
    """
    boxes = [[list(_tokenize(box)) for box in row] for row in rows]
    apart = [token for row in boxes for box in row for token in _join_names(box)]
    joined = [token for row in boxes for token in _join_names([token for box in row for token in box])]
    found = [text for tokens in (joined, apart) for text in _find_shapes(tokens)]
    return list(dict.fromkeys(found))


def find_name_pairs(rows: Sequence[Sequence[str]]) -> list[BugText]:
    """Every two names that follow each other, whatever is around them: boards and captions are among them, so that only
    names of the match count.
    """
    words = [token for row in rows for box in row for token in _tokenize(box)]
    boxes = [token for row in rows for box in row for token in _join_names(list(_tokenize(box)))]
    names = ([token.text for token in tokens if token.kind == "N"] for tokens in (boxes, words))
    return [BugText(first, second) for found in names for first, second in pairwise(found)]


def parse_score(text: str | None) -> Score | None:
    """Parse a score as a reader reports it: 0-2, 0 : 2, 0–2. An aggregate or a shoot-out in brackets is left out."""
    folded = re.sub(r"\([^)]*\)", "", (text or "").upper().replace("–", "-"))
    found = re.fullmatch(r"\s*(\d{1,2}|[OIL])\s*[-: ]\s*(\d{1,2}|[OIL])\s*", folded)
    return _build_score(found[1], found[2]) if found else None


def parse_teams(text: str | None) -> tuple[str, str] | None:
    """Parse two names as a reader reports them: SEV / MCI, SEV–MCI, SEV v MCI, SEV MCI."""
    plain = (text or "").strip()
    for separator in (r"\s*/\s*", r"\s*–\s*", r"\s+(?:-|vs?\.?|V|VS)\s+", r"\s*,\s*", r"-", r"\s+"):
        parts = [part for part in re.split(separator, plain) if part]
        if len(parts) == 2:
            return parts[0], parts[1]
    return None


def _tokenize(box: str) -> Iterator[_Token]:
    plain = fold_to_ascii(box.replace("–", "-").replace("—", "-")).upper()
    text = _NOT_OF_A_NAME.sub(" ", _LABELLED_CLOCK_PATTERN.sub(" ", plain))
    for run in _TOKEN_PATTERN.findall(_PERIOD_PATTERN.sub(" ", text)):
        if run in "-:/" or run in ("V", "VS"):
            yield _Token("S", run)
        elif run.isdigit() or run in _DIGIT_LOOKALIKES or _MISREAD_NUMBERS_PATTERN.fullmatch(run):
            yield from _number_tokens(run)
        elif run.isalpha() or _CODE_WITH_YEAR_PATTERN.fullmatch(run) or not _WORD_PATTERN.search(run):
            yield from [_Token("N", run)] if len(run) > 1 else []
        else:
            for part in _GLUED_NUMBER_PATTERN.findall(run):
                yield from _number_tokens(part) if part.isdigit() or len(part) == 1 else [_Token("N", part)]


def _number_tokens(run: str) -> Iterator[_Token]:
    """Two digits without a sign between them are the goals of both sides."""
    if len(run) <= 2 and all(char.isdigit() or char in _DIGIT_LOOKALIKES for char in run):
        yield from (_Token("D", char) for char in run)


def _join_names(tokens: Sequence[_Token]) -> list[_Token]:
    """Consecutive words are one name: RIVER PLATE."""
    joined: list[_Token] = []
    for kind, group in groupby(tokens, key=lambda token: token.kind):
        run = list(group)
        joined += [_Token("N", " ".join(token.text for token in run))] if kind == "N" else run
    return joined


def _find_shapes(tokens: Sequence[_Token]) -> Iterator[BugText]:
    kinds = "".join(token.kind for token in tokens)
    for shape in _SHAPES:
        found = shape.search(kinds)
        if found is None or ("D" not in shape.pattern and kinds.count("N") != 2):
            continue
        names = [token.text for token in tokens[found.start() : found.end()] if token.kind == "N"]
        digits = [tokens[found.start(number)].text for number in range(1, 1 + (found.lastindex or 0))]
        score = _build_score(*digits) if len(digits) == 2 else None
        if score is None and (glued := _split_glued(*names)):
            yield glued
        yield BugText(names[0], names[1], score)
        return


def _split_glued(first: str, second: str) -> BugText | None:
    """BRAO-OMEX is BRA 0-0 MEX."""
    if first[-1] not in _DIGIT_LOOKALIKES or second[0] not in _DIGIT_LOOKALIKES or min(len(first), len(second)) < 4:
        return None
    return BugText(first[:-1], second[1:], _build_score(first[-1], second[0]))


def _build_score(home: str, away: str) -> Score | None:
    goals = [_DIGIT_LOOKALIKES.get(text, -1) if not text.isdigit() else int(text) for text in (home, away)]
    return Score(*goals) if all(0 <= one <= MAX_GOALS for one in goals) else None
