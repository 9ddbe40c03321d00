"""Addresses and keys of the running platform, for this process and for others that look for it."""

from dataclasses import asdict, dataclass, fields
from pathlib import Path

import platformdirs

from found_footy.embedded.files import read_json, write_json
from found_footy.embedded.processes import is_same_process, process_start_time
from found_footy.platform.errors import NotFound
from found_footy.platform.settings.addresses import redact_address

_ENDPOINTS_FILE = "endpoints.json"
_SECRET_FIELDS = frozenset({"s3_secret_key", "search_token", "notification_secret"})


@dataclass(frozen=True)
class PlatformEndpoints:
    """Addresses and keys of the running platform. `nats_url`, `temporal_ui` and `search_url` are empty where there is
    none. The embedded object store sends `notification_secret` with its notifications.
    """

    mongodb_uri: str
    temporal_address: str
    s3_endpoint: str
    s3_access_key: str
    s3_secret_key: str
    nats_url: str = ""
    temporal_ui: str = ""
    search_url: str = ""
    search_token: str = ""
    notification_secret: str = ""

    def __repr__(self) -> str:
        """Without secrets: endpoints appear in logs and tracebacks."""
        shown = {key: redact_address(value) for key, value in asdict(self).items() if key not in _SECRET_FIELDS}
        return f"PlatformEndpoints({', '.join(f'{key}={value!r}' for key, value in shown.items())})"


def default_data_dir() -> Path:
    """The data directory that is used unless another one is configured."""
    return Path(platformdirs.user_data_dir("found-footy"))


def publish_endpoints(data_dir: Path, endpoints: PlatformEndpoints, pid: int) -> None:
    write_json(
        data_dir / _ENDPOINTS_FILE,
        {"supervisor": {"pid": pid, "birth": process_start_time(pid)}, "endpoints": asdict(endpoints)},
    )


def withdraw_endpoints(data_dir: Path) -> None:
    (data_dir / _ENDPOINTS_FILE).unlink(missing_ok=True)


def find_running_endpoints(data_dir: Path) -> PlatformEndpoints:
    """Return the endpoints of the platform that runs on `data_dir`; raises NotFound if none does."""
    content = read_json(data_dir / _ENDPOINTS_FILE)
    supervisor = content.get("supervisor", {})
    if not is_same_process(supervisor.get("pid", 0), supervisor.get("birth")):
        raise NotFound(f"no platform is running on {data_dir}; start it with `found-footy up`")
    known = {field.name for field in fields(PlatformEndpoints)}
    return PlatformEndpoints(**{key: value for key, value in content["endpoints"].items() if key in known})
