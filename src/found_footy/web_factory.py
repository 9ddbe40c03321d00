"""Builds the dependencies of the web process, from settings."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from functools import partial

from found_footy.app import AppContext
from found_footy.health import check_outside_systems, check_processes, check_uploads
from found_footy.notify_factory import build_notifications_page
from found_footy.platform import probes
from found_footy.platform.probes import ProbeResult
from found_footy.platform.temporal import failures as temporal_failures
from found_footy.platform.version import build_info
from found_footy.server_probes import probe_servers
from found_footy.source_health import SourceChecker
from found_footy.uploads_factory import UploadsContext, build_uploads_store
from found_footy.web.accounts.deps import AccessDeps
from found_footy.web.deps import AddClip, DependencyStatus, WebDeps
from found_footy.web.operator_deps import OperatorDeps
from found_footy.web.uploads.deps import UploadsDeps, build_uploads_deps
from found_footy.web.uploads.notification_deps import build_notification_deps

# With a probe's two steps, less than the page's timeout for all of them.
_PAGE_PROBE_TIMEOUT = timedelta(seconds=3)


def _server_dependency(found: ProbeResult) -> DependencyStatus:
    """Temporal is not required to show existing clips: while it is down, the page stays ready and reports it."""
    required = found.system != probes.TEMPORAL
    return DependencyStatus(found.system, found.ok, found.detail, found.remedy, required=required, vital=True)


def build_web_deps(
    app: AppContext,
    add_clip: AddClip | None = None,
    uploads: UploadsContext | None = None,
    access: AccessDeps | None = None,
) -> WebDeps:
    settings, sources = app.settings, SourceChecker(app.database)

    async def dependencies() -> Sequence[DependencyStatus]:
        servers, others, ours, images = await asyncio.gather(
            probe_servers(settings, _PAGE_PROBE_TIMEOUT),
            check_outside_systems(app, sources),
            check_processes(app),
            check_uploads(app),
        )
        return [*(_server_dependency(result) for result in servers), *ours, images, *others]

    return WebDeps(
        database=app.database,
        objects=app.objects,
        probes=dependencies,
        version=build_info().version,
        commit=build_info().commit,
        simulated=settings.simulated,
        attempts_wanted=settings.pace.attempts,
        settings=settings.web,
        add_clip=add_clip,
        uploads=_build_uploads_deps(app, uploads) if uploads else None,
        notifications=build_notification_deps(settings.uploads, uploads.notifications) if uploads else None,
        access=access or AccessDeps(settings.access),
        operator=OperatorDeps(
            partial(temporal_failures.list_failed_workflows, app.temporal),
            partial(temporal_failures.restart_workflow, app.temporal),
            build_notifications_page(settings, app.database),
        ),
    )


def _build_uploads_deps(app: AppContext, uploads: UploadsContext) -> UploadsDeps:
    settings = app.settings
    return build_uploads_deps(
        app.database,
        uploads.objects,
        build_uploads_store(settings, settings.web.store_url) if settings.web.store_url else uploads.objects,
        uploads.agents,
        uploads.publisher,
        uploads.dead_letters,
        settings.uploads,
        settings.web,
    )
