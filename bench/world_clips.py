"""The clips of simulated match days, each judged for every goal of the match that it was posted about.

No server runs: a clip is rendered at a few frames a second and read once, as two frames whose clock, teams and score
are all read. The readings are kept, so that judging them for another goal or by other rules costs nothing.
"""

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from bench.vision_accuracy import frames_of
from found_footy.domain.scores import Score
from found_footy.embedded.endpoints import default_data_dir
from found_footy.platform.errors import ExternalSystemError
from found_footy.vision.classifier.image_classifier import ImageClassifier
from found_footy.vision.expectation import ExpectedGoal, MatchTeams, ProofRules, ScoreChange
from found_footy.vision.local.ocr import RapidOcrRecognizer
from found_footy.vision.local.reader import LocalReader
from found_footy.vision.verdict import FrameReading, Rejected, decide_verdict
from found_footy_sim.media.clip_library import ClipLibrary, render_clip
from found_footy_sim.media.clip_spec import ClipChange, ClipScene, content_key
from found_footy_sim.media.clip_truth import file_seconds, score_bug_at
from found_footy_sim.world.expected_outcomes import EXPECT_DUPLICATE, EXPECT_EITHER, EXPECT_PUBLISH
from found_footy_sim.world.goals import SimulatedGoal
from found_footy_sim.world.match_day import SimulatedWorld, make_world

FRAMES_PER_SECOND = 4
PROOF_FIELDS = ("minute", "half", "teams", "score")
# Refused before anything is read.
_FILTERED_BEFORE = ("reject:filtered", "unreachable")
_SHOWN_AT = (0.25, 0.75)
# A score that no clip shows: the reader reads the score bug in two frames, as it does to refute.
_NO_SCORE = Score(98, 98)


@dataclass(frozen=True)
class OfferedClip:
    """A file that was posted about a match, and whether it shows each of the match's goals."""

    name: str
    scene: ClipScene
    changes: tuple[ClipChange, ...]
    kind: str
    about: str
    shows: Mapping[str, bool]

    @property
    def key(self) -> str:
        return content_key(self.scene, self.changes)

    @property
    def prints_half(self) -> bool:
        """Whether its score bug names the half at the places that are read."""
        seconds = file_seconds(self.scene, self.changes)
        shown = (score_bug_at(self.scene, self.changes, share * seconds) for share in _SHOWN_AT)
        return any(bug is not None and bug.period for bug in shown)


@dataclass(frozen=True)
class Judgement:
    """`verdict` is verified, unverified or the outcome of a rejection; `findings` are those on minute, half, teams and
    score.
    """

    clip: str
    goal: str
    rules: str
    is_right: bool
    kind: str
    design: str
    prints_half: bool
    verdict: str
    findings: Mapping[str, str]
    reason: str


def list_offers(world: SimulatedWorld, folder: Path, *, every_goal: bool = False) -> list[OfferedClip]:
    """Every file that the product would check, once for each match that it was posted about; with `every_goal` it is
    offered to all goals of the day.
    """
    library, offers = ClipLibrary(world.scenario, folder), dict[tuple[str, int], OfferedClip]()
    for post, truth in zip(world.scenario.posts, world.truth.posts, strict=True):
        words = {goal: word for goal, word in truth.expected.items() if word != EXPECT_EITHER}
        if any(word.startswith(_FILTERED_BEFORE) for word in words.values()):
            continue
        scene, changes = library.get_recipe(world.scenario.get_clip(post.clip))
        shows = {goal: word.startswith((EXPECT_PUBLISH, EXPECT_DUPLICATE)) for goal, word in words.items()}
        footage = world.truth.footage[post.clip]
        if every_goal:
            unclear = {footage.goal, *footage.compiled, *truth.expected}
            shows |= {goal.id: False for goal in world.truth.goals if goal.is_standing and goal.id not in unclear}
        known = offers.get((post.clip, post.fixture))
        offers[post.clip, post.fixture] = OfferedClip(
            post.clip,
            replace(scene, fps=FRAMES_PER_SECOND),
            tuple(_at_few_frames(change) for change in changes),
            str(footage.kind),
            known.about if known else truth.about,
            {**(known.shows if known else {}), **shows},
        )
    return list(offers.values())


