"""Where the platform is, for this process and for others that look for it."""

from dataclasses import asdict, dataclass, fields
from pathlib import Path

import platformdirs

from found_footy.embedded.files import read_json, write_json
from found_footy.embedded.processes import birth_of, is_same
from found_footy.platform.addresses import concealed
from found_footy.platform.errors import NotFound

_FILE = "endpoints.json"
_SECRET = frozenset({"s3_secret_key", "search_token"})


@dataclass(frozen=True)
class Endpoints:
    """Addresses and keys of the running platform. `nats_url`, `temporal_ui` and `search_url` are
    empty where there is none.
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

    def __repr__(self) -> str:
        """Without its secrets: endpoints end up in logs and tracebacks."""
        shown = {key: concealed(value) for key, value in asdict(self).items() if key not in _SECRET}
        return f"Endpoints({', '.join(f'{key}={value!r}' for key, value in shown.items())})"


def default_data_dir() -> Path:
    """Where a platform keeps its data unless told otherwise."""
    return Path(platformdirs.user_data_dir("found-footy"))


def publish(data_dir: Path, endpoints: Endpoints, pid: int) -> None:
    write_json(data_dir / _FILE, {"supervisor": {"pid": pid, "birth": birth_of(pid)}, "endpoints": asdict(endpoints)})


def withdraw(data_dir: Path) -> None:
    (data_dir / _FILE).unlink(missing_ok=True)


def find_running(data_dir: Path) -> Endpoints:
    """The endpoints of the platform that runs on `data_dir` now; NotFound if none does."""
    content = read_json(data_dir / _FILE)
    supervisor = content.get("supervisor", {})
    if not is_same(supervisor.get("pid", 0), supervisor.get("birth")):
        raise NotFound(f"no platform is running on {data_dir}; start it with `found-footy up`")
    known = {field.name for field in fields(Endpoints)}
    return Endpoints(**{key: value for key, value in content["endpoints"].items() if key in known})
