"""Setting types, and the settings groups that the platform itself needs.

No module imports a settings object: the composition root loads one and passes each part what it needs.
"""

from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SecretStr, model_validator

from found_footy.platform.settings.addresses import (
    HostPort,
    HttpUrl,
    MongoUri,
    NatsUrl,
    redact_address,
    redact_credentials,
)
from found_footy.platform.settings.environment import (
    ENV_PREFIX,
    DisplayFormat,
    EnvVariable,
    FallbackValue,
    LoadedSettings,
    ResolvedSetting,
    display_value,
    list_variables,
    load_from_environment,
    read_given_values,
    variables_of_groups,
)
from found_footy.platform.settings.units import (
    Bytes,
    Duration,
    format_bytes,
    format_duration,
    parse_bytes,
    parse_duration,
)
from found_footy.platform.temporal import access as temporal_access

__all__ = [
    "ENV_PREFIX",
    "Bytes",
    "DiskSettings",
    "DisplayFormat",
    "Duration",
    "EnvVariable",
    "FallbackValue",
    "HostPort",
    "HttpUrl",
    "LoadedSettings",
    "LogSettings",
    "MetricsSettings",
    "MongoSettings",
    "MongoUri",
    "NatsSettings",
    "NatsUrl",
    "ObjectStoreSettings",
    "ResolvedSetting",
    "SettingsGroup",
    "TemporalSettings",
    "display_value",
    "format_bytes",
    "format_duration",
    "list_variables",
    "load_from_environment",
    "parse_bytes",
    "parse_duration",
    "read_given_values",
    "redact_address",
    "redact_credentials",
    "variables_of_groups",
]


class SettingsGroup(BaseModel):
    """A group of settings: frozen, rejects unknown fields; docstrings of the fields are their descriptions."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        """Without credentials in addresses: settings appear in tracebacks."""
        marks = {name: field.metadata for name, field in type(self).model_fields.items()}
        for name, value in super().__repr_args__():
            hides = [mark for mark in marks.get(name or "", ()) if isinstance(mark, DisplayFormat) and mark.redacts]
            yield name, hides[0].render(value) if hides else value


class MongoSettings(SettingsGroup):
    uri: Annotated[MongoUri, EnvVariable("MONGODB_URI")] = "mongodb://127.0.0.1:27017/?directConnection=true"
    """Address of MongoDB, a replica set (one member is enough)."""

    database: Annotated[str, EnvVariable("MONGODB_DATABASE"), Field(pattern=r"^[A-Za-z0-9_-]{1,63}$")] = "found_footy"
    """Name of the database."""

    timeout: Duration = timedelta(seconds=10)
    """Timeout of connecting to MongoDB and of an acknowledged write."""


class TemporalSettings(SettingsGroup):
    address: Annotated[HostPort, EnvVariable("TEMPORAL_ADDRESS")] = "127.0.0.1:7233"
    """Address of Temporal's front end."""

    namespace: Annotated[str, EnvVariable("TEMPORAL_NAMESPACE"), Field(min_length=2)] = "default"
    """Temporal namespace of all workflows."""

    page: bool = False
    """Let the embedded Temporal serve its web UI; it requires no password and can start and terminate workflows."""

    tls: Annotated[bool | None, EnvVariable(temporal_access.TLS_VARIABLE)] = None
    """Encrypt the connection to Temporal; by default if a certificate, a server name or an API key is set."""

    tls_server_ca: Annotated[Path | None, EnvVariable(temporal_access.SERVER_CA_VARIABLE)] = None
    """PEM file of the CA that signed Temporal's certificate; by default the public CAs."""

    tls_client_cert: Annotated[Path | None, EnvVariable(temporal_access.CLIENT_CERT_VARIABLE)] = None
    """PEM file of the client certificate."""

    tls_client_key: Annotated[Path | None, EnvVariable(temporal_access.CLIENT_KEY_VARIABLE)] = None
    """PEM file of the private key of the client certificate."""

    tls_server_name: Annotated[str | None, EnvVariable(temporal_access.SERVER_NAME_VARIABLE), Field(min_length=1)] = (
        None
    )
    """Server name in Temporal's certificate, if it differs from the host of its address."""

    api_key: Annotated[SecretStr, EnvVariable(temporal_access.API_KEY_VARIABLE)] = SecretStr("")
    """API key, as issued by Temporal Cloud."""

    @model_validator(mode="after")
    def _check_tls_fields(self) -> Self:
        if (self.tls_client_cert is None) != (self.tls_client_key is None):
            raise ValueError(
                f"{temporal_access.CLIENT_CERT_VARIABLE} and {temporal_access.CLIENT_KEY_VARIABLE} must be set together"
            )
        if self.tls is False and self._needs_tls:
            raise ValueError(
                f"{temporal_access.TLS_VARIABLE} is off, but certificates and API keys need an encrypted connection"
            )
        return self

    @property
    def _needs_tls(self) -> bool:
        named = (self.tls_server_ca, self.tls_client_cert, self.tls_server_name, self.api_key.get_secret_value())
        return any(named)

    @property
    def access(self) -> temporal_access.TemporalAccess:
        return temporal_access.TemporalAccess(
            tls=self.tls or self._needs_tls,
            server_ca=self.tls_server_ca,
            client_cert=self.tls_client_cert,
            client_key=self.tls_client_key,
            server_name=self.tls_server_name,
            api_key=self.api_key.get_secret_value(),
        )


