"""`found-footy clip …`: moderation of clips. Exit code 0: done, or already so; 1: not done; 2: settings."""

import getpass
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any

import typer
from rich import box
from rich.table import Table

from found_footy.archive.maintenance.services import new_audit_id
from found_footy.archive.moderation.lookup import parse_clip_reference
from found_footy.archive.moderation.model import MODERATION_FIELD
from found_footy.archive.moderation.service import ModerationRequest, ModerationResult, ModerationService
from found_footy.cli import console
from found_footy.domain.ranking import PINNED_FIELD, stored_rank_key
from found_footy.maintenance_factory import open_maintenance
from found_footy.platform.errors import BadInput, NotFound
from found_footy.settings import Settings, load_settings

HELP = "Moderate clips: pin, keep apart, remove from a goal, take down. Every action is recorded in the audit log."

ClipArgument = Annotated[str, typer.Argument(help="The clip, by its id or its address.")]
ActorOption = Annotated[str, typer.Option(help="Who decides; by default the user of this machine.")]
ReasonOption = Annotated[str, typer.Option(help="Why; recorded in the audit log.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]

_MIB = 1024 * 1024


def pin(clip: ClipArgument, by: ActorOption = "", reason: ReasonOption = "", as_json: JsonOption = False) -> int:
    """Rank a clip first for its goal, whatever its quality and popularity."""
    return _run_decision(lambda keeper: keeper.pin(clip, _build_actor(by, reason)), as_json)


def unpin(clip: ClipArgument, by: ActorOption = "", reason: ReasonOption = "", as_json: JsonOption = False) -> int:
    """Rank a clip by its quality and popularity again."""
    return _run_decision(lambda keeper: keeper.unpin(clip, _build_actor(by, reason)), as_json)


def keep_apart(
    clip: ClipArgument,
    other: ClipArgument,
    by: ActorOption = "",
    reason: ReasonOption = "",
    as_json: JsonOption = False,
) -> int:
    """Never merge these two clips, whatever the comparison says."""
    return _run_decision(lambda keeper: keeper.keep_apart(clip, other, _build_actor(by, reason)), as_json)


def mark_wrong_goal(
    clip: ClipArgument, by: ActorOption = "", reason: ReasonOption = "", as_json: JsonOption = False
) -> int:
    """Remove a clip from its goal; it is not stored there again."""
    return _run_decision(lambda keeper: keeper.mark_wrong_goal(clip, _build_actor(by, reason)), as_json)


def take_down(
    clip: ClipArgument,
    reason: Annotated[str, typer.Option(help="Who asked for it and why; recorded in the audit log.")],
    by: ActorOption = "",
    as_json: JsonOption = False,
) -> int:
    """Delete a clip and all its copies from every goal, and block its content for good."""
    return _run_decision(lambda keeper: keeper.take_down(clip, _build_actor(by, reason)), as_json)


def unblock(
    clip: Annotated[str, typer.Argument(help="The clip, by its id or by the MD5 of its file.")],
    by: ActorOption = "",
    reason: ReasonOption = "",
    as_json: JsonOption = False,
) -> int:
    """Unblock a clip that was removed or taken down: it is stored again when it is found again."""
    return _run_decision(lambda keeper: keeper.unblock(clip, _build_actor(by, reason)), as_json)


def list_clips(
    goal: Annotated[str, typer.Argument(help="The goal, by its id.")] = "",
    fixture: Annotated[int | None, typer.Option(help="All goals of this fixture.")] = None,
    as_json: JsonOption = False,
) -> int:
    """Show the clips of a goal or of a fixture, best first."""
    if bool(goal) == (fixture is not None):
        raise BadInput("name a goal, or a fixture with --fixture")
    settings = load_settings().settings
    return console.run_coroutine(lambda: print_clips(settings, goal, fixture, as_json))


def show_blocked(as_json: JsonOption = False) -> int:
    """Show what was taken down and is blocked."""
    settings = load_settings().settings
    return console.run_coroutine(lambda: print_blocked(settings, as_json))


def show_history(
    clip: Annotated[str, typer.Argument(help="The clip, by its id; by default all clips.")] = "",
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Maximum number of entries, newest first.")] = 50,
    as_json: JsonOption = False,
) -> int:
    """Show who decided what, when and why."""
    settings = load_settings().settings
    return console.run_coroutine(lambda: print_history(settings, parse_clip_reference(clip), limit, as_json))


COMMANDS: Mapping[str, Callable[..., int]] = {
    "pin": pin,
    "unpin": unpin,
    "apart": keep_apart,
    "wrong-goal": mark_wrong_goal,
    "take-down": take_down,
    "unblock": unblock,
    "list": list_clips,
    "blocked": show_blocked,
    "history": show_history,
}


def _build_actor(by: str, reason: str) -> ModerationRequest:
    return ModerationRequest(by or getpass.getuser(), new_audit_id(), reason)


def _run_decision(decide: Callable[[ModerationService], Awaitable[ModerationResult]], as_json: bool) -> int:
    settings = load_settings().settings
    return console.run_coroutine(lambda: apply_decision(settings, decide, as_json))


async def apply_decision(
    settings: Settings, decide: Callable[[ModerationService], Awaitable[ModerationResult]], as_json: bool
) -> int:
    async with open_maintenance(settings) as services:
        result = await decide(services.moderation)
    if as_json:
        _print_json(asdict(result))
    for words in () if as_json else result.words:
        console.out.print(words, markup=False, highlight=False, soft_wrap=True)
    return console.OK


async def print_clips(settings: Settings, goal: str, fixture: int | None, as_json: bool) -> int:
    async with open_maintenance(settings) as services:
        found = await services.moderation_store.find_goals(goal, fixture)
    if not found:
        raise NotFound(f"there is no goal {goal}" if goal else f"there is no goal of fixture {fixture}")
    if as_json:
        _print_json([_describe_goal(number, event) for number, event in found])
        return console.OK
    for number, event in found:
        described = _describe_goal(number, event)
        console.out.print(f"{described['goal']}  {described['title']}", markup=False, highlight=False)
        console.out.print(_build_table(_CLIP_COLUMNS, described["clips"]))
        for row in described["refused"]:
            console.out.print(f"  blocked: {row['clip_id']} ({row['scope']})", markup=False, highlight=False)
    return console.OK


async def print_blocked(settings: Settings, as_json: bool) -> int:
    async with open_maintenance(settings) as services:
        rows = await services.moderation_store.list_blocked()
    fields = ("clip_id", "_id", "at", "by", "reason", "event_id")
    entries = [{field: row.get(field) for field in fields} | {"md5": row["_id"]} for row in rows]
    if as_json:
        _print_json(entries)
    else:
        console.out.print(_build_table(("clip_id", "md5", "at", "by", "reason"), entries))
    return console.OK


async def print_history(settings: Settings, clip_id: str, limit: int, as_json: bool, actor: str = "") -> int:
    async with open_maintenance(settings) as services:
        rows = [row async for row in services.audit_log.read_history(clip_id, limit, actor=actor)]
    if as_json:
        _print_json(rows)
        return console.OK
    shown = [{**row, "clips": " ".join(row["clips"])} for row in rows]
    console.out.print(_build_table(("at", "by", "what", "clips", "state", "reason"), shown))
    return console.OK


_CLIP_COLUMNS = ("rank", "clip_id", "pinned", "verified", "popularity", "size", "seconds", "picture", "source")


def _describe_goal(fixture_id: int, event: Mapping[str, Any]) -> dict[str, Any]:
    clips = sorted(event.get("_s3_videos") or (), key=stored_rank_key)
    refused = (event.get(MODERATION_FIELD) or {}).get("refused") or ()
    return {
        "goal": event["_event_id"],
        "fixture": fixture_id,
        "title": str(event.get("_slug") or "").replace("|", " "),
        "removed": bool(event.get("_removed")),
        "clips": [_describe_clip(clip) for clip in clips],
        "refused": [{name: row.get(name) for name in ("clip_id", "scope", "md5s", "at", "lifted")} for row in refused],
    }


def _describe_clip(clip: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "rank": clip.get("rank"),
        "clip_id": clip.get("clip_id"),
        "pinned": bool(clip.get(PINNED_FIELD)),
        "verified": bool(clip.get("timestamp_verified")),
        "popularity": clip.get("popularity"),
        "size": f"{(clip.get('file_size') or 0) / _MIB:.1f} MB",
        "seconds": clip.get("duration"),
        "picture": f"{clip.get('width')}×{clip.get('height')}",
        "md5": clip.get("md5"),
        "source": clip.get("source_url"),
    }


def _build_table(columns: Iterable[str], rows: Iterable[Mapping[str, Any]]) -> Table:
    table = Table(*columns, box=box.SIMPLE_HEAD, pad_edge=False)
    for row in rows:
        table.add_row(*(_format_cell(row.get(column)) for column in columns))
    return table


def _format_cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    return "" if value is None else str(value).replace("[", "\\[")


def _print_json(value: Any) -> None:
    console.out.print_json(json.dumps(value, default=str, ensure_ascii=False))
