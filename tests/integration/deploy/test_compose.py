"""deploy/compose.yaml: valid by the compose specification, and as closed as its comments say.

No Docker runs here: that the images start is not tested.
"""

import json
import re
import stat
import subprocess
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from found_footy.scaler.docker_pool import ContainerListing
from found_footy.settings import load_settings
from found_footy.worker_roles import WorkerRole, queue_limits
from tests.support.deploy_files import DEPLOY, fill_in, read_yaml
from tests.support.patience import PATIENCE_SECONDS
from tests.support.scaler.docker_api import SimulatedContainer

[COMPOSE] = read_yaml(DEPLOY / "compose.yaml")
SERVICES: dict[str, Any] = COMPOSE["services"]
OURS = ("worker", "web", "scaler", "search")


def test_it_is_valid_by_the_compose_specification() -> None:
    schema = json.loads((files("check_jsonschema") / "builtin_schemas/vendor/compose-spec.json").read_text())
    validator = jsonschema_rs.validator_for(schema)
    assert [str(error) for error in validator.iter_errors(COMPOSE)] == []
    assert not validator.is_valid({**COMPOSE, "services": {"web": {"port": 8000}}})


@pytest.mark.parametrize("name", SERVICES)
def test_every_image_has_a_version(name: str) -> None:
    image = fill_in(SERVICES[name]["image"])
    assert re.fullmatch(r"[\w./-]+:(local|\d[\w.-]*)", image), image


@pytest.mark.parametrize("name", sorted(SERVICES.keys() - {"docker-proxy", "caddy", "search"}))
def test_every_service_says_whether_it_is_healthy(name: str) -> None:
    """The image of the search service brings its own check, and the proxies' images have no program for one."""
    assert SERVICES[name]["healthcheck"]["test"]


def test_only_the_page_is_reachable_from_other_machines() -> None:
    published = {name: [fill_in(port) for port in service.get("ports", [])] for name, service in SERVICES.items()}
    beyond = {name for name, ports in published.items() if any(not port.startswith("127.0.0.1:") for port in ports)}
    assert beyond == {"web", "caddy"}
    assert published["web"] == ["0.0.0.0:8000:8000"]
    assert SERVICES["caddy"]["profiles"] == ["tls"]


def test_the_consoles_have_the_ports_of_the_documentation() -> None:
    ports = {name: service["ports"][0].split(":")[1] for name, service in SERVICES.items() if service.get("ports")}
    expected = {"temporal-ui": "3200", "mongo-express": "3201", "seaweedfs": "3202", "search": "3203-3210"}
    assert {name: ports[name] for name in expected} == expected


def test_stores_have_no_way_to_other_networks() -> None:
    assert COMPOSE["networks"]["inside"]["internal"] is True
    for name in ("postgresql", "temporal", "mongodb", "nats"):
        assert SERVICES[name]["networks"] == ["inside"], name


@pytest.mark.parametrize("name", OURS)
def test_our_containers_may_do_little(name: str) -> None:
    service = SERVICES[name]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert "mem_limit" in service
    assert "pids_limit" in service
    assert "privileged" not in service


def test_dockers_socket_is_in_one_container_that_passes_on_what_the_scaler_asks() -> None:
    holders = [name for name, service in SERVICES.items() if "docker.sock" in json.dumps(service)]
    assert holders == ["docker-proxy"]
    proxy = SERVICES["docker-proxy"]
    assert proxy["networks"] == ["docker-api"]
    assert COMPOSE["networks"]["docker-api"]["internal"] is True
    assert {name for name, service in SERVICES.items() if "docker-api" in service.get("networks", [])} == {
        "docker-proxy",
        "scaler",
    }
    rules = {part.partition("=")[0]: part.partition("=")[2] for part in proxy["command"]}
    assert rules.keys() == {"-listenip", "-allowfrom", "-allowGET", "-allowPOST"}
    container = ContainerListing.model_validate(SimulatedContainer("worker", 1).to_wire())
    assert re.fullmatch(rules["-allowGET"], "/containers/json")
    for allowed in ("start", "stop"):
        assert re.fullmatch(rules["-allowPOST"], f"/containers/{container.id}/{allowed}")
    for refused in (
        f"/containers/{container.id}/exec",
        "/containers/create",
        f"/containers/{container.id}/start/../kill",
    ):
        assert not re.fullmatch(rules["-allowPOST"], refused)


