"""More titles in the form of `reddit_titles`, one per line: goals with what they say, and titles of other posts."""

from pathlib import Path

_FOLDER = Path(__file__).parent
_DIVIDER = " ||| "


def read_goal_titles() -> list[tuple[str, str]]:
    """Each title with what it says."""
    lines = (_FOLDER / "reddit_goal_titles.txt").read_text(encoding="utf-8").splitlines()
    return [(title, said) for title, _, said in (line.partition(_DIVIDER) for line in lines)]


def read_other_titles() -> list[str]:
    return (_FOLDER / "reddit_other_titles.txt").read_text(encoding="utf-8").splitlines()
