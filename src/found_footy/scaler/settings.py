"""Settings of the scaler."""

from datetime import timedelta
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from found_footy.platform.settings.addresses import HttpUrl
from found_footy.platform.settings.groups import Duration, SettingsGroup
from found_footy.scaler.decision import ScalingRules

InstanceCount = Annotated[int, Field(ge=1, le=64)]
Threshold = Annotated[float, Field(gt=0, le=10_000)]
ScaledRole = Literal["all", "main", "media", "vision"]
ServiceName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$")]


class ScalerSettings(SettingsGroup):
    driver: Literal["none", "local", "docker"] = "none"
    """Who starts and stops instances. none: nobody, as with KEDA on Kubernetes; local: processes on this machine;
    docker: containers that compose has created."""

    min_instances: InstanceCount = 2
    """Fewest instances of each kind; with the driver local, fewer where the machine has fewer cores."""

    max_instances: InstanceCount = 8
    """Most instances of each kind; with the driver local, no more than the machine has cores."""

    up_threshold: Threshold = 5
    """More pending tasks per worker, or active goals per searcher, than this start further instances."""

    down_threshold: Threshold = 2
    """Fewer pending tasks per worker, or active goals per searcher, than this stop an instance."""

    check_interval: Duration = timedelta(seconds=30)
    """How often the load is measured."""

    cooldown: Duration = timedelta(seconds=60)
    """Shortest time between two changes, and how long the load must have been low before an instance is stopped."""

    roles: Annotated[tuple[ScaledRole, ...], Field(min_length=1)] = ("all",)
    """Roles of the workers, each scaled by the backlog of its own task queues."""

    docker_url: HttpUrl | None = None
    """Address of a proxy of Docker's API that allows only listing, starting and stopping containers."""

    docker_project: ServiceName = "found-footy"
    """Name of the compose project whose containers are started and stopped."""

    docker_worker_service: ServiceName = "worker"
    """Name of the compose service of the workers; those of a role other than all have its name after a hyphen."""

    docker_search_service: ServiceName = "search"
    """Name of the compose service of the searchers."""

    @model_validator(mode="after")
    def _require_stable_rules(self) -> Self:
        """With a smaller distance, starting an instance could by itself make the load low enough to stop it."""
        if self.up_threshold < 2 * self.down_threshold:
            raise ValueError("the threshold for starting must be at least twice the one for stopping")
        if self.min_instances > self.max_instances:
            raise ValueError("the smallest number of instances is larger than the largest")
        if self.driver == "docker" and self.docker_url is None:
            raise ValueError("the driver docker needs the address of a proxy of Docker's API (docker_url)")
        return self

    @property
    def rules(self) -> ScalingRules:
        return ScalingRules(
            self.min_instances,
            self.max_instances,
            self.up_threshold,
            self.down_threshold,
            self.check_interval,
            self.cooldown,
        )
