"""`found-footy web`"""

import asyncio
import logging

from found_footy import app, health
from found_footy.archive.audit import AuditLog
from found_footy.audited import AuditedClips
from found_footy.cli import connecting, console
from found_footy.platform import metrics
from found_footy.settings import Settings, load_settings
from found_footy.web.app import create_app
from found_footy.web.server import raise_open_files, serving

logger = logging.getLogger(__name__)


def command() -> int:
    """Serve the page, the API and the clips. Stops on Ctrl-C or SIGTERM."""
    settings = load_settings().settings
    console.start_logs(settings, "web")
    raise_open_files()
    return console.run(lambda: serve(settings))


async def serve(settings: Settings) -> int:
    figures = metrics.serve(settings.metrics.host, settings.web.metrics_port)
    try:
        async with connecting.opened() as opened, app.manual_clips(opened) as manual:
            clips = AuditedClips(manual, AuditLog(opened.database))
            async with serving(create_app(health.web_deps(opened, clips.add)), settings.web) as address:
                logger.info("serving on %s", address, extra={"action": "web_ready", "address": address})
                await asyncio.Event().wait()
    finally:
        if figures:
            figures.close()
    return console.OK
