"""How a Temporal elsewhere is reached: encrypted or not, and as whom. Files are read when a connection is made."""

from dataclasses import dataclass, field
from pathlib import Path

from found_footy.platform.errors import ConfigError

TLS = "TEMPORAL_TLS"
SERVER_CA = "TEMPORAL_TLS_SERVER_CA_CERT_PATH"
CLIENT_CERT = "TEMPORAL_TLS_CLIENT_CERT_PATH"
CLIENT_KEY = "TEMPORAL_TLS_CLIENT_KEY_PATH"
SERVER_NAME = "TEMPORAL_TLS_SERVER_NAME"
API_KEY = "TEMPORAL_API_KEY"
_LARGEST_FILE = 2**20


@dataclass(frozen=True)
class Certificates:
    """The contents of PEM files, None for those that are not named."""

    server_ca: bytes | None
    client_cert: bytes | None
    client_key: bytes | None


@dataclass(frozen=True)
class TemporalAccess:
    """Plain text and no credentials unless told otherwise, which is what the embedded server takes."""

    tls: bool = False
    server_ca: Path | None = None
    client_cert: Path | None = None
    client_key: Path | None = None
    server_name: str | None = None
    api_key: str = field(default="", repr=False)

    def certificates(self) -> Certificates:
        """ConfigError that names the setting of a file that cannot be read."""
        return Certificates(
            _content(SERVER_CA, self.server_ca),
            _content(CLIENT_CERT, self.client_cert),
            _content(CLIENT_KEY, self.client_key),
        )

    @property
    def advice(self) -> str:
        """Which settings to look at where the server does not let us in."""
        if not self.tls:
            return f"{TLS} is off"
        chosen = {
            SERVER_CA: self.server_ca, SERVER_NAME: self.server_name, CLIENT_CERT: self.client_cert,
            API_KEY: self.api_key,
        }  # fmt: skip
        said = {True: "set", False: "not set"}
        return ", ".join(f"{name} is {said[bool(value)]}" for name, value in chosen.items())


PLAIN = TemporalAccess()


def _content(variable: str, place: Path | None) -> bytes | None:
    if place is None:
        return None
    try:
        with place.open("rb") as file:
            content = file.read(_LARGEST_FILE)
    except OSError as error:
        raise ConfigError(f"{variable}={place}: cannot be read ({error.strerror})") from error
    if b"-----BEGIN " not in content:
        raise ConfigError(f"{variable}={place}: is not a PEM file")
    return content
