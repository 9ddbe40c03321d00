"""How often a clip with the right minute that is of another match or of another goal is refused.

`python -m bench.proof_accuracy [--seeds 2] [--folder DIR] [--develop]`: every design of the score bug, on the clips of
`vision_accuracy`, which tells how often right clips are confirmed, and that none is refused.
"""

import argparse
import tempfile
from dataclasses import replace
from pathlib import Path

from bench.vision_accuracy import (
    DEVELOPED_ON,
    HELD_BACK,
    NAMES,
    QUALITIES,
    Bench,
    Score,
    is_verified,
    outcome_of,
    proof_of,
    scenes,
)
from found_footy.domain.outcomes import ClipOutcome
from found_footy.domain.scores import Score as MatchScore
from found_footy.vision.expectation import MatchTeams, ScoreChange
from found_footy_sim.media.graphics.score_bugs import BUG_DESIGNS

OTHER_MATCH = MatchTeams(("Sevilla",), ("Valencia",))
QUESTIONS = ("other match", "opponent", "other goal", "verified")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=2, help="clips per design")
    parser.add_argument("--folder", type=Path, help="where rendered clips are kept; by default nowhere")
    parser.add_argument("--develop", action="store_true", help="other clips than those that count; tells every fault")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        first = DEVELOPED_ON if wanted.develop else HELD_BACK
        bench = Bench(first, wanted.seeds, wanted.folder or Path(scratch), wanted.develop)
        print(f"{'refused':24}" + "".join(f"{question:>13}" for question in QUESTIONS))
        for design in BUG_DESIGNS:
            print(f"{design:24}{measure(bench, design).shown(QUESTIONS)}", flush=True)


def measure(bench: Bench, design: str) -> Score:
    """Another match, the same club against another one, and another goal of the match; how many were verified."""
    score = Score()
    for scene in scenes(bench, design):
        clip, right = bench.clip(scene, QUALITIES["854 crf 28"]), proof_of(scene)
        opponent = MatchTeams((NAMES[scene.home.short],), OTHER_MATCH.away)
        later = ScoreChange(right.minute, MatchScore(7, 7), MatchScore(8, 7))
        for question, expected, outcome in (
            ("other match", replace(right, teams=OTHER_MATCH), ClipOutcome.WRONG_MATCH),
            ("opponent", replace(right, teams=opponent), ClipOutcome.WRONG_MATCH),
            ("other goal", replace(right, change=later), ClipOutcome.WRONG_GOAL),
        ):
            verdict = bench.look(clip, expected)
            score.note(question, outcome_of(verdict) is outcome)
            score.note("verified", is_verified(verdict))
            if outcome_of(verdict) is not outcome:
                bench.tell(f"{question}, {design} style {scene.style}: {verdict}")
    return score


if __name__ == "__main__":
    main()
