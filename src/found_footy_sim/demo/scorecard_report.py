"""The scorecard of a demo: compares the product's documents with the ground truth of the simulated world."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from found_footy.app import AppContext
from found_footy.cli import console
from found_footy.platform.errors import NotFound, Unavailable
from found_footy.views.fixture_views import StoredFixture
from found_footy.views.source_figures import count_sources
from found_footy.views.source_store import SourceStore
from found_footy_sim.demo.archive_invariants import find_archive_faults
from found_footy_sim.demo.clip_watcher import watch_clips
from found_footy_sim.demo.command_options import ProofPart
from found_footy_sim.demo.cost_meter import CostMeter
from found_footy_sim.demo.local_http import request_json
from found_footy_sim.demo.world import DemoWorld, debounce_seconds
from found_footy_sim.scorecard import store
from found_footy_sim.scorecard.card import DayChecks, RunConditions, Scorecard, build_scorecard
from found_footy_sim.scorecard.costs import InjectedFault
from found_footy_sim.scorecard.ground_truth import GroundTruth, parse_ground_truth
from found_footy_sim.scorecard.html_report import render_html
from found_footy_sim.scorecard.json_report import render_json
from found_footy_sim.scorecard.observed_goals import observe_goals
from found_footy_sim.scorecard.target import list_missed
from found_footy_sim.scorecard.targets import evaluate_targets
from found_footy_sim.scorecard.text_report import render_text
from found_footy_sim.uploads.run import PlayedUploads, describe_origin

_ReadT = TypeVar("_ReadT")

_READ_ATTEMPTS = 10
_READ_RETRY_SECONDS = 2.0
# Work in progress may look like a fault of the archive for a moment.
_QUIET_SECONDS = 60.0
_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class PlayedDay:
    """A finished day: its world, its options, and the faults that were injected."""

    world: DemoWorld
    searches: str
    chaos: bool
    faults: tuple[InjectedFault, ...]


@dataclass(frozen=True)
class DemoReport:
    """A scorecard with the data it was computed from, so that anybody can check it."""

    card: Scorecard
    ground_truth: Any
    stored: tuple[StoredFixture, ...]
    checks: DayChecks
    uploads: PlayedUploads | None = None


async def build_report(
    app: AppContext, played: PlayedDay, meter: CostMeter, uploads: PlayedUploads | None = None
) -> DemoReport | None:
    """None for a scenario whose world keeps no ground truth."""
    try:
        document = await request_json("GET", f"http://{played.world.address}/sim/truth")
    except NotFound:
        return None
    truth = parse_ground_truth(document)
    stored = await _retry_while_unavailable(lambda: store.read_fixtures(app.database))
    conditions, costs = _run_conditions(app, played, truth), await meter.compute_costs(app)
    checks = DayChecks(
        await watch_clips(
            f"http://127.0.0.1:{played.world.page_port}", sorted({one.document["_id"] for one in stored})
        ),
        tuple(await _check_archive(app, killed=played.chaos)),
    )
    card = build_scorecard(truth, observe_goals(stored), conditions, costs, played.faults, checks)
    searches = await _retry_while_unavailable(lambda: SourceStore(app.database).list_goal_searches(_LONG_AGO))
    card = replace(card, uploads=uploads.card if uploads else None, sources=count_sources(searches))
    return DemoReport(card, document, tuple(stored), checks, uploads)


async def _check_archive(app: AppContext, *, killed: bool) -> Sequence[str]:
    """Return the faults that remain once nothing is in progress any more."""
    deadline = time.monotonic() + _QUIET_SECONDS
    while True:
        faults = await find_archive_faults(app.database, app.objects, with_leftovers=not killed)
        if not faults or time.monotonic() > deadline:
            return faults
        await asyncio.sleep(_READ_RETRY_SECONDS)


def _run_conditions(app: AppContext, played: PlayedDay, truth: GroundTruth) -> RunConditions:
    speed, rules = played.world.speed, app.settings.vision.proof_rules
    return RunConditions(
        seed=truth.seed,
        size=truth.size,
        speed=speed,
        debounce=debounce_seconds(app.settings, speed),
        searches=played.searches,
        reader=f"reader {app.settings.vision.reader}",
        chaos=played.chaos,
        shares=played.world.shares,
        tolerance=app.settings.vision.tolerance,
        without=tuple(part.value for part in ProofPart if not getattr(rules, part.value)),
    )


async def _retry_while_unavailable(read: Callable[[], Awaitable[_ReadT]]) -> _ReadT:
    """The database may be restarting."""
    for _ in range(_READ_ATTEMPTS - 1):
        try:
            return await read()
        except Unavailable:
            await asyncio.sleep(_READ_RETRY_SECONDS)
    return await read()


def publish_report(report: DemoReport, folder: Path) -> int:
    """Print the scorecard, write its page and figures to `folder`; returns a failure if a hard target was missed."""
    card, page = report.card, folder / "scorecard.html"
    folder.mkdir(parents=True, exist_ok=True)
    page.write_text(render_html(card), encoding="utf-8")
    (folder / "scorecard.json").write_text(render_json(card), encoding="utf-8")
    made_from = {
        "truth": report.ground_truth,
        "fixtures": [{"room": one.collection, **one.document} for one in report.stored],
        "watched": {name: asdict(clip) for name, clip in (report.checks.watched or {}).items()},
        "archive_faults": report.checks.archive_faults,
        **(describe_origin(report.uploads) if report.uploads else {}),
    }
    (folder / "made-from.json").write_text(json.dumps(made_from, default=str, ensure_ascii=False), encoding="utf-8")
    console.out.print(render_text(card), highlight=False, markup=False, soft_wrap=True)
    console.out.print(f"\nScorecard: {page.absolute()}", highlight=False, markup=False, soft_wrap=True)
    return console.FAILED if list_missed(evaluate_targets(card)) else console.OK
