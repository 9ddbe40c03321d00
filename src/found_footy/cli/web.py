"""`found-footy web`"""

import asyncio
from contextlib import AsyncExitStack
from typing import Annotated

import typer

from found_footy import app
from found_footy.access_factory import build_access_deps
from found_footy.archive.moderation.audit_log import AuditLog
from found_footy.audited_clips import AuditedManualClips
from found_footy.cli import app_connection, console
from found_footy.cli.admin_link import print_first_admin_link
from found_footy.manual_clips_factory import open_manual_clips
from found_footy.platform import metrics
from found_footy.platform.logs import ActionLogger
from found_footy.platform.temporal.metrics import build_sdk_runtime
from found_footy.platform.tracing import trace_process
from found_footy.settings import Settings, load_settings
from found_footy.uploads_factory import UploadsContext, open_uploads
from found_footy.web.app import create_app
from found_footy.web.server import raise_open_file_limit, serve_app
from found_footy.web_factory import build_web_deps

logger = ActionLogger(__name__)


def command(
    admin_link: Annotated[
        bool, typer.Option(hidden=True, help="Print the link that makes the first admin, if there are no users.")
    ] = True,
) -> int:
    """Serve the page, the API and the clips. Stops on Ctrl-C or SIGTERM."""
    settings = load_settings().settings
    console.start_logs(settings, "web")
    raise_open_file_limit()
    return console.run_coroutine(lambda: serve_web(settings, prints_link=admin_link))


async def serve_web(settings: Settings, *, prints_link: bool = False) -> int:
    figures = metrics.serve_metrics(settings.metrics.host, settings.web.metrics_port)
    try:
        async with AsyncExitStack() as stack:
            runtime = build_sdk_runtime(with_metrics=bool(figures))
            interceptors = stack.enter_context(trace_process(settings.tracing, "web"))
            opened = await stack.enter_async_context(
                app_connection.open_app_when_ready(runtime, interceptors=interceptors)
            )
            manual = await stack.enter_async_context(open_manual_clips(opened))
            clips = AuditedManualClips(manual, AuditLog(opened.database))
            access = build_access_deps(settings, stack)
            deps = build_web_deps(opened, clips.add, await _open_uploads(opened, stack), access)
            address = await stack.enter_async_context(serve_app(create_app(deps), settings.web))
            logger.info("serving on %s", address, action="web_ready", address=address)
            if prints_link:
                await print_first_admin_link(settings, opened.database, address)
            await asyncio.Event().wait()
    finally:
        if figures:
            figures.close()
    return console.OK


async def _open_uploads(opened: app.AppContext, stack: AsyncExitStack) -> UploadsContext | None:
    if not opened.settings.uploads.enabled:
        return None
    return await stack.enter_async_context(open_uploads(opened.settings, opened.database, opened.temporal))
