"""TLS and credentials of a remote Temporal. Files are read when a connection is made."""

from dataclasses import dataclass, field
from pathlib import Path

from found_footy.platform.errors import ConfigError

TLS_VARIABLE = "TEMPORAL_TLS"
SERVER_CA_VARIABLE = "TEMPORAL_TLS_SERVER_CA_CERT_PATH"
CLIENT_CERT_VARIABLE = "TEMPORAL_TLS_CLIENT_CERT_PATH"
CLIENT_KEY_VARIABLE = "TEMPORAL_TLS_CLIENT_KEY_PATH"
SERVER_NAME_VARIABLE = "TEMPORAL_TLS_SERVER_NAME"
API_KEY_VARIABLE = "TEMPORAL_API_KEY"
_MAX_PEM_BYTES = 2**20


@dataclass(frozen=True)
class TemporalCertificates:
    """The contents of PEM files, None for those that are not set."""

    server_ca: bytes | None
    client_cert: bytes | None
    client_key: bytes | None


@dataclass(frozen=True)
class TemporalAccess:
    """By default plain text without credentials, which the embedded server accepts."""

    tls: bool = False
    server_ca: Path | None = None
    client_cert: Path | None = None
    client_key: Path | None = None
    server_name: str | None = None
    api_key: str = field(default="", repr=False)

    def read_certificates(self) -> TemporalCertificates:
        """Raises ConfigError that names the setting of an unreadable file."""
        return TemporalCertificates(
            _read_pem(SERVER_CA_VARIABLE, self.server_ca),
            _read_pem(CLIENT_CERT_VARIABLE, self.client_cert),
            _read_pem(CLIENT_KEY_VARIABLE, self.client_key),
        )

    @property
    def settings_hint(self) -> str:
        """Which settings to check if the server rejects us."""
        if not self.tls:
            return f"{TLS_VARIABLE} is off"
        chosen = {
            SERVER_CA_VARIABLE: self.server_ca,
            SERVER_NAME_VARIABLE: self.server_name,
            CLIENT_CERT_VARIABLE: self.client_cert,
            API_KEY_VARIABLE: self.api_key,
        }
        states = {True: "set", False: "not set"}
        return ", ".join(f"{name} is {states[bool(value)]}" for name, value in chosen.items())


PLAINTEXT_ACCESS = TemporalAccess()


def _read_pem(variable: str, place: Path | None) -> bytes | None:
    if place is None:
        return None
    try:
        with place.open("rb") as file:
            content = file.read(_MAX_PEM_BYTES)
    except OSError as error:
        raise ConfigError(f"{variable}={place}: cannot be read ({error.strerror})") from error
    if b"-----BEGIN " not in content:
        raise ConfigError(f"{variable}={place}: is not a PEM file")
    return content
