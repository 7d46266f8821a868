"""`footy up` with a second provider: a process of its own requests it, and comes back."""

from pathlib import Path

import httpx
import pytest

from footy_assets.runtime.provider_process import has_other_providers
from footy_assets.settings import load_settings
from footy_assets_tests.runtime.conftest import TWO_PROVIDERS, World
from footy_assets_tests.runtime.stack import Stack


def test_others_run_only_where_the_file_has_some(tmp_path: Path) -> None:
    settings = load_settings(home=tmp_path)
    assert not has_other_providers(settings)
    file = tmp_path / "sources.yaml"
    file.write_text(TWO_PROVIDERS.format(url="http://127.0.0.1:1"))
    assert has_other_providers(settings)
    file.write_text("sources:\n  api_football: {adapter: api_football}\n")
    assert not has_other_providers(settings)


@pytest.mark.slow
def test_the_watcher_of_other_providers_requests_them_and_is_revived(
    up: Stack, world: World
) -> None:
    requests = world.second.football_data
    up.wait_until(lambda: requests.request_count > 0, 120)
    (watcher,) = up.running("watch")
    watcher.kill()
    watcher.wait()
    up.wait_until(lambda: bool(up.running("watch")), 60)
    before = requests.request_count
    up.wait_until(lambda: requests.request_count > before, 120)
    providers = httpx.get(f"{up.gallery()}/status").json()["sources"]
    assert set(providers["sources"]) == {"api_football", "second"}
    assert providers["last_success"] is not None


@pytest.mark.slow
def test_a_bad_file_is_refused_before_any_request(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    text = TWO_PROVIDERS.format(url="x").replace("football_data", "teletext")
    (home / "sources.yaml").write_text(text)
    stack = Stack(home, "up", FOOTY_API_FOOTBALL_URL="http://127.0.0.1:1")
    try:
        assert stack.process.wait(90) == 2
        assert "sources.yaml line 3: providers.second.adapter" in stack.said
    finally:
        stack.kill_everything()
