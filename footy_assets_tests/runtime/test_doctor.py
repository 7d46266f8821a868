"""`footy doctor`: what it says about the decoding cell and the football providers."""

import time
from pathlib import Path

import pytest

from footy_assets.clock import ScaledClock
from footy_assets.runtime.doctor import (
    decoding_cell,
    examine_api_football,
    examine_lead,
    football_providers,
)
from footy_assets.settings import settings_of
from footy_assets.sim import make_world
from footy_assets.sim.other_providers import OtherProviders
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


def test_the_lead_is_asked_for_todays_matches(tmp_path: Path) -> None:
    world = make_world(7)
    clock = ScaledClock(world.starts_at, 1.0, time.time())
    with OtherProviders(world, clock) as server:
        espn = settings_of(home=tmp_path, provider="espn", espn_url=server.url, clock=clock.spec())
        found = examine_lead(espn)
        assert (found.ok, found.detail) == (True, "espn lists 15 matches of today")
        server.espn.broken = "refused"
        refused = examine_lead(espn)
        assert not refused.ok
        assert "403" in refused.detail
