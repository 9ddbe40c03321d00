"""What each part of the proof is worth, on the clips of simulated match days.

`python -m bench.proof_worth --seeds 93001 93002 [--world full] [--folder DIR] [--limit N] [--every-goal] [--rows FILE]`
judges every clip that the product would check for every goal of the match that it was posted about (with --every-goal:
of the day), with all parts of the proof and with single ones switched off, and prints one table, and one per design of
the score bug. Renderings and readings are kept in DIR: a second run, with other rules, takes no time. docs/vision.md
tells how to play whole days.
"""

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from bench.world_clips import PROOF_FIELDS, Judgement, WorldJudge
from found_footy.domain.outcomes import Finding, TimestampStatus
from found_footy.vision.expectation import ProofRules
from found_footy_sim.scorecard.rates import compute_rate

ALL_PARTS = "all parts"
_WHOLE = ProofRules()
RULES = {
    ALL_PARTS: _WHOLE,
    "without teams": replace(_WHOLE, teams=False),
    "without score": replace(_WHOLE, score=False, other_goals=False),
    "without half": replace(_WHOLE, half=False),
    "without other goals": replace(_WHOLE, other_goals=False),
    "without witnesses": replace(_WHOLE, witnesses=False),
    "the minute alone": ProofRules(teams=False, score=False, half=False, witnesses=False, other_goals=False),
}
_VERIFIED, _UNVERIFIED = str(TimestampStatus.VERIFIED), str(TimestampStatus.UNVERIFIED)


def render_worth(judgements: Sequence[Judgement]) -> str:
    """One line per set of rules: what was verified, and how often wrongly; what was refused, and how often wrongly."""
    lines = [
        "| | wrong of verified | 95 % | wrong clips refused | wrong left unverified | right verified | right refused |",
        "|---|---|---|---|---|---|---|",
    ]
    for name in RULES:
        mine = [one for one in judgements if one.rules == name]
        right = Counter(one.verdict for one in mine if one.is_right)
        wrong = Counter(one.verdict for one in mine if not one.is_right)
        rate = compute_rate(wrong[_VERIFIED], wrong[_VERIFIED] + right[_VERIFIED])
        refused = {word: count for word, count in sorted(right.items()) if word not in (_VERIFIED, _UNVERIFIED)}
        by_reason = ", ".join(f"{count} {word}" for word, count in refused.items())
        cells = (
            name,
            f"{rate.part} of {rate.whole}",
            f"{rate.low:.1%} to {rate.high:.1%}",
            f"{wrong.total() - wrong[_VERIFIED] - wrong[_UNVERIFIED]} of {wrong.total()}",
            str(wrong[_UNVERIFIED]),
            f"{right[_VERIFIED]} of {right.total()}",
            f"{sum(refused.values())}" + (f" ({by_reason})" if by_reason else ""),
        )
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def render_reader(judgements: Iterable[Judgement]) -> str:
    """How often each field of right clips is confirmed and contradicted, per design and per way of copying."""
    shown = [one for one in judgements if one.is_right and one.rules == ALL_PARTS and one.design != "none"]
    lines = [
        "| | clips | minute | half, where printed | teams | score | contradicted |",
        "|---|---|---|---|---|---|---|",
    ]
    groups = [*sorted({one.design for one in shown}), *sorted({one.kind for one in shown}), "all"]
    for group in groups:
        mine = [one for one in shown if group in (one.design, one.kind, "all")]
        contradicted = compute_rate(sum(str(Finding.CONTRADICTED) in one.findings.values() for one in mine), len(mine))
        cells = [group, str(len(mine)), *(_confirmed(mine, field) for field in PROOF_FIELDS)]
        limit = f" (≤ {contradicted.high:.1%})" if group == "all" else ""
        lines.append("| " + " | ".join([*cells, f"{contradicted.part}{limit}"]) + " |")
    return "\n".join(lines)


def _confirmed(judgements: Sequence[Judgement], field: str) -> str:
    asked = [one for one in judgements if field != "half" or one.prints_half]
    return f"{sum(one.findings[field] == str(Finding.CONFIRMED) for one in asked)} of {len(asked)}"


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, nargs="+", required=True, help="days that nothing was developed on")
    parser.add_argument("--world", choices=["small", "demo", "full"], default="full", help="size of the days")
    parser.add_argument("--folder", type=Path, help="where renderings and texts are kept; by default nowhere")
    parser.add_argument("--limit", type=int, help="only the first clips of each day")
    parser.add_argument("--every-goal", action="store_true", help="offer each clip to every goal of its day")
    parser.add_argument("--rows", type=Path, help="write every judgement here, as lines of JSON")
    wanted = parser.parse_args(argv)
    judgements: list[Judgement] = []
    with tempfile.TemporaryDirectory() as scratch:
        judge = WorldJudge(wanted.folder or Path(scratch))
        for seed in wanted.seeds:
            judgements += judge.judge_world(seed, wanted.world, RULES, wanted.limit, every_goal=wanted.every_goal)
    if wanted.rows:
        wanted.rows.write_text("".join(json.dumps(asdict(one), ensure_ascii=False) + "\n" for one in judgements))
    files = len({one.clip for one in judgements})
    print(f"{files} clips, {len(judgements) // len(RULES)} offers to a goal; {wanted.world}, seeds {wanted.seeds}\n")
    print(render_worth(judgements), end="\n\n")
    print(render_reader(judgements))


if __name__ == "__main__":
    main()
