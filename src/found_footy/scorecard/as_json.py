"""The scorecard for programs."""

import json
from dataclasses import asdict
from typing import Any

from found_footy.scorecard.card import Scorecard
from found_footy.scorecard.targets import targets

SCHEMA = 2


def as_json(card: Scorecard) -> str:
    body: dict[str, Any] = {
        "schema": SCHEMA,
        "simulated": True,
        **asdict(card),
        "targets": [asdict(target) for target in targets(card)],
    }
    body["per_goal"] = {
        "attempts": round(card.per_goal(card.attempts), 2),
        "database_operations": round(card.per_goal(sum(card.costs.database.values())), 1),
        "history_events": round(card.per_goal(sum(card.costs.history.values())), 1),
        "cpu_seconds": round(card.per_goal(card.costs.cpu_seconds), 2) if card.costs.measured else None,
    }
    body["costs"] |= {} if card.costs.measured else {"peak_memory": None}
    return json.dumps(body, indent=2, ensure_ascii=False)
