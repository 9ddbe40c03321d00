"""Worker versioning: several builds serve the same task queues, each the runs that began on it.

A worker with a deployment name is versioned. A run is pinned to the build that it began on, so its code never changes
under it; new runs begin on the deployment's current version, which an operator sets.
"""

from dataclasses import dataclass
from datetime import timedelta

from temporalio.api.workflowservice.v1 import (
    DescribeWorkerDeploymentRequest,
    SetWorkerDeploymentCurrentVersionRequest,
)
from temporalio.client import Client
from temporalio.common import VersioningBehavior, WorkerDeploymentVersion
from temporalio.service import RPCError, RPCStatusCode
from temporalio.worker import WorkerDeploymentConfig

from found_footy.platform.errors import Conflict, NotFound, Unavailable
from found_footy.platform.version import build_info

_CALL_TIMEOUT = timedelta(seconds=15)
_IDENTITY = "found-footy rollout"


@dataclass(frozen=True)
class DeploymentState:
    """The build that new runs begin on, empty for unversioned workers, and all builds that Temporal knows."""

    current: str
    builds: tuple[str, ...]


def default_build() -> str:
    """Return the build id of this installation. A build without a known commit shares its id with others of the same
    version: set FOOTY_COMMIT or FOOTY_WORKER__BUILD.
    """
    info = build_info()
    return f"{info.version}-{info.commit}"


def build_deployment(deployment: str, build: str) -> WorkerDeploymentConfig | None:
    """None for an unversioned worker."""
    if not deployment:
        return None
    return WorkerDeploymentConfig(
        WorkerDeploymentVersion(deployment, build or default_build()),
        use_worker_versioning=True,
        default_versioning_behavior=VersioningBehavior.PINNED,
    )


async def fetch_deployment(client: Client, deployment: str) -> DeploymentState:
    """Raises NotFound if no worker of the deployment has polled yet."""
    request = DescribeWorkerDeploymentRequest(namespace=client.namespace, deployment_name=deployment)
    try:
        answer = await client.workflow_service.describe_worker_deployment(request, timeout=_CALL_TIMEOUT)
    except RPCError as error:
        if error.status is RPCStatusCode.NOT_FOUND:
            raise NotFound(f"no worker of the deployment {deployment} has started yet") from error
        raise Unavailable("Temporal", f"worker deployment {deployment}: {error}") from error
    info = answer.worker_deployment_info
    builds = tuple(one.deployment_version.build_id for one in info.version_summaries)
    return DeploymentState(info.routing_config.current_deployment_version.build_id, builds)


async def make_current(client: Client, deployment: str, build: str) -> None:
    """Let new runs begin on `build`. Raises Conflict while its workers do not poll every task queue that the current
    build's do.
    """
    request = SetWorkerDeploymentCurrentVersionRequest(
        namespace=client.namespace, deployment_name=deployment, build_id=build, identity=_IDENTITY
    )
    try:
        await client.workflow_service.set_worker_deployment_current_version(request, timeout=_CALL_TIMEOUT)
    except RPCError as error:
        if error.status is RPCStatusCode.NOT_FOUND:
            raise NotFound(f"no worker of the deployment {deployment} has started yet") from error
        if error.status is RPCStatusCode.FAILED_PRECONDITION:
            raise Conflict(f"{build} cannot become the current build of {deployment}: {error.message}") from error
        raise Unavailable("Temporal", f"worker deployment {deployment}: {error}") from error
