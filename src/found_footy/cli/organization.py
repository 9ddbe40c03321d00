"""`found-footy organization …`: organizations that upload images. Exit code 0: done; 1: not done; 2: settings."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Annotated

import typer
from rich import box
from rich.table import Table

from found_footy.cli import console
from found_footy.platform import mongo
from found_footy.platform.errors import BadInput
from found_footy.platform.settings.units import parse_bytes
from found_footy.settings import Settings, load_settings
from found_footy.uploads.organizations import store
from found_footy.uploads.organizations.quotas import Quota, format_size
from found_footy.uploads.organizations.service import OrganizationService, RemovalReport
from found_footy.uploads_factory import build_uploads_store
from found_footy.web.uploads.deps import build_organization_service

HELP = "Manage the organizations that upload images, and their keys."

NameArgument = Annotated[
    str, typer.Argument(help="The organization, in lower-case letters, digits and hyphens: part of its addresses.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
_ONCE = "The key is shown this once; only its digest is stored."


def add(
    name: NameArgument,
    max_size: Annotated[str, typer.Option(help="Its quota, as 5GB; by default FOOTY_UPLOADS__QUOTA_BYTES.")] = "",
    max_images: Annotated[
        int | None, typer.Option(min=1, help="Its quota of images; by default FOOTY_UPLOADS__QUOTA_OBJECTS.")
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Add an organization and print its key."""
    size = _parse_size(max_size)
    return _run(lambda service: _print_key(service.add(name, max_bytes=size, max_objects=max_images), name, as_json))


def list_organizations(as_json: JsonOption = False) -> int:
    """Show the organizations and what they use of their quotas."""
    settings = load_settings().settings
    quota = Quota(settings.uploads.quota_bytes, settings.uploads.quota_objects)
    return _run(lambda service: _print_organizations(service, quota, as_json))


def rotate(name: NameArgument, as_json: JsonOption = False) -> int:
    """Give an organization a new key. The old one, and everybody who is signed in, is refused from then on."""
    return _run(lambda service: _print_key(service.rotate(name), name, as_json))


def remove(
    name: NameArgument,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> int:
    """Remove an organization with all its images. This cannot be undone."""
    if not yes:
        typer.confirm(f"Delete {name} and all its images for good?", abort=True)
    return _run(lambda service: _print_removal(service.remove(name), name))


COMMANDS: Mapping[str, Callable[..., int]] = {
    "add": add,
    "list": list_organizations,
    "rotate": rotate,
    "remove": remove,
}


def _parse_size(text: str) -> int | None:
    try:
        return parse_bytes(text) if text else None
    except ValueError as error:
        raise BadInput(f"--max-size: {error}") from error


def _run(work: Callable[[OrganizationService], Awaitable[int]]) -> int:
    settings = load_settings().settings

    async def main() -> int:
        async with open_organizations(settings) as service:
            return await work(service)

    return console.run_coroutine(main)


@asynccontextmanager
async def open_organizations(settings: Settings) -> AsyncIterator[OrganizationService]:
    """Works without Temporal and NATS, because a key must be revocable at any time."""
    async with mongo.connect(settings.mongo.uri, settings.mongo.database, timeout=settings.mongo.timeout) as database:
        objects = build_uploads_store(settings)
        try:
            await objects.ensure_bucket()
            await mongo.ensure_indexes(database, store.INDEXES)
            yield build_organization_service(database, objects, settings.web)
        finally:
            await objects.aclose()


async def _print_key(work: Awaitable[str], name: str, as_json: bool) -> int:
    key = await work
    if as_json:
        console.out.print_json(json.dumps({"organization": name, "key": key}))
        return console.OK
    # The key alone goes to the output, so that `KEY=$(found-footy organization add NAME)` works.
    console.out.print(key, markup=False, highlight=False, soft_wrap=True)
    console.err.print(_ONCE, markup=False, highlight=False)
    return console.OK


async def _print_organizations(service: OrganizationService, default: Quota, as_json: bool) -> int:
    rows = []
    for one, use in await service.list_with_use():
        quota = one.resolve_quota(default)
        rows.append(
            {
                "organization": one.organization_id,
                "key": f"ffk_{one.key.key_id}_…",
                "created": f"{one.created_at:%Y-%m-%d %H:%M}",
                "images": f"{use.objects} of {quota.max_objects}",
                "size": f"{format_size(use.size)} of {format_size(quota.max_bytes)}",
                "state": "being removed" if one.removed_at else "",
            }
        )
    if as_json:
        console.out.print_json(json.dumps(rows, ensure_ascii=False))
        return console.OK
    table = Table("organization", "key", "created", "images", "size", "state", box=box.SIMPLE_HEAD, pad_edge=False)
    for row in rows:
        table.add_row(*row.values())
    console.out.print(table)
    return console.OK


async def _print_removal(work: Awaitable[RemovalReport], name: str) -> int:
    report = await work
    console.out.print(f"{name}: {report.objects} images deleted", markup=False, highlight=False)
    if report.open_until is None:
        return console.OK
    until = f"{report.open_until:%Y-%m-%d %H:%M:%S} UTC"
    console.err.print(
        f"Uploads that began before are possible until {until}. Run the command again after it to delete them too.",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )
    return console.FAILED
