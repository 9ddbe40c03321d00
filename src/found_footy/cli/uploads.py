"""`found-footy uploads …`: messages about uploads that could not be processed. Exit code 0: done; 1: not done."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Annotated

import typer
from rich import box
from rich.table import Table

from found_footy.cli import console
from found_footy.platform import mongo
from found_footy.platform.queue import DEFAULT_TIMEOUT
from found_footy.platform.queue_connection import QueueConnection
from found_footy.settings import Settings, load_settings
from found_footy.uploads.intake import dead_letter_store
from found_footy.uploads.intake.dead_letter_store import DeadLetter, DeadLetterStore
from found_footy.uploads.intake.dead_letters import DeadLetters
from found_footy.uploads.intake.publisher import EventPublisher
from found_footy.uploads_factory import build_streams

HELP = "Look at messages about uploads that could not be processed, and replay them."

OrganizationOption = Annotated[str, typer.Option(help="Only those of this organization.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
_SHOWN_BYTES = 500


def show_dead_letters(
    organization: OrganizationOption = "",
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Maximum number of letters.")] = 100,
    replay: Annotated[bool, typer.Option("--replay", help="Put them into the queue again.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Show messages that could not be processed, with the reason."""
    if replay:
        return replay_letters(organization)
    return _run(lambda letters, _: _print_letters(letters, organization or None, limit, as_json))


def replay_letters(organization: OrganizationOption = "") -> int:
    """Put dead letters into the queue again. Exit code 1 if some cannot be."""
    return _run(lambda letters, connection: _replay(letters, connection, organization or None))


COMMANDS: Mapping[str, Callable[..., int]] = {"dead-letters": show_dead_letters, "replay": replay_letters}


def _run(work: Callable[[DeadLetters, QueueConnection], Awaitable[int]]) -> int:
    settings = load_settings().settings

    async def main() -> int:
        async with open_dead_letters(settings) as (letters, connection):
            return await work(letters, connection)

    return console.run_coroutine(main)


@asynccontextmanager
async def open_dead_letters(settings: Settings) -> AsyncIterator[tuple[DeadLetters, QueueConnection]]:
    streams = build_streams(settings)
    async with (
        mongo.connect(settings.mongo.uri, settings.mongo.database, timeout=settings.mongo.timeout) as database,
        QueueConnection(settings.nats.url, streams.ensure) as connection,
    ):
        await mongo.ensure_indexes(database, dead_letter_store.INDEXES)
        publisher = EventPublisher(connection, streams)
        yield DeadLetters(DeadLetterStore(database), publisher, settings.uploads.bucket), connection


async def _print_letters(letters: DeadLetters, organization: str | None, limit: int, as_json: bool) -> int:
    found = await letters.list_letters(limit, organization)
    if as_json:
        console.out.print_json(json.dumps([_describe_letter(one) for one in found], ensure_ascii=False))
        return console.OK
    if not found:
        console.out.print("No dead letters.", highlight=False)
        return console.OK
    table = Table("at", "organization", "reason", "message", box=box.SIMPLE_HEAD, pad_edge=False)
    for one in found:
        described = _describe_letter(one)
        row = (described["at"], described["organization"] or "", described["reason"], described["message"])
        table.add_row(*(console.to_plain_text(str(cell)) for cell in row))
    console.out.print(table)
    return console.OK


def _describe_letter(letter: DeadLetter) -> dict[str, str | bool | None]:
    return {
        "id": letter.id,
        "at": f"{letter.at:%Y-%m-%d %H:%M:%S}",
        "kind": letter.kind.value,
        "organization": letter.organization_id,
        "reason": letter.reason,
        "replayable": not letter.is_truncated,
        "message": letter.body[:_SHOWN_BYTES].decode("utf-8", "replace"),
    }


async def _replay(letters: DeadLetters, connection: QueueConnection, organization: str | None) -> int:
    await connection.wait_for_queue(DEFAULT_TIMEOUT)
    report = await letters.replay(organization)
    console.out.print(f"{report.replayed} replayed, {len(report.kept)} cannot be", highlight=False)
    for letter_id, reason in report.kept.items():
        console.out.print(console.to_plain_text(f"{letter_id}: {reason}"), highlight=False, soft_wrap=True)
    return console.FAILED if report.kept else console.OK