class ObjectStoreSettings(SettingsGroup):
    endpoint: Annotated[HttpUrl, EnvVariable("S3_ENDPOINT")] = "http://127.0.0.1:8333"
    """Address of the S3-compatible object store."""

    access_key: Annotated[SecretStr, EnvVariable("S3_ACCESS_KEY")] = SecretStr("")
    """Access key of the object store."""

    secret_key: Annotated[SecretStr, EnvVariable("S3_SECRET_KEY")] = SecretStr("")
    """Secret key of the object store."""

    bucket: Annotated[str, EnvVariable("S3_BUCKET"), Field(pattern=r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$")] = (
        "footy-videos"
    )
    """Bucket of the clips."""

    region: Annotated[str, EnvVariable("S3_REGION"), Field(min_length=1)] = "us-east-1"
    """Region of the bucket; S3-compatible stores ignore it."""


class DiskSettings(SettingsGroup):
    floor: Bytes = 2 * 10**9
    """Free space below which downloads pause, on each disk that this machine writes to."""

    floor_share: Annotated[float, Field(ge=0, le=0.25)] = 0.05
    """The same as a share of the disk; the larger of the two counts, and never more than a quarter of the disk."""


class NatsSettings(SettingsGroup):
    url: Annotated[NatsUrl, EnvVariable("NATS_URL")] = "nats://127.0.0.1:4222"
    """Address of NATS with JetStream; those of a cluster with commas between."""

    replicas: Annotated[int, Field(ge=1, le=5)] = 1
    """Servers of a NATS cluster that store each message. With 3, one may be lost and nothing stops."""


def _to_upper(value: object) -> object:
    return value.upper() if isinstance(value, str) else value


def _to_lower(value: object) -> object:
    return value.lower() if isinstance(value, str) else value


class LogSettings(SettingsGroup):
    level: Annotated[
        Literal["DEBUG", "INFO", "WARNING", "ERROR"], BeforeValidator(_to_upper), EnvVariable("LOG_LEVEL")
    ] = "INFO"
    """Lowest log level that is written."""

    format: Annotated[Literal["json", "pretty"], BeforeValidator(_to_lower), EnvVariable("LOG_FORMAT")] = "json"
    """json: one object per line, for machines; pretty: for people."""


class MetricsSettings(SettingsGroup):
    host: Annotated[str, Field(min_length=1)] = "127.0.0.1"
    """Address that Prometheus metrics are served on."""

    port: Annotated[int, Field(ge=0, le=65_535)] = 9464
    """Port that a worker serves Prometheus metrics on, or the next free one above it; 0: none."""


class TracingSettings(SettingsGroup):
    endpoint: HttpUrl | None = None
    """Address of an OpenTelemetry receiver (OTLP over HTTP) that traces are sent to, such as http://127.0.0.1:4318; if
    it is not set, there are no traces."""

    share: Annotated[float, Field(ge=0, le=1)] = 1.0
    """Share of the traces that are sent; a trace is sent as a whole or not at all."""
