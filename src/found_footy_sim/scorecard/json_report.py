"""The scorecard as JSON, for programs."""

import json
from dataclasses import asdict
from typing import Any

from found_footy_sim.scorecard.card import Scorecard
from found_footy_sim.scorecard.targets import evaluate_targets
from found_footy_sim.scorecard.uploads_card import UploadsCard
from found_footy_sim.scorecard.uploads_targets import evaluate_uploads_targets

SCHEMA_VERSION = 3


def render_json(card: Scorecard) -> str:
    body: dict[str, Any] = {
        "schema": SCHEMA_VERSION,
        "simulated": True,
        **asdict(card),
        "targets": [asdict(target) for target in evaluate_targets(card)],
    }
    body["per_goal"] = {
        "attempts": round(card.per_goal(card.attempts), 2),
        "database_operations": round(card.per_goal(sum(card.costs.database.values())), 1),
        "history_events": round(card.per_goal(sum(card.costs.history.values())), 1),
        "cpu_seconds": round(card.per_goal(card.costs.cpu_seconds), 2) if card.costs.is_measured else None,
    }
    body["costs"] |= {} if card.costs.is_measured else {"peak_memory": None}
    return json.dumps(body, indent=2, ensure_ascii=False)


def render_uploads_json(card: UploadsCard) -> str:
    """The same for an afternoon without matches: `uploads` has the form that it has beside them."""
    body = {
        "schema": SCHEMA_VERSION,
        "simulated": True,
        "uploads": asdict(card),
        "targets": [asdict(target) for target in evaluate_uploads_targets(card)],
    }
    return json.dumps(body, indent=2, ensure_ascii=False)
