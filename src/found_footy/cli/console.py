"""Shared by all commands: output, exit codes, error messages."""

import asyncio
import signal
import sys
import unicodedata
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from rich.console import Console
from rich.text import Text

from found_footy.platform.errors import ConfigError, FoundFootyError
from found_footy.platform.logs import ActionLogger, configure_logging

# Not at run time: building the settings takes longer than a command that needs none, such as `version`.
if TYPE_CHECKING:
    from found_footy.settings import Settings

out = Console()
err = Console(stderr=True)

T = TypeVar("T")

logger = ActionLogger(__name__)

OK = 0
FAILED = 1
MISCONFIGURED = 2
INTERRUPTED = 130


def explain_error(error: FoundFootyError) -> int:
    """Print `error`, one line per problem, and return its exit code."""
    for line in str(error).splitlines():
        err.print(f"found-footy: {line}", style="red", markup=False, highlight=False, soft_wrap=True)
    return MISCONFIGURED if isinstance(error, ConfigError) else FAILED


def to_plain_text(text: str) -> Text:
    """Text from outside, for a terminal: control characters are replaced, and brackets are no markup."""
    return Text("".join("\ufffd" if unicodedata.category(one) == "Cc" and one not in "\n\t" else one for one in text))


def start_logs(settings: "Settings", process: str, level: str = "") -> None:
    """Configure logging; the first call of a long-running process. In a simulated world the log says so at the top."""
    configure_logging(level or settings.log.level, settings.log.format, process)
    if settings.simulated:
        logger.warning("the outside world is simulated", action="simulated")


def run_coroutine(main: Callable[[], Awaitable[int]]) -> int:
    """Run a command's coroutine to its exit code. Ctrl-C and SIGTERM cancel it, so that it releases its resources."""

    async def cancellable() -> int:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        if task is None:
            raise RuntimeError("a command must run inside an asyncio task")
        for name in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(name, task.cancel)
        return await main()

    try:
        return asyncio.run(cancellable())
    except FoundFootyError as error:
        return explain_error(error)
    except asyncio.CancelledError:
        return INTERRUPTED


def is_interactive() -> bool:
    return sys.stdout.isatty()
