"""`footy doctor`: what it says about the decoding cell."""

import pytest

from footy_assets.runtime.doctor import decoding_cell
from footy_assets_tests.media.cells import shared_cell

pytestmark = pytest.mark.slow


def test_doctor_names_the_protections_in_force_and_those_missing() -> None:
    found = decoding_cell()
    assert found.optional, "without Landlock or seccomp everything still runs"
    for protection in shared_cell().protections():
        assert protection in found.detail
    assert "CPU time" in found.detail
    assert found.ok or "without" in found.detail
