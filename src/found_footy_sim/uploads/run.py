"""Runs an organization's afternoon on the demo's servers, and compares its end with the plan."""

import asyncio
import json
import time
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from found_footy.app import AppContext
from found_footy.cli import console
from found_footy.embedded.supervisor import Supervisor
from found_footy.platform import queue
from found_footy.platform.clock import utc_now
from found_footy.platform.errors import Conflict
from found_footy.platform.http.issued_keys import generate_key
from found_footy.settings import Settings
from found_footy.uploads.organizations.store import Organization, OrganizationStore
from found_footy.uploads_factory import build_uploads_store
from found_footy_sim.demo.concurrency import gather_or_cancel
from found_footy_sim.demo.polling import wait_until_answered
from found_footy_sim.scorecard import uploads_store
from found_footy_sim.scorecard.json_report import render_uploads_json
from found_footy_sim.scorecard.target import list_missed
from found_footy_sim.scorecard.uploads_card import (
    AfternoonConditions,
    ApiRefusal,
    ObservedAfternoon,
    UploadsCard,
    build_uploads_card,
    is_settled,
)
from found_footy_sim.scorecard.uploads_html import render_uploads_html
from found_footy_sim.scorecard.uploads_targets import evaluate_uploads_targets
from found_footy_sim.scorecard.uploads_text import render_uploads_text
from found_footy_sim.uploads.afternoon import list_pictures, plan_afternoon
from found_footy_sim.uploads.client import OrganizationClient
from found_footy_sim.uploads.expectations import ExpectedUpload, expect_upload
from found_footy_sim.uploads.kills import UploadKills
from found_footy_sim.uploads.player import AfternoonPlayer
from found_footy_sim.uploads.true_labels import classify_directly

ORGANIZATION = "demo-club"
# Killed by `--chaos`; beside matches the other ones are killed anyway.
KILLED_PROGRAMS = ("nats", "seaweedfs", "mongodb", "worker")
KILLED_BESIDE_MATCHES = ("nats",)
_PROGRESS_SECONDS = 2.0
_SETTLE_TIMEOUT_SECONDS = 300.0


@dataclass(frozen=True)
class UploadsPlan:
    """What `--uploads` asks for. `secret` is sent with notifications; `killed` are the programs that are killed."""

    seed: int
    names: int
    secret: str = field(repr=False)
    killed: tuple[str, ...] = ()


@dataclass(frozen=True)
class PlayedUploads:
    """The figures, with the data they were computed from."""

    card: UploadsCard
    expected: tuple[ExpectedUpload, ...]
    rows: tuple[dict[str, Any], ...]


def uploads_environment(plan: UploadsPlan | None) -> dict[str, str]:
    """The settings of an afternoon; without one, uploads are off."""
    if plan is None:
        return {"FOOTY_UPLOADS__ENABLED": "false"}
    return {
        "FOOTY_UPLOADS__NOTIFICATION_SECRET": plan.secret,
        # An afternoon takes a minute: what nobody told of is looked for every few seconds.
        "FOOTY_UPLOADS__RECONCILE_INTERVAL": "5s",
        "FOOTY_UPLOADS__OPEN_FOR": "60s",
        "FOOTY_UPLOADS__MAX_BYTES": "1MB",
    }


async def play_uploads(app: AppContext, supervisor: Supervisor, plan: UploadsPlan) -> PlayedUploads:
    started_at, afternoon = time.monotonic(), plan_afternoon(plan.seed, plan.names)
    labels = await classify_directly(app.settings, list_pictures(afternoon.stories))
    max_bytes = app.settings.uploads.max_bytes
    expected = tuple(expect_upload(story, labels, max_bytes) for story in afternoon.stories)
    async with aclosing(build_uploads_store(app.settings)) as objects:
        await objects.ensure_bucket()
        client = OrganizationClient(
            page_url(app.settings), ORGANIZATION, await add_organization(app), plan.secret, objects
        )
        async with aclosing(client):
            player = AfternoonPlayer(afternoon, client, app.settings.uploads.bucket, max_bytes)
            kills = UploadKills(supervisor, player, plan.killed)
            await _play_to_the_end(app, player, kills, expected)
        conditions = AfternoonConditions(plan.seed, ORGANIZATION, len(afternoon.malformed), bool(plan.killed))
        rows = await uploads_store.read_rows(app.database, ORGANIZATION)
        observed = await _observe(app, player, rows, time.monotonic() - started_at)
    return PlayedUploads(build_uploads_card(expected, observed, conditions, kills.faults), expected, tuple(rows))


