"""The scorecard of a demo: the world is asked what really happened, and the product's documents are held against it."""

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from found_footy.app import App
from found_footy.cli import console
from found_footy.cli.demo_local import ask
from found_footy.cli.demo_measure import Measure
from found_footy.cli.demo_world import World, debounce
from found_footy.platform.errors import NotFound, Unavailable
from found_footy.scorecard import store
from found_footy.scorecard.as_html import as_html
from found_footy.scorecard.as_json import as_json
from found_footy.scorecard.as_text import as_text
from found_footy.scorecard.card import Conditions, Scorecard, score
from found_footy.scorecard.costs import Fault
from found_footy.scorecard.observed import seen_goals
from found_footy.scorecard.targets import targets
from found_footy.scorecard.truth import Truth, read_truth
from found_footy.web.views import Stored

_TRIES = 10
_PAUSE_SECONDS = 2.0


@dataclass(frozen=True)
class Played:
    """A day that is over: where, how, and what was broken."""

    world: World
    searches: str
    chaos: bool
    faults: tuple[Fault, ...]


@dataclass(frozen=True)
class Report:
    """A scorecard with what it was made from, so that anybody can check it."""

    card: Scorecard
    told: Any
    stored: tuple[Stored, ...]


async def make(app: App, played: Played, measure: Measure) -> Report | None:
    """None for a scenario of which the world keeps no account."""
    try:
        told = await ask("GET", f"http://{played.world.place}/sim/truth")
    except NotFound:
        return None
    truth, stored = read_truth(told), await _stored(app)
    conditions = _conditions(app, played, truth)
    card = score(truth, seen_goals(stored), conditions, await measure.costs(app), played.faults)
    return Report(card, told, tuple(stored))


def _conditions(app: App, played: Played, truth: Truth) -> Conditions:
    speed = played.world.speed
    return Conditions(
        seed=truth.seed,
        size=truth.size,
        speed=speed,
        debounce=debounce(app.settings, speed),
        searches=played.searches,
        reader=f"reader {app.settings.vision.reader}",
        chaos=played.chaos,
        tolerance=app.settings.vision.tolerance,
    )


async def _stored(app: App) -> list[Stored]:
    """The database may just be on its way back."""
    for _ in range(_TRIES - 1):
        try:
            return await store.whole_fixtures(app.database)
        except Unavailable:
            await asyncio.sleep(_PAUSE_SECONDS)
    return await store.whole_fixtures(app.database)


def publish(report: Report, folder: Path) -> int:
    """Print the scorecard, leave its page and figures in `folder`; fails if a hard target was missed."""
    card, page = report.card, folder / "scorecard.html"
    folder.mkdir(parents=True, exist_ok=True)
    page.write_text(as_html(card), encoding="utf-8")
    (folder / "scorecard.json").write_text(as_json(card), encoding="utf-8")
    made_from = {"truth": report.told, "fixtures": [{"room": one.room, **one.document} for one in report.stored]}
    (folder / "made-from.json").write_text(json.dumps(made_from, default=str, ensure_ascii=False), encoding="utf-8")
    console.out.print(as_text(card), highlight=False, markup=False, soft_wrap=True)
    console.out.print(f"\nScorecard: {page.absolute()}", highlight=False, markup=False, soft_wrap=True)
    missed = [target for target in targets(card) if target.hard and not target.met]
    return console.FAILED if missed else console.OK
