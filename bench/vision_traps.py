"""Clips that look like what they are not, and right ones that look odd: how the local reader takes them.

`python -m bench.vision_traps [--seeds 1] [--folder DIR] [--develop]`, on clips of the media factory: filmed screens
with marks over them, goals with replays, edited clips, recorders' timers, prices, kick-off times, other sports' words.
"""

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from bench.vision_accuracy import (
    CLUBS,
    DEVELOPED_ON,
    FPS,
    HELD_BACK,
    MIDDLE,
    Bench,
    Score,
    expected_of,
    is_verified,
    outcome_of,
    scenes,
)
from found_footy.domain.outcomes import ClipOutcome
from found_footy.vision.expectation import ExpectedGoal
from found_footy.vision.verdict import Rejected
from found_footy_sim.media.clip_spec import ClipChange, ClipScene, SceneKind
from found_footy_sim.media.graphics.score_bugs import BUG_DESIGNS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=1, help="clips per design and kind")
    parser.add_argument("--folder", type=Path, help="where rendered clips are kept; by default nowhere")
    parser.add_argument(
        "--designs", nargs="+", choices=list(BUG_DESIGNS), default=list(BUG_DESIGNS), help="of the score bug"
    )
    parser.add_argument("--develop", action="store_true", help="other clips than those that count; tells every fault")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        first = DEVELOPED_ON if wanted.develop else HELD_BACK
        bench = Bench(first, wanted.seeds, wanted.folder or Path(scratch), wanted.develop)
        captions(bench)
        edited(bench, wanted.designs)
        marked(bench, wanted.designs)


def marked(bench: Bench, designs: Sequence[str]) -> None:
    """A filmed goal with its replay, and over it what stands still: a poster's handle, a line of text, bars."""
    score = Score()
    marks = {
        "no mark": (),
        "handle": (ClipChange(corner="@goals_daily", seed=1),),
        "line": (ClipChange(stamp="FOLLOW US"),),
        "bars": (ClipChange(letterbox=True),),
    }
    for scene in goals(bench, designs):
        for name, changes in marks.items():
            clip = bench.clip(scene, ClipChange(filmed=True, seed=scene.seed), *changes)
            verdict = bench.look(clip, expected_of(scene, 0))
            score.note(name, is_verified(verdict))
            if is_verified(verdict):
                bench.tell(f"filmed with {name} {scene.design} {scene.seed}: {verdict}")
    print(f"{'filmed goal and replay, verified: ' + ', '.join(marks)}{score.shown(tuple(marks))}", flush=True)
    direct = Score()
    for scene in goals(bench, designs):
        verdict = bench.look(bench.clip(scene, MIDDLE), expected_of(scene, 0))
        direct.note("verified", is_verified(verdict))
        direct.note("refused", isinstance(verdict, Rejected))
        if not is_verified(verdict):
            bench.tell(f"goal and replay {scene.design} {scene.seed}: {verdict}")
    print(f"{'the same goals, direct: verified, refused':48}{direct.shown(('verified', 'refused'))}", flush=True)


def goals(bench: Bench, designs: Sequence[str]) -> Iterator[ClipScene]:
    """Goals of these designs with a replay that takes the second half of the clip."""
    for design in designs:
        for scene in scenes(bench, design):
            yield replace(scene, width=854, height=480, duration=8.0, moment=0.3, replay=4.0)


def edited(bench: Bench, designs: Sequence[str]) -> None:
    """Two goals one after the other: each of their minutes is right, and no other."""
    score = Score()
    for design in designs:
        for scene in scenes(bench, design):
            first = replace(scene, width=640, height=360, duration=6.0)
            other = first.clock + 20 * 60 if first.clock < 65 * 60 else first.clock - 20 * 60
            begins = 45 if other > 45 * 60 else 0
            second = replace(first, clock=max(other, begins * 60 + 30), regular=begins + 45, seed=first.seed + 5000)
            clip = bench.clip(first, replace(MIDDLE, then=second))
            for name, expected in (("first", expected_of(first, 0)), ("second", expected_of(second, 0))):
                verdict = bench.look(clip, expected)
                score.note(name, is_verified(verdict))
                score.note("refused", isinstance(verdict, Rejected))
                if not is_verified(verdict):
                    bench.tell(f"edited {scene.design} {scene.seed} {name} {first.clock} {second.clock}: {verdict}")
            score.note(
                "neither",
                is_verified(bench.look(clip, ExpectedGoal(8 if min(first.clock, second.clock) > 780 else 28))),
            )
    questions = ("first", "second", "refused", "neither")
    print(f"{'edited, verified: first, second; refused; neither':52}{score.shown(questions)}", flush=True)


def captions(bench: Bench) -> None:
    """What is written besides the clock: a recorder's timer, prices and kick-off times, words of other sports."""
    timers, prices, words = Score(), Score(), Score()
    texts = ("BET NOW 2.10", "KO 20:45", "TONIGHT 21.00", "FM 98.50", "ONLY 9.99")
    said = (
        "CHAMPIONS LEAGUE QUARTER-FINAL",
        "SAKA SETS UP HAVERTZ",
        "SET PIECE GOALS 12",
        "LAP OF HONOUR",
        "OVERS 2.5",
    )
    for index in range(bench.seeds * 2):
        number = bench.first + 400 + index
        plain = ClipScene(
            SceneKind.GOAL,
            CLUBS[0],
            CLUBS[2],
            seed=number,
            style=number,
            width=854,
            height=480,
            duration=8.0,
            fps=FPS,
            clock=67 * 60 + number % 600,
            regular=90,
        )
        clip = bench.clip(replace(plain, show=SceneKind.REPLAY), replace(MIDDLE, recorder=0.0))
        for expected in (ExpectedGoal(2), ExpectedGoal(60), ExpectedGoal(45, 1), ExpectedGoal(90, 2)):
            verdict = bench.look(clip, expected)
            timers.note("verified", is_verified(verdict))
            timers.note("refused", outcome_of(verdict) is ClipOutcome.WRONG_MINUTE)
        verdict = bench.look(
            bench.clip(replace(plain, show=SceneKind.REPLAY), replace(MIDDLE, stamp=texts[index % 5])),
            ExpectedGoal(67),
        )
        prices.note("refused", outcome_of(verdict) is ClipOutcome.WRONG_MINUTE)
        verdict = bench.look(bench.clip(plain, replace(MIDDLE, stamp=said[index % 5])), expected_of(plain, 0))
        words.note("verified", is_verified(verdict))
    print(f"{'recorder: verified, refused':48}{timers.shown(('verified', 'refused'))}", flush=True)
    print(f"{'prices and times of day: refused':48}{prices.shown(('refused',))}", flush=True)
    print(f"{'words of other sports over a goal: verified':48}{words.shown(('verified',))}", flush=True)


if __name__ == "__main__":
    main()
