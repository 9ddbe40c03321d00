"""The command line: one module per command. This module registers them and exits with the command's exit code.

Other packages add commands through the entry point group `found_footy.commands`; the simulator adds `demo` that way.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from importlib import import_module
from importlib.metadata import entry_points
from types import ModuleType
from typing import Any, NoReturn

import typer

from found_footy.cli import console
from found_footy.platform.errors import FoundFootyError

COMMANDS = (
    "up",
    "worker",
    "web",
    "scaler",
    "rollout",
    "replay",
    "xsearch",
    "ingest",
    "aliases",
    "add-clip",
    "clip",
    "organization",
    "uploads",
    "notify",
    "user",
    "key",
    "audit",
    "integrity",
    "backup",
    "restore",
    "retention",
    "status",
    "doctor",
    "setup",
    "config",
    "version",
)


_ENTRY_POINT_GROUP = "found_footy.commands"


def list_commands() -> list[str]:
    """List the commands of this package and of other installed packages."""
    return [*sorted(entry.name for entry in entry_points(group=_ENTRY_POINT_GROUP)), *COMMANDS]


def _load_command(name: str) -> ModuleType:
    if name in COMMANDS:
        return import_module(f"found_footy.cli.{name.replace('-', '_')}")
    (entry,) = entry_points(group=_ENTRY_POINT_GROUP, name=name)
    module: ModuleType = entry.load()
    return module


def build_app(names: Sequence[str]) -> typer.Typer:
    app = typer.Typer(
        name="found-footy",
        help="Finds clips of every goal, verifies which goal each one shows, and keeps the best copy of each.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    # With a callback, an application of one command still expects that command's name.
    app.callback()(lambda: None)
    for name in names:
        module = _load_command(name)
        if hasattr(module, "COMMANDS"):
            app.add_typer(_build_group(module.COMMANDS, module.HELP), name=name)
        else:
            app.command(name=name)(_exit_with_code(module.command))
    return app


def _build_group(commands: Mapping[str, Callable[..., int]], description: str) -> typer.Typer:
    """Build a command with subcommands."""
    group = typer.Typer(help=description, no_args_is_help=True)
    for name, command in commands.items():
        group.command(name=name)(_exit_with_code(command))
    return group


def _exit_with_code(command: Callable[..., int]) -> Callable[..., None]:
    """Wrap `command` so that its result becomes the exit code."""

    @wraps(command)
    def run(*args: Any, **options: Any) -> None:
        try:
            code = command(*args, **options)
        except FoundFootyError as error:
            code = console.explain_error(error)
        raise typer.Exit(code)

    return run


def main() -> None:
    """Run the command named on the command line and exit with its code."""
    # Import only the module of that command: some need a second of imports, `version` needs none.
    named = next((word for word in sys.argv[1:] if not word.startswith("-")), "")
    commands = list_commands()
    _exit_process(_run_app(build_app([named] if named in commands else commands)))


def _exit_process(code: int) -> NoReturn:
    """The Temporal SDK can crash an interpreter that exits normally; if it was imported, finalization is skipped."""
    if "temporalio" in sys.modules:
        import_module("found_footy.platform.temporal.client").exit_process(code)
    sys.exit(code)


def _run_app(app: typer.Typer) -> int:
    try:
        app()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else console.FAILED
    return console.OK