def _at_few_frames(change: ClipChange) -> ClipChange:
    return change if change.then is None else replace(change, then=replace(change.then, fps=FRAMES_PER_SECOND))


def expected_goal(goal: SimulatedGoal, goals: Sequence[SimulatedGoal], rules: ProofRules) -> ExpectedGoal:
    """What the product expects of a clip of the goal once the feed lists all goals of the match."""
    teams = MatchTeams((goal.match.home.name,), (goal.match.away.name,))
    others = tuple(_to_change(one) for one in goals if one is not goal and one.match is goal.match and one.is_standing)
    return ExpectedGoal(
        goal.at.minute,
        goal.at.extra or None,
        rules.tolerance,
        teams=teams if rules.teams else None,
        change=_to_change(goal) if rules.score else None,
        others=others if rules.other_goals else (),
        checks_half=rules.half,
        uses_witnesses=rules.witnesses,
    )


def _to_change(goal: SimulatedGoal) -> ScoreChange:
    return ScoreChange(goal.clock_minute, Score(*goal.score), Score(*goal.score_after))


class WorldJudge:
    """Judges the clips of worlds. Renderings and readings are kept in `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._reader = LocalReader(RapidOcrRecognizer(), ImageClassifier(default_data_dir() / "models"))

    def judge_world(
        self,
        seed: int,
        size: str,
        rules: Mapping[str, ProofRules],
        limit: int | None = None,
        *,
        every_goal: bool = False,
    ) -> Iterator[Judgement]:
        world = make_world(seed, size)
        goals = {goal.id: goal for goal in world.truth.goals}
        for offer in list_offers(world, self._folder, every_goal=every_goal)[:limit]:
            about = expected_goal(goals[offer.about], world.truth.goals, ProofRules())
            readings = self._read(offer, about, f"{size}-{seed}")
            for name, rule in rules.items():
                for goal, is_right in offer.shows.items():
                    expected = expected_goal(goals[goal], world.truth.goals, rule)
                    yield _judge(offer, f"{seed} {goal}", name, readings, expected, is_right)

    def _read(self, offer: OfferedClip, expected: ExpectedGoal, day: str) -> list[FrameReading]:
        kept = self._folder / "readings" / f"{day}-{offer.name}.json"
        if not kept.exists():
            kept.parent.mkdir(parents=True, exist_ok=True)
            frames = frames_of(render_clip(offer.scene, offer.changes, self._folder / "clips"))
            unseen = ScoreChange(expected.minute, _NO_SCORE, _NO_SCORE)
            asked = replace(expected, change=unseen, others=())
            try:
                found = asyncio.run(self._reader.read(frames, asked)).evidence.readings
            except ExternalSystemError:
                found = ()
            kept.write_text(json.dumps([asdict(reading) for reading in found]))
        return [FrameReading(**reading) for reading in json.loads(kept.read_text())]


def _judge(
    offer: OfferedClip, goal: str, rules: str, readings: Sequence[FrameReading], expected: ExpectedGoal, is_right: bool
) -> Judgement:
    try:
        verdict = decide_verdict("local", readings, expected)
    except ExternalSystemError as error:
        said, findings, reason = "unavailable", dict.fromkeys(PROOF_FIELDS, "unknown"), str(error)
    else:
        said = str(verdict.outcome if isinstance(verdict, Rejected) else verdict.status)
        proof = verdict.evidence.proof
        findings = {field: str(getattr(proof, f"{field}_finding")) for field in PROOF_FIELDS}
        reason = verdict.evidence.rule
    return Judgement(
        offer.name,
        goal,
        rules,
        is_right,
        offer.kind,
        offer.scene.design,
        offer.prints_half,
        said,
        findings,
        reason,
    )
