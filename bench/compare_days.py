"""Several scorecards in one table.

`python -m bench.compare_days DIR...` reads the `scorecard.json` of each directory that `found-footy demo --report DIR`
wrote, and prints one column per day, and one more for each group of days that were played alike (same size, faults,
shares and parts of the clip check): counts are added up, and shares have the interval of the sum.
"""

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from found_footy_sim.scorecard.rates import compute_rate

Card = Mapping[str, Any]
_Counts = Callable[[Card], tuple[int, int]]

_SHARES: dict[str, _Counts] = {
    "wrong of the verified": lambda card: _rate_counts(card["clips"]["wrong_verified"]),
    "right clips refused": lambda card: _rate_counts(card["search"]["refused"]),
    "goals watchable, of those with a findable clip": lambda card: (
        card["goals"]["watchable"],
        card["goals"]["had_clip"],
    ),
    "published clips that do not show the goal": lambda card: (
        card["clips"]["not_showing"],
        card["clips"]["published"],
    ),
    "recordings swallowed": lambda card: (
        card["clips"]["copies"]["swallowed"],
        card["clips"]["copies"]["recordings"],
    ),
    "findable right posts found": lambda card: _rate_counts(card["search"]["recall"]),
}
_PER_GOAL = {
    "processor seconds per goal": "cpu_seconds",
    "history events per goal": "history_events",
    "database operations per goal": "database_operations",
}


def _rate_counts(rate: Mapping[str, Any]) -> tuple[int, int]:
    return rate["part"], rate["whole"]


def render_table(cards: Sequence[Card]) -> str:
    groups: dict[str, list[Card]] = {}
    for card in cards:
        groups.setdefault(_describe_group(card), []).append(card)
    columns = [
        (f"{label}, seed {card['conditions']['seed']}", [card]) for label, mine in groups.items() for card in mine
    ]
    columns += [(f"{label}, {len(mine)} days", mine) for label, mine in groups.items() if len(mine) > 1]
    lines = ["| | " + " | ".join(title for title, _ in columns) + " |", "|---" * (1 + len(columns)) + "|"]
    for name, count in _SHARES.items():
        lines.append(f"| {name} | " + " | ".join(_format_share(count, mine) for _, mine in columns) + " |")
    for name, field in _PER_GOAL.items():
        lines.append(f"| {name} | " + " | ".join(_format_mean(field, mine) for _, mine in columns) + " |")
    return "\n".join(lines)


def _describe_group(card: Card) -> str:
    how = card["conditions"]
    without = [f"without {', '.join(how['without'])}"] if how.get("without") else []
    return ", ".join([how["size"], *(["faults"] if how["chaos"] else []), *how["shares"], *without])


def _format_share(count: _Counts, cards: Sequence[Card]) -> str:
    counted = [count(card) for card in cards]
    rate = compute_rate(sum(part for part, _ in counted), sum(whole for _, whole in counted))
    return f"{rate.part} of {rate.whole} ({rate.low:.1%} to {rate.high:.1%})"


def _format_mean(field: str, cards: Sequence[Card]) -> str:
    """Weighted by goals; a machine without /proc measures no processor time."""
    found = [(card["per_goal"][field], card["goals"]["true"]) for card in cards]
    measured = [(value, goals) for value, goals in found if value is not None]
    goals = sum(goals for _, goals in measured)
    return f"{sum(value * goals for value, goals in measured) / goals:.1f}" if goals else "-"


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+", metavar="DIR")
    wanted = parser.parse_args(argv)
    print(render_table([json.loads((folder / "scorecard.json").read_text("utf-8")) for folder in wanted.folders]))


if __name__ == "__main__":
    main()
