"""`found-footy worker`"""

from typing import Annotated

import typer

from found_footy import worker as serving
from found_footy.cli import connecting, console
from found_footy.platform import confinement, metrics
from found_footy.platform.files import private_if_ours
from found_footy.platform.logs import ActionLogger
from found_footy.platform.media import share_memory
from found_footy.platform.temporal_metrics import worker_runtime
from found_footy.settings import Settings, load_settings
from found_footy.worker import Role

log = ActionLogger(__name__)


def command(
    role: Annotated[Role, typer.Option(help="Which task queues to serve.")] = Role.ALL,
) -> int:
    """Run the workflows: poll fixtures, search, download, archive. Stops on Ctrl-C or SIGTERM."""
    settings = load_settings().settings
    console.start_logs(settings, "worker")
    return console.run(lambda: serve(settings, role))


def tell_about_decoders(walls: confinement.Walls) -> None:
    """Once, at the start: what a file from a stranger could do here that it cannot do elsewhere."""
    detail, remedy = confinement.told(walls)
    if remedy:
        log.warning("decoder: %s; %s", detail, remedy, action="decoder_exposed", detail=detail, remedy=remedy)


async def serve(settings: Settings, role: Role) -> int:
    private_if_ours(settings.data_dir)  # downloads lie in it
    tell_about_decoders(confinement.walls())
    share_memory(settings.clips.decoder_memory)
    figures = metrics.serve(settings.metrics.host, settings.metrics.port)
    try:
        async with connecting.opened(worker_runtime(measured=bool(figures))) as opened:
            await serving.run(opened, role)
    finally:
        if figures:
            figures.close()
    return console.OK
