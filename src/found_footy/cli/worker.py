"""`found-footy worker`"""

from typing import Annotated

import typer

from found_footy import worker as serving
from found_footy.cli import app_connection, console
from found_footy.platform import metrics
from found_footy.platform.files import ensure_private_dir_if_owned
from found_footy.platform.logs import ActionLogger
from found_footy.platform.media.probe import set_decoder_memory
from found_footy.platform.process import sandbox
from found_footy.platform.temporal.metrics import build_sdk_runtime
from found_footy.platform.tracing import trace_process
from found_footy.settings import Settings, load_settings
from found_footy.worker_roles import WorkerRole

logger = ActionLogger(__name__)


def command(
    role: Annotated[WorkerRole, typer.Option(help="Which task queues to poll.")] = WorkerRole.ALL,
) -> int:
    """Run the workflows: poll fixtures, search, download, archive. Stops on Ctrl-C or SIGTERM."""
    settings = load_settings().settings
    console.start_logs(settings, "worker")
    return console.run_coroutine(lambda: run_worker(settings, role))


def warn_of_exposed_decoder(walls: sandbox.SandboxSupport) -> None:
    """Log once at the start what a malicious file could do on this machine for lack of a sandbox mechanism."""
    detail, remedy = sandbox.describe_sandbox(walls)
    if remedy:
        logger.warning("decoder: %s; %s", detail, remedy, action="decoder_exposed", detail=detail, remedy=remedy)


async def run_worker(settings: Settings, role: WorkerRole) -> int:
    ensure_private_dir_if_owned(settings.data_dir)  # it holds downloads
    warn_of_exposed_decoder(sandbox.detect_sandbox_support())
    set_decoder_memory(settings.clips.decoder_memory)
    figures = metrics.serve_metrics(settings.metrics.host, settings.metrics.port)
    runtime = build_sdk_runtime(with_metrics=bool(figures))
    try:
        with trace_process(settings.tracing, "worker") as interceptors:
            async with app_connection.open_app_when_ready(runtime, interceptors=interceptors) as opened:
                await serving.run_worker(opened, role)
    finally:
        if figures:
            figures.close()
    return console.OK
