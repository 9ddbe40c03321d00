"""Addresses are checked when they are read, and shown without credentials."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from found_footy.platform.settings.addresses import (
    HostPort,
    HttpUrl,
    MongoUri,
    NatsUrl,
    host_and_port,
    redact_address,
    redact_credentials,
    split_host_port,
)

ACCEPTED = [
    (MongoUri, "mongodb://127.0.0.1:27017"),
    (MongoUri, "mongodb://user:p%40ss@a.example:27017,b.example:27018/footy?replicaSet=rs0"),
    (MongoUri, "mongodb+srv://cluster.example.net/footy"),
    (MongoUri, "mongodb://[::1]:27017"),
    (MongoUri, "mongodb://%2Ftmp%2Fmongodb-27017.sock"),
    (HostPort, "127.0.0.1:7233"),
    (HostPort, "temporal-frontend.temporal.svc:7233"),
    (HostPort, "[::1]:7233"),
    (HttpUrl, "http://127.0.0.1:8333"),
    (HttpUrl, "https://s3.eu-west-1.amazonaws.com"),
    (HttpUrl, "http://seaweedfs:8333/base"),
    (NatsUrl, "nats://127.0.0.1:4222"),
    (NatsUrl, "nats://a:4222,nats://b:4222"),
    (NatsUrl, "tls://user:secret@nats.example.org"),
]

REFUSED = [
    (MongoUri, "nonsense"),
    (MongoUri, "http://127.0.0.1:27017"),
    (MongoUri, "mongodb://"),
    (MongoUri, "mongodb://user:secret@"),
    (MongoUri, "mongodb://host:port"),
    (MongoUri, "mongodb://ho st:27017"),
    (MongoUri, "mongodb://a:27017,"),
    (MongoUri, "mongodb://a:99999"),
    (HostPort, "127.0.0.1"),
    (HostPort, "http://127.0.0.1:7233"),
    (HostPort, ":7233"),
    (HostPort, "host:0"),
    (HostPort, "host:70000"),
    (HostPort, "host:٣"),
    (HostPort, "::1:7233"),
    (HttpUrl, "127.0.0.1:8333"),
    (HttpUrl, "ftp://127.0.0.1"),
    (HttpUrl, "http://"),
    (HttpUrl, "http://[::1"),
    (HttpUrl, "http://bad host/"),
    (NatsUrl, "127.0.0.1:4222"),
    (NatsUrl, "nats://a:4222,b:4222"),
]


@pytest.mark.parametrize(("kind", "text"), ACCEPTED)
def test_addresses_of_the_right_shape_are_taken_as_they_are(kind: Any, text: str) -> None:
    assert TypeAdapter(kind).validate_python(text) == text


@pytest.mark.parametrize(("kind", "text"), REFUSED)
def test_anything_else_is_refused_with_an_example(kind: Any, text: str) -> None:
    with pytest.raises(ValidationError, match=r"accepted is|port must be"):
        TypeAdapter(kind).validate_python(text)


def test_a_trailing_slash_makes_no_difference_to_a_url() -> None:
    assert TypeAdapter(HttpUrl).validate_python("http://127.0.0.1:8333/") == "http://127.0.0.1:8333"


def test_host_and_port_come_apart() -> None:
    assert split_host_port("[::1]:7233") == ("[::1]", 7233)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("mongodb://user:hunter2@host/db", "mongodb://***@host/db"),
        ("mongodb://user:hun/ter2@host/db", "mongodb://***@host/db"),
        ("failed: nats://token@host:4222 (refused)", "failed: nats://***@host:4222 (refused)"),
        ("mongodb://user:hun@ter@2@host/db", "mongodb://***@host/db"),
        ("nats://to@ken@host:4222", "nats://***@host:4222"),
        (
            "no: mongodb://host/?tls=true&tlsCertificateKeyFilePassword=hunter2&w=1 (x)",
            "no: mongodb://host/?tls=true&tlsCertificateKeyFilePassword=***&w=1 (x)",
        ),
        (
            "mongodb://host:27017/?authMechanism=MONGODB-AWS&authMechanismProperties=AWS_SESSION_TOKEN:hunter2",
            "mongodb://host:27017/?authMechanism=MONGODB-AWS&authMechanismProperties=***",
        ),
        (
            "https://store.example/a.mp4?X-Amz-Date=1&X-Amz-Signature=hunter2#x",
            "https://store.example/a.mp4?X-Amz-Date=1&X-Amz-Signature=***",
        ),
        ("http://host/?a=1;api%5Fkey=hun;ter2", "http://host/?a=1;api%5Fkey=***"),
        ("mongodb://host:1/?password=hun@ter2", "mongodb://***"),
        ("mongodb://user:hun?ter=2@host/?tls=true", "mongodb://***"),
        ("https://x.com/@someone", "https://x.com/@someone"),
        ("https://x.com/search?q=goal&f=live", "https://x.com/search?q=goal&f=live"),
        ("plain text, a@b.example", "plain text, a@b.example"),
    ],
)
def test_credentials_of_urls_are_masked_in_any_text(text: str, shown: str) -> None:
    assert redact_credentials(text) == shown


_SECRET = st.text("abcdefghijklmnopqrstuvwxyz0123456789:/@?#%", min_size=1, max_size=20).map(lambda t: f"SECRET{t}")


_SCHEMES = st.sampled_from(["mongodb://", "nats://", "http://", "", "mongodb:/"])
_NAMES = st.sampled_from(
    [
        "tlsCertificateKeyFilePassword",
        "authMechanismProperties",
        "password",
        "passwd",
        "access_token",
        "X-Amz-Signature",
        "client_secret",
        "apiKey",
        "X-Amz-Credential",
        "p%61ssword",
    ]
)


@given(secret=_SECRET, scheme=_SCHEMES)
def test_however_malformed_an_address_is_its_credentials_are_not_shown(secret: str, scheme: str) -> None:
    assert "SECRET" not in redact_address(f"{scheme}user:{secret}@host.example:1/db")


@given(secret=_SECRET.map(lambda text: text.replace("&", "")), scheme=_SCHEMES, name=_NAMES, more=st.sampled_from("&;"))
def test_secrets_among_the_parameters_are_not_shown(secret: str, scheme: str, name: str, more: str) -> None:
    address = f"{scheme}host.example:1/db?tls=true{more}{name}={secret}&w=1"
    assert "SECRET" not in redact_address(address)
    if scheme.endswith("://"):
        assert "SECRET" not in redact_credentials(f"no answer from {address} (timed out)")


@given(secret=_SECRET, scheme=st.sampled_from(["mongodb://", "nats://", "http://"]))
def test_passwords_are_hidden_in_any_text_and_the_host_stays_where_it_is_clear(secret: str, scheme: str) -> None:
    shown = redact_credentials(f"no answer from {scheme}user:{secret}@host.example:1/db (timed out)")
    assert "SECRET" not in shown
    assert shown.endswith(" (timed out)")
    if "?" not in secret:
        assert f"{scheme}***@host.example:1/db" in shown


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("http://[::1]:8080", "[::1]:8080"),
        ("https://[2001:db8::1]/v1", "[2001:db8::1]:443"),
        ("http://user:x@vision.example/v1", "vision.example:80"),
        ("https://vision.example:8443", "vision.example:8443"),
    ],
)
def test_the_host_of_a_url(url: str, place: str) -> None:
    assert host_and_port(url) == place
