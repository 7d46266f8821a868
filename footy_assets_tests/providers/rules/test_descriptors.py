"""A1: the file of providers."""

from pathlib import Path

import pytest

from footy_assets.errors import BadInput
from footy_assets.providers.connection import ProvidersFileLoader
from footy_assets.providers.rules.descriptors import (
    API_FOOTBALL,
    LastGoodFile,
    providers_without_file,
    read_providers,
)
from footy_assets.settings import load_settings

GOOD = """\
providers:
  api_football:
    adapter: api_football
    precedence: 100
  football_data:
    adapter: football_data
    enabled: false
    precedence: 80
    limits:
      max_concurrent: 2
      min_interval: 6
      burst: 3
    settings:
      url: http://127.0.0.1:1
team_aliases:
  Man Utd: Manchester United
"""


def test_A1_a_descriptor_per_domain() -> None:
    content = read_providers(GOOD)
    second = content.providers["football_data"]
    assert (second.precedence, second.enabled, second.limits.burst) == (80, False, 3)
    assert content.aliases.same_team("Man Utd", "Manchester United")
    assert content.precedence() == {"api_football": 100, "football_data": 80}


def test_A1_the_former_key_sources_still_works() -> None:
    former = GOOD.replace("providers:", "sources:")
    assert read_providers(former) == read_providers(GOOD)
    with pytest.raises(BadInput, match=r"line 4: sources\.api_football\.precedence"):
        read_providers(former.replace("100", "101"))


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("precedence: 80", "precedence: 101", 8),
        ("precedence: 80", "precedence: -1", 8),
        ("burst: 3", "burst: none", 12),
        ("enabled: false", "enabled: perhaps", 7),
        ("adapter: football_data", "adapter: teletext", 6),
        ("    enabled: false", "    enbled: false", 7),
        ("    adapter: football_data\n", "", 5),
        ("  football_data:", "  football_data: [", 5),
        ("providers:", "sauces:", 1),
        ("      url: http://127.0.0.1:1", "      urls: http://127.0.0.1:1", 14),
        ("adapter: football_data", "adapter: api_football", 6),
        ("  api_football:", "  footballapi:", 3),
        ("adapter: football_data", "adapter: my adapter.Class", 6),
        ("adapter: football_data", "adapter: .Class", 6),
        ("  football_data:", "  football-data.org:", 5),
        ("  football_data:", "  football:data:", 5),
        ("  football_data:", "  all:", 5),
        ("precedence: 80", "precedence: 2025-99-99", 8),
        ("    adapter: api_football", "    adapter: football_data", 3),
    ],
)
def test_A1_a_bad_file_is_refused_with_its_line(old: str, new: str, line: int) -> None:
    with pytest.raises(BadInput, match=rf"sources.yaml line {line}\b"):
        read_providers(GOOD.replace(old, new, 1))


def test_A1_the_last_good_file_stays() -> None:
    book = LastGoodFile()
    assert book.update(GOOD)
    good = book.content
    assert not book.update(GOOD.replace("80", "800"))
    assert book.content is good
    assert book.refusal is not None
    assert "line 8" in book.refusal
    assert book.update(GOOD.replace("80", "70"))
    assert book.refusal is None


def test_A1_the_last_good_file_stays_also_for_a_process_that_starts_meanwhile(
    tmp_path: Path,
) -> None:
    settings = load_settings(home=tmp_path)
    file = tmp_path / "sources.yaml"
    file.write_text(GOOD)
    running = ProvidersFileLoader(settings)
    good = running()
    file.write_text(GOOD.replace("80", "800"))
    started = ProvidersFileLoader(settings)
    assert running() == started() == good
    assert started.refusal is not None
    with pytest.raises(BadInput, match="line 8"):
        ProvidersFileLoader(settings).load_or_fail()
    file.unlink()
    assert ProvidersFileLoader(settings)().only_lead
    file.write_text("sources: [")
    assert ProvidersFileLoader(settings)().only_lead


def test_A1_a_configured_file_must_exist_at_the_start(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    on_disk = ProvidersFileLoader(load_settings(home=tmp_path, providers_file=file))
    with pytest.raises(BadInput, match="cannot be read"):
        on_disk()
    file.write_text(GOOD)
    good = on_disk()
    file.unlink()
    assert on_disk() == good


def test_A1_enabled_is_switched_while_running() -> None:
    content = read_providers(GOOD)
    assert list(content.enabled({})) == ["api_football"]
    assert list(content.enabled({"football_data": True})) == ["api_football", "football_data"]
    assert list(content.enabled({"api_football": False})) == []


def test_A1_without_a_file_there_is_one_provider() -> None:
    book = LastGoodFile()
    assert not book.update(None)
    assert list(book.content.providers) == [API_FOOTBALL]
    assert book.content.lead == API_FOOTBALL


def test_L3_a_class_may_be_given_as_adapter_class() -> None:
    content = read_providers(GOOD.replace("adapter: football_data", "adapter_class: my.Adapter"))
    assert content.providers["football_data"].adapter == "my.Adapter"
    with pytest.raises(BadInput, match=r"line 6: .*nor the full name of a class"):
        read_providers(GOOD.replace("adapter: football_data", "adapter_class: teletext"))


def test_L1_the_lead_is_the_marked_provider() -> None:
    assert read_providers(GOOD).lead == API_FOOTBALL
    marked = GOOD.replace("    enabled: false", "    lead: true")
    assert read_providers(marked).lead == "football_data"
    assert read_providers(marked).led_by(API_FOOTBALL).lead == API_FOOTBALL


def test_L1_two_leads_are_refused() -> None:
    both = GOOD.replace("    precedence", "    lead: true\n    precedence")
    with pytest.raises(BadInput, match=r"line 9: .*api_football leads already"):
        read_providers(both)


def test_L1_without_api_football_the_heaviest_leads() -> None:
    content = read_providers(
        "providers:\n  one: {adapter: football_data}\n"
        "  two: {adapter: football_data, precedence: 60}\n"
    )
    assert content.lead == "two"


def test_L1_the_setting_overrides_the_file() -> None:
    book = LastGoodFile("football_data")
    assert book.update(GOOD)
    assert book.content.lead == "football_data"
    assert not book.update(GOOD.replace("football_data:", "other:"))
    assert book.refusal is not None
    assert "football_data" in book.refusal


def test_L1_a_lead_that_is_not_known_is_refused() -> None:
    with pytest.raises(BadInput, match="teletext is not known"):
        providers_without_file("teletext")
    assert providers_without_file(None).lead == API_FOOTBALL
