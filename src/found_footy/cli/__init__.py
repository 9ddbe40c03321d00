"""The command line. One module per command; this one only gathers them and ends the process with its real code."""

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from importlib import import_module
from typing import Any, NoReturn

import typer

from found_footy.cli import console
from found_footy.platform.errors import FoundFootyError

COMMANDS = (
    "demo",
    "up",
    "worker",
    "web",
    "xsearch",
    "ingest",
    "aliases",
    "add-clip",
    "clip",
    "integrity",
    "status",
    "doctor",
    "setup",
    "config",
    "version",
)


def build(names: Sequence[str]) -> typer.Typer:
    app = typer.Typer(
        name="found-footy",
        help="Finds clips of every goal, proves which goal each shows, and keeps the best copy of each.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    # With a callback, an application of one command still expects that command's name.
    app.callback()(lambda: None)
    for name in names:
        module = import_module(f"found_footy.cli.{name.replace('-', '_')}")
        if hasattr(module, "COMMANDS"):
            app.add_typer(_group(module.COMMANDS, module.HELP), name=name)
        else:
            app.command(name=name)(_exiting(module.command))
    return app


def _group(commands: Mapping[str, Callable[..., int]], description: str) -> typer.Typer:
    """A command that has commands of its own."""
    group = typer.Typer(help=description, no_args_is_help=True)
    for name, command in commands.items():
        group.command(name=name)(_exiting(command))
    return group


def _exiting(command: Callable[..., int]) -> Callable[..., None]:
    """`command` with its result as the exit code."""

    @wraps(command)
    def run(*args: Any, **options: Any) -> None:
        try:
            code = command(*args, **options)
        except FoundFootyError as error:
            code = console.explain(error)
        raise typer.Exit(code)

    return run


def main() -> None:
    """Run the command named on the command line and exit with its code."""
    # Only the module of that command is loaded: some of them need a second of imports, `version` needs none.
    named = next((word for word in sys.argv[1:] if not word.startswith("-")), "")
    _leave(_run(build([named] if named in COMMANDS else COMMANDS)))


def _leave(code: int) -> NoReturn:
    """The Temporal SDK can crash an interpreter that ends normally; where it was loaded, there is no teardown."""
    if "temporalio" in sys.modules:
        import_module("found_footy.platform.temporal").exit_process(code)
    sys.exit(code)


def _run(app: typer.Typer) -> int:
    try:
        app()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else console.FAILED
    return console.OK
