"""`found-footy web`"""

import asyncio
from contextlib import AsyncExitStack

from found_footy import app, health
from found_footy.archive.moderation.audit_log import AuditLog
from found_footy.audited_clips import AuditedManualClips
from found_footy.cli import app_connection, console
from found_footy.platform import metrics
from found_footy.platform.logs import ActionLogger
from found_footy.settings import Settings, load_settings
from found_footy.uploads_factory import UploadsContext, open_uploads
from found_footy.web.app import create_app
from found_footy.web.server import raise_open_file_limit, serve_app

logger = ActionLogger(__name__)


def command() -> int:
    """Serve the page, the API and the clips. Stops on Ctrl-C or SIGTERM."""
    settings = load_settings().settings
    console.start_logs(settings, "web")
    raise_open_file_limit()
    return console.run_coroutine(lambda: serve_web(settings))


async def serve_web(settings: Settings) -> int:
    figures = metrics.serve_metrics(settings.metrics.host, settings.web.metrics_port)
    try:
        async with AsyncExitStack() as stack:
            opened = await stack.enter_async_context(app_connection.open_app_when_ready())
            manual = await stack.enter_async_context(app.open_manual_clips(opened))
            clips = AuditedManualClips(manual, AuditLog(opened.database))
            deps = health.build_web_deps(opened, clips.add, await _open_uploads(opened, stack))
            address = await stack.enter_async_context(serve_app(create_app(deps), settings.web))
            logger.info("serving on %s", address, action="web_ready", address=address)
            await asyncio.Event().wait()
    finally:
        if figures:
            figures.close()
    return console.OK


async def _open_uploads(opened: app.AppContext, stack: AsyncExitStack) -> UploadsContext | None:
    if not opened.settings.uploads.enabled:
        return None
    return await stack.enter_async_context(open_uploads(opened.settings, opened.database, opened.temporal))
