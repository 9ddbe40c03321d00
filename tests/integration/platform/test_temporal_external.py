"""A Temporal that is reached by TLS with certificates of both sides, as others run it on a network."""

import ssl
from dataclasses import dataclass
from pathlib import Path

import pytest

from found_footy import app
from found_footy.cli import programs
from found_footy.embedded.endpoints import PlatformEndpoints
from found_footy.platform.errors import ConfigError, Unavailable
from found_footy.platform.mongo import Database
from found_footy.platform.probes import probe_temporal
from found_footy.platform.temporal.client import connect
from found_footy.settings import Settings, load_settings, read_external_servers
from tests.integration.platform.conftest import RelayTo
from tests.support.certificates import make_certificate, make_server_certificate, needs_openssl
from tests.support.patience import PATIENCE

pytestmark = needs_openssl
NAME = "temporal.test"


def signed(folder: Path, name: str) -> None:
    make_server_certificate(
        folder,
        name,
        "-CA",
        "authority.pem",
        "-CAkey",
        "authority.key",
        "-addext",
        "basicConstraints=critical,CA:FALSE",
    )


@dataclass(frozen=True)
class TlsProxy:
    """A proxy to Temporal that accepts clients with a certificate of its authority."""

    folder: Path
    port: int

    def environment(self, **more: str) -> dict[str, str]:
        return {
            "TEMPORAL_ADDRESS": f"127.0.0.1:{self.port}",
            "TEMPORAL_TLS_SERVER_NAME": NAME,
            "TEMPORAL_TLS_SERVER_CA_CERT_PATH": f"{self.folder}/authority.pem",
            "TEMPORAL_TLS_CLIENT_CERT_PATH": f"{self.folder}/worker.pem",
            "TEMPORAL_TLS_CLIENT_KEY_PATH": f"{self.folder}/worker.key",
            "FOOTY_DATA_DIR": f"{self.folder}/data",
            **more,
        }

    def settings(self, *without: str, **more: str) -> Settings:
        env = self.environment(**more)
        return load_settings({name: text for name, text in env.items() if name not in without}).settings


@pytest.fixture
async def tls_proxy(platform: PlatformEndpoints, relay: RelayTo, tmp_path: Path) -> TlsProxy:
    make_certificate(tmp_path, "authority")
    make_certificate(tmp_path, "stranger")
    for name in (NAME, "worker"):
        signed(tmp_path, name)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / f"{NAME}.pem", tmp_path / f"{NAME}.key")
    context.load_verify_locations(tmp_path / "authority.pem")
    context.verify_mode = ssl.CERT_REQUIRED
    context.set_alpn_protocols(["h2"])
    way = await relay(int(platform.temporal_address.rpartition(":")[2]), context)
    return TlsProxy(tmp_path, way.port)


async def reached(settings: Settings) -> None:
    named = settings.temporal
    async with connect(named.address, named.namespace, access=named.access) as client:
        await client.count_workflows(rpc_timeout=PATIENCE)


async def test_every_process_connects_with_the_right_certificates(
    tls_proxy: TlsProxy, platform: PlatformEndpoints, database: Database
) -> None:
    stores = {
        "MONGODB_URI": platform.mongodb_uri,
        "MONGODB_DATABASE": database.name,
        "S3_ENDPOINT": platform.s3_endpoint,
        "S3_ACCESS_KEY": platform.s3_access_key,
        "S3_SECRET_KEY": platform.s3_secret_key,
        "S3_BUCKET": "elsewhere",
    }
    settings = tls_proxy.settings(**stores)
    assert (await probe_temporal(settings.temporal, timeout=PATIENCE)).ok
    async with app.open_app(settings) as opened:
        await opened.temporal.count_workflows(rpc_timeout=PATIENCE)
    servers = PlatformEndpoints(platform.mongodb_uri, settings.temporal.address, *list(stores.values())[2:5])
    ready = programs.build_worker_program(settings, servers, {}).ready_probe
    assert ready is not None
    with pytest.raises(Unavailable, match="no worker polls"):
        await ready()


async def test_without_a_certificate_it_is_refused_and_the_setting_is_named(tls_proxy: TlsProxy) -> None:
    settings = tls_proxy.settings("TEMPORAL_TLS_CLIENT_CERT_PATH", "TEMPORAL_TLS_CLIENT_KEY_PATH")
    with pytest.raises(Unavailable, match="TEMPORAL_TLS_CLIENT_CERT_PATH is not set"):
        await reached(settings)
    reported = await probe_temporal(settings.temporal, timeout=PATIENCE)
    assert not reported.ok
    assert "TEMPORAL_TLS_CLIENT_CERT_PATH is not set" in reported.detail