@pytest.fixture
def secrets(tmp_path: Path) -> Path:
    """As the script makes them."""
    folder = tmp_path / "secrets"
    for _ in range(2):
        subprocess.run(["sh", str(DEPLOY / "make-secrets.sh"), str(folder)], check=True, timeout=PATIENCE_SECONDS)
    return folder


def test_secrets_are_random_made_once_and_closed_to_others(secrets: Path, tmp_path: Path) -> None:
    assert {path.name for path in secrets.iterdir()} == set(COMPOSE["secrets"])
    assert stat.S_IMODE(secrets.stat().st_mode) == 0o700
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o444 for path in secrets.iterdir())
    before = {path.name: path.read_text() for path in secrets.iterdir()}
    subprocess.run(
        ["sh", str(DEPLOY / "make-secrets.sh"), str(tmp_path / "other")], check=True, timeout=PATIENCE_SECONDS
    )
    other = {path.name: path.read_text() for path in (tmp_path / "other").iterdir()}
    empty = {"api_football_key", "llama_api_key"}
    assert {name for name in before if before[name] == other[name]} == empty
    s3 = json.loads(before["s3_config"])["identities"][0]["credentials"][0]
    assert (s3["accessKey"], s3["secretKey"]) == (before["s3_access_key"], before["s3_secret_key"])
    assert before["mongodb_password"] in before["mongodb_uri"]
    assert before["nats_url"].split(":")[2].split("@")[0] in before["nats_config"]
    assert all(COMPOSE["secrets"][name]["file"] == f"./secrets/{name}" for name in before)


@pytest.mark.parametrize("name", ["worker", "web", "scaler"])
def test_the_settings_of_our_containers_are_understood(name: str, secrets: Path) -> None:
    """Every variable is one that the product knows, and every secret one that the container is given."""
    (secrets / "api_football_key").chmod(0o644)
    (secrets / "api_football_key").write_text("a key")
    service = SERVICES[name]
    given = {key: fill_in(str(value)) for key, value in service["environment"].items()}
    mounted = {f"/run/secrets/{secret}" for secret in service["secrets"]}
    assert {value for key, value in given.items() if key.endswith("_FILE") and value} == mounted - {
        "/run/secrets/llama_api_key"
    }
    environ = {
        key: str(secrets / Path(value).name) if value.startswith("/run/secrets/") else value
        for key, value in given.items()
    }
    settings = load_settings({**environ, "FOOTY_DATA_DIR": str(secrets.parent)}).settings
    assert settings.mongo.uri.startswith("mongodb://root:")
    assert settings.scaler.driver == "docker"
    assert settings.scaler.docker_project == COMPOSE["name"]
    assert {settings.scaler.docker_worker_service, settings.scaler.docker_search_service} <= SERVICES.keys()
    assert settings.scaler.max_instances == SERVICES["worker"]["deploy"]["replicas"]
    assert queue_limits(WorkerRole.ALL, settings)


def test_a_worker_is_given_longer_to_stop_than_it_drains() -> None:
    grace = load_settings(
        {"FOOTY_DATA_DIR": "nowhere", "FOOTY_WORKER__GRACE": SERVICES["worker"]["environment"]["FOOTY_WORKER__GRACE"]}
    ).settings.worker.grace
    assert int(SERVICES["worker"]["stop_grace_period"].removesuffix("s")) > grace.total_seconds() + 2
