"""The command line. One module per command; this one only gathers them and ends the process with its real code."""

import click
import typer

from found_footy.cli import config, console, demo, doctor, ingest, status, up, version, web, worker
from found_footy.platform.errors import FoundFootyError
from found_footy.platform.temporal import exit_process

app = typer.Typer(
    name="found-footy",
    help="Finds clips of every goal, proves which goal each shows, and keeps the best copy of each.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (demo, up, worker, web, ingest, status, doctor, config, version):
    app.command(name=command.__name__.rpartition(".")[2])(command.command)


def main() -> None:
    """Run the command named on the command line and exit with its code.

    The Temporal SDK can crash an interpreter that ends normally, so the process ends without its teardown.
    """
    exit_process(_exit_code())


def _exit_code() -> int:
    try:
        code = app(standalone_mode=False)
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except click.ClickException as wrong:
        wrong.show()
        return console.MISCONFIGURED
    except click.exceptions.Abort:
        return console.INTERRUPTED
    except FoundFootyError as error:
        return console.explain(error)
    return code if isinstance(code, int) else console.OK