def page_url(settings: Settings) -> str:
    return f"http://127.0.0.1:{settings.web.port}"


async def add_organization(app: AppContext) -> str:
    """Return the key of the demo's organization."""
    key, record = generate_key()
    if not await OrganizationStore(app.database).add(Organization(ORGANIZATION, record, utc_now())):
        raise Conflict(f"there is already an organization {ORGANIZATION}; choose an empty --data-dir")
    console.out.print(
        f"The organization {ORGANIZATION} uploads; sign in at {page_url(app.settings)}/organizations with {key}",
        highlight=False,
        markup=False,
        soft_wrap=True,
    )
    return key


async def _play_to_the_end(
    app: AppContext, player: AfternoonPlayer, kills: UploadKills, expected: Sequence[ExpectedUpload]
) -> None:
    """Play, wait until every row shows the end of its story, and send all notifications once more: then nothing
    changes.
    """
    progress = asyncio.create_task(_print_progress(player))
    try:
        await gather_or_cancel([kills.run(), player.play()])
    finally:
        progress.cancel()
    console.out.print("uploads: every story is played; waiting for the rows …", highlight=False)
    await wait_until_answered(lambda: _are_all_settled(app, expected), _SETTLE_TIMEOUT_SECONDS)
    await player.repeat_notifications()
    await wait_until_answered(lambda: _is_queue_empty(app.settings), _SETTLE_TIMEOUT_SECONDS)
    since = utc_now()

    async def has_reconciled() -> bool:
        return await uploads_store.count_reconciliations(app.temporal, since) > 0

    await wait_until_answered(has_reconciled, _SETTLE_TIMEOUT_SECONDS)
    await wait_until_answered(lambda: _are_all_settled(app, expected), _SETTLE_TIMEOUT_SECONDS)


async def _print_progress(player: AfternoonPlayer) -> None:
    shown = -1
    while True:
        if player.finished != shown:
            shown = player.finished
            console.out.print(f"uploads: {shown} of {len(player.plan.stories)} names", highlight=False)
        await asyncio.sleep(_PROGRESS_SECONDS)


async def _are_all_settled(app: AppContext, expected: Sequence[ExpectedUpload]) -> bool:
    rows = await uploads_store.read_rows(app.database, ORGANIZATION)
    shown = {row["name"]: uploads_store.observe_upload(row) for row in rows}
    return all(is_settled(one, shown.get(one.name)) for one in expected if one.needs_row or one.name in shown)


async def _is_queue_empty(settings: Settings) -> bool:
    async with queue.connect(settings.nats.url) as connection:
        return (await connection.read_backlog(settings.uploads.stream)).messages == 0


async def _observe(
    app: AppContext, player: AfternoonPlayer, rows: Sequence[dict[str, Any]], wall_seconds: float
) -> ObservedAfternoon:
    return ObservedAfternoon(
        rows=[uploads_store.observe_upload(row) for row in rows],
        runs=await uploads_store.count_runs(app.temporal),
        parked=await uploads_store.count_parked_notifications(app.database),
        refusals={
            name: ApiRefusal(played.refusal.status, played.refusal.detail)
            for name, played in player.names.items()
            if played.refusal is not None
        },
        sent_at={(name, etag): at for name, played in player.names.items() for etag, at in played.sent_at.items()},
        internal_errors=player.client.internal_errors,
        wall_seconds=round(wall_seconds, 1),
    )


def publish_uploads_report(played: PlayedUploads, folder: Path) -> int:
    """Print the scorecard of an afternoon without matches, write its page and figures to `folder`; returns a failure if
    a hard target was missed.
    """
    page = folder / "scorecard.html"
    folder.mkdir(parents=True, exist_ok=True)
    page.write_text(render_uploads_html(played.card), encoding="utf-8")
    (folder / "scorecard.json").write_text(render_uploads_json(played.card), encoding="utf-8")
    (folder / "made-from.json").write_text(json.dumps(describe_origin(played), default=_dump), encoding="utf-8")
    console.out.print(render_uploads_text(played.card), highlight=False, markup=False, soft_wrap=True)
    console.out.print(f"\nScorecard: {page.absolute()}", highlight=False, markup=False, soft_wrap=True)
    return console.FAILED if list_missed(evaluate_uploads_targets(played.card)) else console.OK


def describe_origin(played: PlayedUploads) -> dict[str, Any]:
    return {"expected": [vars(one) for one in played.expected], "uploads": list(played.rows)}


def _dump(value: object) -> object:
    return sorted(value) if isinstance(value, frozenset) else str(value)
