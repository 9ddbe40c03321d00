"""deploy/kubernetes: valid by Kubernetes' own schemas, restricted pods, KEDA on the product's own task queues."""

from typing import Any

import kubernetes_validate  # type: ignore[import-untyped]
import pytest

from found_footy.scaler.settings import ScalerSettings
from found_footy.settings import load_settings
from found_footy.worker_roles import WorkerRole, queue_limits
from tests.support.deploy_files import DEPLOY, read_yaml

FOLDER = DEPLOY / "kubernetes"
[KUSTOMIZATION] = read_yaml(FOLDER / "kustomization.yaml")
RESOURCES = [one for name in KUSTOMIZATION["resources"] for one in read_yaml(FOLDER / name)]
BUILT_IN = [one for one in RESOURCES if not one["apiVersion"].startswith("keda.sh/")]
SCALED = [one for one in RESOURCES if one["kind"] == "ScaledObject"]
WORKLOADS = [one for one in RESOURCES if one["kind"] in {"Deployment", "StatefulSet"}]
NEWEST = kubernetes_validate.latest_version()


def describe(resource: dict[str, Any]) -> str:
    return f"{resource['kind']}-{resource['metadata']['name']}"


def settings_of(resource: dict[str, Any]) -> dict[str, str]:
    [data] = [one["data"] for one in RESOURCES if one["kind"] == "ConfigMap"]
    [container] = resource["spec"]["template"]["spec"]["containers"]
    own = {one["name"]: one.get("value", "x" * 20) for one in container.get("env", [])}
    uses_all = any("configMapRef" in one for one in container.get("envFrom", []))
    return (data if uses_all else {}) | own


@pytest.mark.parametrize("resource", BUILT_IN, ids=describe)
@pytest.mark.parametrize("version", ["1.31", NEWEST])
def test_it_is_valid(resource: dict[str, Any], version: str) -> None:
    kubernetes_validate.validate(resource, version, strict=True)


def test_an_unknown_field_is_noticed() -> None:
    wrong = {**BUILT_IN[0], "sepc": {}}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, NEWEST, strict=True)


def test_every_file_is_part_of_it() -> None:
    assert {path.name for path in FOLDER.iterdir()} == {"kustomization.yaml", *KUSTOMIZATION["resources"]}
    images = {one["spec"]["template"]["spec"]["containers"][0]["image"] for one in WORKLOADS}
    assert images == {one["name"] for one in KUSTOMIZATION["images"]}
    assert all(one["newTag"] not in {"", "latest"} for one in KUSTOMIZATION["images"])


@pytest.mark.parametrize("resource", WORKLOADS, ids=describe)
def test_pods_are_restricted_probed_and_limited(resource: dict[str, Any]) -> None:
    pod = resource["spec"]["template"]["spec"]
    [container] = pod["containers"]
    assert pod["automountServiceAccountToken"] is False
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert container["livenessProbe"]["httpGet"]
    assert container["startupProbe"]["httpGet"]
    assert container["resources"]["limits"]["memory"]
    selector = resource["spec"]["selector"]["matchLabels"].items()
    assert selector <= resource["spec"]["template"]["metadata"]["labels"].items()


@pytest.mark.parametrize("resource", WORKLOADS, ids=describe)
def test_the_settings_of_the_pods_are_understood(resource: dict[str, Any]) -> None:
    settings = load_settings({**settings_of(resource), "FOOTY_DATA_DIR": "nowhere"}).settings
    if resource["metadata"]["name"].startswith("worker"):
        assert resource["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] > (
            settings.worker.grace.total_seconds() + 2
        )


def test_each_role_is_scaled_by_its_own_task_queues() -> None:
    settings = load_settings({"FOOTY_DATA_DIR": "nowhere"}).settings
    rules = ScalerSettings()
    assert {one["metadata"]["name"] for one in SCALED} == {f"worker-{role}" for role in WorkerRole if role != "all"}
    for one in SCALED:
        role = WorkerRole(one["metadata"]["name"].removeprefix("worker-"))
        spec = one["spec"]
        assert spec["scaleTargetRef"] == {"name": one["metadata"]["name"]}
        [target] = [each for each in WORKLOADS if each["metadata"]["name"] == one["metadata"]["name"]]
        assert target["spec"]["template"]["spec"]["containers"][0]["args"] == ["worker", "--role", role.value]
        assert "replicas" not in target["spec"]
        assert (spec["minReplicaCount"], spec["maxReplicaCount"]) == (rules.min_instances, rules.max_instances)
        assert spec["pollingInterval"] == rules.check_interval.total_seconds()
        triggers = [trigger["metadata"] for trigger in spec["triggers"]]
        assert {trigger["taskQueue"] for trigger in triggers} == queue_limits(role, settings).keys()
        assert {float(trigger["targetQueueSize"]) for trigger in triggers} == {rules.up_threshold}
        assert {trigger["endpoint"] for trigger in triggers} == {settings_of(target)["TEMPORAL_ADDRESS"]}


def test_nothing_is_reachable_without_a_rule() -> None:
    policies = {one["metadata"]["name"]: one["spec"] for one in RESOURCES if one["kind"] == "NetworkPolicy"}
    assert policies["default-deny"] == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}
    components = {one["metadata"]["labels"]["app.kubernetes.io/component"] for one in WORKLOADS}
    selected = {
        spec["podSelector"]["matchLabels"]["app.kubernetes.io/component"]
        for spec in policies.values()
        if spec["podSelector"]
    }
    assert selected == components


def test_searchers_are_named_as_workers_call_them() -> None:
    [stateful] = [one for one in WORKLOADS if one["kind"] == "StatefulSet"]
    hosts = [f"search-{number}.search:8888" for number in range(stateful["spec"]["replicas"])]
    settings = load_settings({**settings_of(WORKLOADS[0]), "FOOTY_DATA_DIR": "nowhere"}).settings
    assert settings.discovery.search_urls == tuple(f"http://{host}" for host in hosts)
    assert settings.trusted_hosts == tuple(hosts)
