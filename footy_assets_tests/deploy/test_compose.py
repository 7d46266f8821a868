"""The Compose file: valid, with passwords of its own, and each part confined."""

import stat
from pathlib import Path
from typing import Any

import pytest
from dotenv import dotenv_values

from footy_assets.cli.loading import COMMANDS, GROUPS
from footy_assets.settings import settings_of
from footy_assets_tests.deploy.files import DEPLOY, ROOT, load, run

FILE = DEPLOY / "compose.yaml"
SERVICES: dict[str, Any] = load(FILE)["services"]
PARTS = {name: one for name, one in SERVICES.items() if one["image"].startswith("footy-assets:")}
PREFIX = "FOOTY_"


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("deploy") / "env"
    run("sh", DEPLOY / "make_env.sh", folder)
    return folder


def test_the_file_and_the_workflow_are_valid() -> None:
    run("check-jsonschema", "--builtin-schema", "vendor.compose-spec", FILE)
    workflow = ROOT / ".github" / "workflows" / "ci.yml"
    run("check-jsonschema", "--builtin-schema", "vendor.github-workflows", workflow)


def test_every_file_of_secrets_is_written_for_its_owner_alone_and_stays(env: Path) -> None:
    named = {Path(file).name for one in SERVICES.values() for file in one["env_file"]}
    assert {file.name for file in env.iterdir()} == named
    assert {stat.S_IMODE(file.stat().st_mode) for file in env.iterdir()} == {0o600}
    before = {file.name: file.read_text() for file in env.iterdir()}
    run("sh", DEPLOY / "make_env.sh", env)
    assert {file.name: file.read_text() for file in env.iterdir()} == before


def test_the_settings_reach_the_servers_with_their_passwords(env: Path) -> None:
    given = dotenv_values(env / "footy.env", interpolate=False)
    fields = {name.removeprefix(PREFIX).lower(): value for name, value in given.items()}
    settings = settings_of(**fields)
    assert settings.broker_url is not None
    assert settings.dagster_postgres_url is not None
    assert settings.mongo_uri is not None
    urls = {
        "postgres": (settings.dagster_postgres_url, "POSTGRES_PASSWORD"),
        "rabbitmq": (settings.broker_url, "RABBITMQ_DEFAULT_PASS"),
        "mongo": (settings.mongo_uri, "MONGO_INITDB_ROOT_PASSWORD"),
    }
    for server, (url, password) in urls.items():
        secret = dotenv_values(env / f"{server}.env")[password]
        assert f"footy:{secret}@{server}:" in url.get_secret_value()
    s3 = dotenv_values(env / "s3.env")
    assert settings.s3_secret_access_key is not None
    assert settings.s3_secret_access_key.get_secret_value() == s3["AWS_SECRET_ACCESS_KEY"]


@pytest.mark.parametrize("name", PARTS)
def test_a_part_is_a_command_that_can_change_nothing_but_its_home(name: str) -> None:
    part = PARTS[name]
    program, command, *_ = part["command"]
    assert program == "footy"
    assert command in {*COMMANDS, *GROUPS}
    assert part["read_only"] is True
    assert part["cap_drop"] == ["ALL"]
    assert part["security_opt"] == ["no-new-privileges:true"]
    test = part["healthcheck"].get("test", ["CMD", "footy", "alive"])
    assert test[:3] == ["CMD", "footy", "alive"]
    for setting in part.get("environment", {}):
        assert setting.removeprefix(PREFIX).lower() in type(settings_of()).model_fields


def test_parts_start_after_what_they_need_and_only_loopback_is_open() -> None:
    for one in SERVICES.values():
        assert all(port.startswith("127.0.0.1:") for port in one.get("ports", ()))
        for needed, how in one.get("depends_on", {}).items():
            assert how == {"condition": "service_healthy"}
            assert not SERVICES[needed]["healthcheck"].get("disable")
    servers = set(SERVICES) - set(PARTS)
    assert set(PARTS["code-server"]["depends_on"]) == servers
    assert all("code-server" in PARTS[name]["depends_on"] for name in set(PARTS) - {"code-server"})
    # Servers have no way out of their network.
    assert all(SERVICES[name]["networks"] == ["servers"] for name in servers)
    assert load(FILE)["networks"]["servers"] == {"internal": True}
