"""What tests of pages in a real browser share."""

from pathlib import Path

from playwright.async_api import ConsoleMessage

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def is_complaint(said: ConsoleMessage) -> bool:
    """A match that went away has no fragment, which the page expects and the browser remarks on."""
    return said.type == "error" and "/fragments/" not in said.location["url"]
