"""Printing the link that makes the first admin."""

from found_footy.access_factory import make_first_admin_link
from found_footy.cli import console
from found_footy.platform.mongo import Database
from found_footy.settings import Settings


async def print_first_admin_link(settings: Settings, database: Database, address: str) -> None:
    """Print it to the terminal, not to the log: whoever opens it first becomes the admin."""
    link = await make_first_admin_link(settings, database, address)
    if link is None:
        return
    minutes = int(settings.access.link.total_seconds() // 60)
    console.out.print(
        f"There are no users yet. Make the first admin within {minutes} minutes (the link works once):",
        highlight=False,
        soft_wrap=True,
    )
    console.out.print(link, highlight=False, markup=False, soft_wrap=True)
