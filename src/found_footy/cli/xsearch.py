"""`found-footy xsearch`"""

from found_footy.cli import console
from found_footy.settings import load_settings
from found_footy.xsearch.server import run_server


def command() -> int:
    """Serve searches on X through a real browser that is logged in with your account (docs/x-search.md)."""
    settings = load_settings().settings
    console.start_logs(settings, "xsearch")
    run_server(settings.xsearch)
    return console.OK
