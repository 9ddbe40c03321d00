"""`found-footy add-clip`"""

import getpass
from typing import Annotated

import typer

from found_footy import app
from found_footy.archive.moderation.audit_log import AuditLog
from found_footy.audited_clips import AuditedManualClips
from found_footy.cli import console
from found_footy.manual_clips_factory import open_manual_clips
from found_footy.platform.clock import utc_now
from found_footy.settings import Settings, load_settings


def command(
    event_id: Annotated[str, typer.Argument(help="The goal, by its id; the page and `status` show it.")],
    url: Annotated[str, typer.Argument(help="A post on X or Bluesky, or an MP4 file at one of the video hosts.")],
    by: Annotated[str, typer.Option(help="Who adds it; by default the user of this machine.")] = "",
) -> int:
    """Add a clip by hand: it is fetched, checked and ranked like any other. A post with several videos adds each."""
    settings = load_settings().settings
    return console.run_coroutine(lambda: add_clip(settings, event_id, url, by or getpass.getuser()))


async def add_clip(settings: Settings, event_id: str, url: str, by: str) -> int:
    async with app.open_app(settings) as opened, open_manual_clips(opened) as manual:
        added = await AuditedManualClips(manual, AuditLog(opened.database)).add(event_id, url, utc_now(), by)
    how = "is being fetched already" if added.already_running else "will be fetched"
    for video in added.videos:
        console.out.print(f"{video.url} {how} ({added.download_id}).", highlight=False, markup=False, soft_wrap=True)
    return console.OK
