"""Settings: the types that values are written in, loading with origins, and the groups that the platform itself needs.

No module imports a settings object: the composition root loads one and hands each part what it needs.
"""

from collections.abc import Iterable
from datetime import timedelta
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, SecretStr

from found_footy.platform.addresses import HostPort, HttpUrl, MongoUri, NatsUrl, concealed, without_credentials
from found_footy.platform.environment import (
    PREFIX,
    Env,
    Fallback,
    Loaded,
    Origin,
    Shown,
    given,
    load,
    shown_value,
    variables,
)
from found_footy.platform.units import Bytes, Duration, format_bytes, format_duration, parse_bytes, parse_duration

__all__ = [
    "PREFIX", "Bytes", "Duration", "Env", "Fallback", "Group", "HostPort", "HttpUrl", "Loaded", "LogSettings",
    "MetricsSettings", "MongoSettings", "MongoUri", "NatsUrl", "ObjectSettings", "Origin", "QueueSettings", "Shown",
    "TemporalSettings", "concealed", "format_bytes", "format_duration", "given", "load", "parse_bytes",
    "parse_duration", "shown_value", "variables", "without_credentials",
]  # fmt: skip


class Group(BaseModel):
    """A group of settings: frozen, refusing what it does not know, its fields described by their docstrings."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        """Without credentials in addresses: settings end up in tracebacks."""
        marks = {name: field.metadata for name, field in type(self).model_fields.items()}
        for name, value in super().__repr_args__():
            hides = [mark for mark in marks.get(name or "", ()) if isinstance(mark, Shown) and mark.conceals]
            yield name, hides[0].render(value) if hides else value


class MongoSettings(Group):
    uri: Annotated[MongoUri, Env("MONGODB_URI")] = "mongodb://127.0.0.1:27017/?directConnection=true"
    """Address of MongoDB, a replica set (one member is enough)."""

    database: Annotated[str, Env("MONGODB_DATABASE"), Field(pattern=r"^[A-Za-z0-9_-]{1,63}$")] = "found_footy"
    """Name of the database."""

    timeout: Duration = timedelta(seconds=10)
    """How long MongoDB may take to be found and to acknowledge a write."""


class TemporalSettings(Group):
    address: Annotated[HostPort, Env("TEMPORAL_ADDRESS")] = "127.0.0.1:7233"
    """Address of Temporal's front end."""

    namespace: Annotated[str, Env("TEMPORAL_NAMESPACE"), Field(min_length=2)] = "default"
    """Temporal namespace that everything runs in."""


class ObjectSettings(Group):
    endpoint: Annotated[HttpUrl, Env("S3_ENDPOINT")] = "http://127.0.0.1:8333"
    """Address of the S3-compatible object store."""

    access_key: Annotated[SecretStr, Env("S3_ACCESS_KEY")] = SecretStr("")
    """Access key of the object store."""

    secret_key: Annotated[SecretStr, Env("S3_SECRET_KEY")] = SecretStr("")
    """Secret key of the object store."""

    bucket: Annotated[str, Env("S3_BUCKET"), Field(pattern=r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$")] = "footy-videos"
    """Bucket that clips are kept in."""

    region: Annotated[str, Env("S3_REGION"), Field(min_length=1)] = "us-east-1"
    """Region of the bucket; compatible stores ignore it."""


class QueueSettings(Group):
    url: Annotated[NatsUrl, Env("NATS_URL")] = "nats://127.0.0.1:4222"
    """Address of NATS with JetStream."""


def _upper(value: object) -> object:
    return value.upper() if isinstance(value, str) else value


def _lower(value: object) -> object:
    return value.lower() if isinstance(value, str) else value


class LogSettings(Group):
    level: Annotated[Literal["DEBUG", "INFO", "WARNING", "ERROR"], BeforeValidator(_upper), Env("LOG_LEVEL")] = "INFO"
    """Least important level that is written."""

    format: Annotated[Literal["json", "pretty"], BeforeValidator(_lower), Env("LOG_FORMAT")] = "json"
    """json: one object per line, for machines; pretty: for people."""


class MetricsSettings(Group):
    host: Annotated[str, Field(min_length=1)] = "127.0.0.1"
    """Address that Prometheus figures are served on."""

    port: Annotated[int, Field(ge=0, le=65_535)] = 9464
    """Port that a worker serves Prometheus figures on, or the next free one above it; 0 serves none."""
