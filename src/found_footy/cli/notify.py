"""`found-footy notify …`: test a channel, look at messages, send again. Exit code 0: done; 1: not done."""

import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Annotated

import typer
from rich import box
from rich.table import Table

from found_footy import notify_factory
from found_footy.cli import console
from found_footy.domain.notify_documents import OutboxDocument
from found_footy.notify.store import NotifyStore
from found_footy.platform import mongo
from found_footy.platform.errors import ConfigError
from found_footy.settings import Settings, load_settings

HELP = "Test the channels of notifications, look at their messages, and send failed ones again."

ChannelArgument = Annotated[str, typer.Argument(help="Name of the channel in FOOTY_NOTIFY__CHANNELS.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def send_test_message(channel: ChannelArgument) -> int:
    """Send a test message to a channel. Exit code 1, with the channel's own error, if it does not take it."""
    settings = load_settings().settings
    return console.run_coroutine(lambda: _send_test(settings, channel))


def list_messages(
    channel: Annotated[str, typer.Option(help="Only those of this channel.")] = "",
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Maximum number of messages.")] = 50,
    unsent: Annotated[bool, typer.Option("--unsent", help="Only those that are not sent, or may not be.")] = False,
    as_json: JsonOption = False,
) -> int:
    """List the newest messages with what became of them."""
    settings = load_settings().settings

    async def main() -> int:
        async with _open_store(settings) as store:
            entries = await store.list_entries(limit, channel or None, only_unsent=unsent)
        return _print_entries(entries, as_json)

    return console.run_coroutine(main)


def retry_messages(channel: ChannelArgument) -> int:
    """Send again what a channel refused or may not have got. What did arrive is then told twice."""
    settings = load_settings().settings
    _require_channel(settings, channel)

    async def main() -> int:
        async with _open_store(settings) as store:
            count = await store.reopen(channel)
        console.out.print(f"{count} messages will be sent again", highlight=False)
        return console.OK

    return console.run_coroutine(main)


COMMANDS: Mapping[str, Callable[..., int]] = {
    "test": send_test_message,
    "list": list_messages,
    "retry": retry_messages,
}


async def _send_test(settings: Settings, name: str) -> int:
    await notify_factory.send_test_message(settings, None, name)
    console.out.print(f"{name}: the message was sent", highlight=False)
    return console.OK


def _require_channel(settings: Settings, name: str) -> None:
    known = settings.notify.parsed_channels
    if name not in known:
        raise ConfigError(
            f"there is no channel {name}; FOOTY_NOTIFY__CHANNELS has {', '.join(sorted(known)) or 'none'}"
        )


@asynccontextmanager
async def _open_store(settings: Settings) -> AsyncIterator[NotifyStore]:
    async with mongo.connect(settings.mongo.uri, settings.mongo.database, timeout=settings.mongo.timeout) as database:
        yield NotifyStore(database)


def _print_entries(entries: list[OutboxDocument], as_json: bool) -> int:
    rows = [describe_entry(entry) for entry in entries]
    if as_json:
        console.out.print_json(json.dumps(rows, ensure_ascii=False))
    elif not rows:
        console.out.print("No messages.", highlight=False)
    else:
        table = Table("at", "channel", "goal", "state", "why", box=box.SIMPLE_HEAD, pad_edge=False)
        for row in rows:
            table.add_row(*(console.to_plain_text(row[name]) for name in ("at", "channel", "goal", "state", "why")))
        console.out.print(table)
    return console.OK


def describe_entry(entry: OutboxDocument) -> dict[str, str]:
    facts = entry["facts"]
    states = {"waiting": entry.get("open"), "failed": entry.get("failed"), "in doubt": entry.get("doubtful")}
    state = next((name for name, holds in states.items() if holds), "sent")
    return {
        "id": entry["_id"],
        "at": f"{entry.get('wanted_at') or entry['created_at']:%Y-%m-%d %H:%M:%S}",
        "channel": entry["channel"],
        "goal": f"{facts['home']} v {facts['away']}, {facts['minute']} {facts['player']}",
        "state": state,
        "why": entry.get("failure") or "",
        "told": ", ".join(entry.get("told") or ()),
    }
