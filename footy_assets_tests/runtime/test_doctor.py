"""`footy doctor`: what it says about the decoding cell and the football providers."""

from pathlib import Path

import pytest

from footy_assets.runtime.doctor import (
    decoding_cell,
    examine_api_football,
    football_providers,
)
from footy_assets.settings import settings_of
from footy_assets_tests.media.cells import shared_cell


@pytest.mark.slow
def test_doctor_names_the_protections_in_force_and_those_missing() -> None:
    found = decoding_cell()
    assert found.optional, "without Landlock or seccomp everything still runs"
    for protection in shared_cell().protections():
        assert protection in found.detail
    assert "CPU time" in found.detail
    assert found.ok or "without" in found.detail


def test_a_key_of_api_football_is_required_only_if_it_leads(tmp_path: Path) -> None:
    leads, confirms = settings_of(home=tmp_path), settings_of(home=tmp_path, provider="espn")
    assert not examine_api_football(leads).optional
    assert "footy up --provider espn" in examine_api_football(leads).fix
    without_key = examine_api_football(confirms)
    assert (without_key.optional, without_key.detail) == (True, "no key; espn leads")


def test_doctor_names_the_provider_that_is_alone(tmp_path: Path) -> None:
    assert football_providers(settings_of(home=tmp_path)).detail == "api_football alone"
    espn = settings_of(home=tmp_path, provider="espn")
    assert football_providers(espn).detail == "espn alone"
