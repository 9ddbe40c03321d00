"""`found-footy key …`: API keys of users. Exit code 0: done; 1: not done; 2: settings."""

import getpass
import json
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Annotated

import typer
from rich import box
from rich.table import Table

from found_footy.access.accounts import AccessStores, AccountService
from found_footy.access.levels import KeyScope
from found_footy.cli import console
from found_footy.cli.user import run_on_accounts

HELP = "Manage the API keys with which programs use the API."
_COLUMNS = ("key_id", "user", "label", "scope", "created_at", "expires_at", "used_at")
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def add(
    user: Annotated[str, typer.Argument(help="The user whose key it is; it never opens more than that user may.")],
    label: Annotated[str, typer.Argument(help="What it is for.")],
    scope: Annotated[KeyScope, typer.Option(help="read, curate or admin.")] = KeyScope.READ,
    days: Annotated[int, typer.Option(min=0, max=3650, help="How long it is valid; 0: until it is revoked.")] = 90,
    as_json: JsonOption = False,
) -> int:
    """Make a key and print it. It is shown this once."""

    async def run(_: AccessStores, accounts: AccountService) -> int:
        owner = await accounts.require_user(user)
        lifetime = timedelta(days=days) if days else None
        key, described = await accounts.add_key(getpass.getuser(), owner, label, scope, lifetime)
        if as_json:
            console.out.print_json(json.dumps({"key": key, "key_id": described.key_id}))
        else:
            console.out.print(key, markup=False, highlight=False, soft_wrap=True)
            console.err.print("The key is shown this once; only its digest is stored.")
        return console.OK

    return run_on_accounts(run)


def list_keys(as_json: JsonOption = False) -> int:
    """Show the keys, not their secrets."""

    async def run(stores: AccessStores, _: AccountService) -> int:
        names = {user.user_id: user.name for user in await stores.users.list_all()}
        rows = [
            {
                "key_id": key.key_id,
                "user": names.get(key.user_id, ""),
                "label": key.label,
                "scope": key.scope.value,
                "created_at": key.created_at.isoformat(timespec="minutes"),
                "expires_at": key.expires_at.isoformat(timespec="minutes") if key.expires_at else "",
                "used_at": key.used_at.isoformat(timespec="minutes") if key.used_at else "",
            }
            for key in await stores.keys.list_keys()
        ]
        if as_json:
            console.out.print_json(json.dumps(rows))
            return console.OK
        table = Table(*_COLUMNS, box=box.SIMPLE_HEAD, pad_edge=False)
        for row in rows:
            table.add_row(*(row[column] for column in _COLUMNS))
        console.out.print(table)
        return console.OK

    return run_on_accounts(run)


def revoke(key_id: Annotated[str, typer.Argument(help="The key, by its id, which `key list` shows.")]) -> int:
    """Revoke a key: it opens nothing from now on."""

    async def run(_: AccessStores, accounts: AccountService) -> int:
        await accounts.revoke_key(getpass.getuser(), key_id)
        console.out.print(f"Revoked {key_id}.", markup=False, highlight=False)
        return console.OK

    return run_on_accounts(run)


COMMANDS: Mapping[str, Callable[..., int]] = {"add": add, "list": list_keys, "revoke": revoke}