async def test_a_server_that_another_authority_signed_is_not_trusted(tls_proxy: TlsProxy) -> None:
    for other in (f"{tls_proxy.folder}/stranger.pem", ""):
        with pytest.raises(Unavailable, match="TEMPORAL_TLS_SERVER_CA_CERT_PATH is"):
            await reached(tls_proxy.settings(TEMPORAL_TLS_SERVER_CA_CERT_PATH=other))


async def test_a_server_of_another_name_is_not_trusted(tls_proxy: TlsProxy) -> None:
    with pytest.raises(Unavailable, match="TEMPORAL_TLS_SERVER_NAME is set"):
        await reached(tls_proxy.settings(TEMPORAL_TLS_SERVER_NAME="other.test"))


async def test_plain_text_to_a_server_that_wants_tls_says_so(tls_proxy: TlsProxy) -> None:
    certificates = [name for name in tls_proxy.environment() if name.startswith("TEMPORAL_TLS")]
    with pytest.raises(Unavailable, match="TEMPORAL_TLS is off"):
        await reached(tls_proxy.settings(*certificates))


@pytest.mark.parametrize(
    ("name", "content", "reported"),
    [
        ("TEMPORAL_TLS_SERVER_CA_CERT_PATH", None, "TEMPORAL_TLS_SERVER_CA_CERT_PATH=.* cannot be read"),
        ("TEMPORAL_TLS_CLIENT_CERT_PATH", b"", "TEMPORAL_TLS_CLIENT_CERT_PATH=.* is not a PEM file"),
        ("TEMPORAL_TLS_CLIENT_KEY_PATH", b"nonsense", "TEMPORAL_TLS_CLIENT_KEY_PATH=.* is not a PEM file"),
    ],
)
async def test_a_file_that_cannot_be_used_is_named_with_its_setting(
    tls_proxy: TlsProxy, name: str, content: bytes | None, reported: str
) -> None:
    place = tls_proxy.folder / "wrong.pem"
    if content is not None:
        place.write_bytes(content)
    with pytest.raises(ConfigError, match=reported):
        await reached(tls_proxy.settings(**{name: str(place)}))


async def test_an_api_key_is_sent_encrypted_and_never_shown(tls_proxy: TlsProxy) -> None:
    key = tls_proxy.folder / "api-key"
    key.write_text("hunter2\n")
    settings = tls_proxy.settings(TEMPORAL_API_KEY_FILE=str(key))
    named = settings.temporal
    async with connect(named.address, named.namespace, access=named.access) as client:
        assert client.service_client.config.api_key == "hunter2"
        await client.count_workflows(rpc_timeout=PATIENCE)
    assert "hunter2" not in repr(settings) + repr(named.access)


@pytest.mark.parametrize("name", ["TEMPORAL_API_KEY", "TEMPORAL_TLS_SERVER_NAME", "TEMPORAL_TLS_SERVER_CA_CERT_PATH"])
def test_credentials_that_need_tls_switch_it_on(name: str) -> None:
    assert load_settings({name: "something"}).settings.temporal.access.tls
    assert not load_settings({}).settings.temporal.access.tls
    assert load_settings({"TEMPORAL_TLS": "true"}).settings.temporal.access.tls
    with pytest.raises(ConfigError, match="TEMPORAL_TLS is off"):
        load_settings({name: "something", "TEMPORAL_TLS": "false"})


def test_a_certificate_and_its_key_belong_together() -> None:
    with pytest.raises(ConfigError, match="TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH"):
        load_settings({"TEMPORAL_TLS_CLIENT_CERT_PATH": "cert.pem"})


def test_the_embedded_server_takes_no_certificates() -> None:
    with pytest.raises(ConfigError, match="TEMPORAL_API_KEY is set, so TEMPORAL_ADDRESS must be set too"):
        read_external_servers({"TEMPORAL_API_KEY": "key"})
    named = {"TEMPORAL_API_KEY": "key", "TEMPORAL_ADDRESS": "cloud.example:7233"}
    assert read_external_servers(named) == {"temporal_address": "cloud.example:7233"}
