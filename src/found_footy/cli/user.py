"""`found-footy user …`: people who may sign in. Exit code 0: done; 1: not done; 2: settings."""

import getpass
import json
import sys
from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated

import typer
from rich import box
from rich.table import Table

from found_footy.access.accounts import AccessStores, AccountService
from found_footy.access.levels import Role
from found_footy.access_factory import open_accounts
from found_footy.cli import console
from found_footy.platform.errors import BadInput
from found_footy.settings import load_settings

HELP = "Manage the users who may sign in on the page, and their roles."

NameArgument = Annotated[str, typer.Argument(help="The user's name.")]
RoleArgument = Annotated[Role, typer.Argument(help="viewer, curator or admin.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
StdinOption = Annotated[bool, typer.Option("--password-stdin", help="Read the password from standard input.")]


def add(
    name: NameArgument,
    role: Annotated[Role, typer.Option(help="viewer, curator or admin.")] = Role.VIEWER,
    password_stdin: StdinOption = False,
) -> int:
    """Add a user. The password is asked for; it is never an argument, which other users of the machine could see."""
    password = read_password(password_stdin)

    async def run(_: AccessStores, accounts: AccountService) -> int:
        user = await accounts.add_user(getpass.getuser(), name, role, password)
        return _say(f"Added {user.name} as {user.role}.")

    return run_on_accounts(run)


def list_users(as_json: JsonOption = False) -> int:
    """Show the users and their roles."""

    async def run(stores: AccessStores, _: AccountService) -> int:
        users = await stores.users.list_all()
        if as_json:
            rows = [{"name": one.name, "role": one.role, "created_at": one.created_at.isoformat()} for one in users]
            console.out.print_json(json.dumps(rows))
            return console.OK
        table = Table("name", "role", "since", "signs in", box=box.SIMPLE_HEAD, pad_edge=False)
        for one in users:
            way = "identity provider" if one.is_external else "password" if one.password_hash else "not yet"
            table.add_row(one.name, one.role.value, f"{one.created_at:%Y-%m-%d %H:%M}", way)
        console.out.print(table)
        return console.OK

    return run_on_accounts(run)


def set_role(name: NameArgument, role: RoleArgument) -> int:
    """Give a user another role. They are signed out everywhere."""

    async def run(_: AccessStores, accounts: AccountService) -> int:
        changed = await accounts.set_role(getpass.getuser(), name, role)
        return _say(f"{name} is {role} now and signed out everywhere." if changed else f"{name} is {role} already.")

    return run_on_accounts(run)


def set_password(name: NameArgument, password_stdin: StdinOption = False) -> int:
    """Set a user's password. They are signed out everywhere."""
    password = read_password(password_stdin)

    async def run(_: AccessStores, accounts: AccountService) -> int:
        await accounts.set_password(getpass.getuser(), name, password)
        return _say(f"{name} has a new password and is signed out everywhere.")

    return run_on_accounts(run)


def remove(name: NameArgument, yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False) -> int:
    """Remove a user, with all sessions and API keys."""
    if not yes:
        typer.confirm(f"Remove {name} with all sessions and API keys?", abort=True)

    async def run(_: AccessStores, accounts: AccountService) -> int:
        await accounts.remove_user(getpass.getuser(), name)
        return _say(f"Removed {name}.")

    return run_on_accounts(run)


COMMANDS: Mapping[str, Callable[..., int]] = {
    "add": add,
    "list": list_users,
    "role": set_role,
    "password": set_password,
    "remove": remove,
}


def read_password(from_stdin: bool) -> str:
    """Ask twice at a terminal, else read one line."""
    if from_stdin or not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    password = getpass.getpass("Password: ")
    if getpass.getpass("Again: ") != password:
        raise BadInput("the two passwords are not the same")
    return password


def run_on_accounts(act: Callable[[AccessStores, AccountService], Awaitable[int]]) -> int:
    settings = load_settings().settings

    async def run() -> int:
        async with open_accounts(settings) as (stores, accounts):
            return await act(stores, accounts)

    return console.run_coroutine(run)


def _say(words: str) -> int:
    console.out.print(words, markup=False, highlight=False, soft_wrap=True)
    return console.OK
