"""Y1, Y2, Y6, Y8: keys, flags, retries."""

from datetime import timedelta

import pytest

from footy_assets.errors import BadInput
from footy_assets.history.rules.documents import DocumentRequest, Role, TierTally, content_hash
from footy_assets.history.rules.key import LeagueSeason
from footy_assets.history.rules.limits import RETRY_AFTER, HistoryRules, flagged_count, retry_wait
from footy_assets.history.rules.plan import flagged
from footy_assets.history.rules.tiers import Tier
from footy_assets.policies import history_rules
from footy_assets.settings import load_settings

RULES = HistoryRules()


def documents(count: int) -> list[DocumentRequest]:
    return [DocumentRequest(Tier.VENUE, n, "/venues", (("id", n),)) for n in range(count)]


@pytest.mark.parametrize("text", ["39:2023", " 140:2015 "])
def test_y1_a_season_is_a_league_and_a_year(text: str) -> None:
    key = LeagueSeason.parse(text)
    assert str(key) == text.strip()


@pytest.mark.parametrize("text", ["39", "39:23", "39-2023", "x:2023", "0:2023", "39:1700"])
def test_y1_anything_else_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(BadInput) as refused:
        LeagueSeason.parse(text)
    assert "39:2023" in refused.value.fix


@pytest.mark.parametrize("league", [-1, 0, 10**9, 12_345_678_901])
def test_y1_a_league_that_cannot_be_read_back_is_refused(league: int) -> None:
    with pytest.raises(BadInput, match=f"{league}:2023 is not a season"):
        LeagueSeason(league, 2023)


@pytest.mark.parametrize(
    ("count", "expected"),
    [(0, 0), (1, 1), (2, 1), (20, 1), (21, 2), (130, 7), (8000, 400)],
)
def test_y2_the_last_twentieth_is_flagged(count: int, expected: int) -> None:
    assert flagged_count(count, RULES) == expected
    assert flagged(documents(count), RULES) == {
        one.url_hash for one in documents(count)[count - expected :]
    }


def test_y2_flags_follow_the_order_and_skip_listings_and_evidence() -> None:
    planned = documents(20)
    extra = [
        DocumentRequest(Tier.VENUE, -1, "/teams", (("league", 39),), Role.LISTING),
        DocumentRequest(Tier.VENUE, 999, "/transfers", (("player", 1),), Role.EVIDENCE),
    ]
    assert flagged([*reversed(planned), *extra], RULES) == {planned[-1].url_hash}


def test_y2_a_planned_tier_without_documents_is_empty_and_complete() -> None:
    assert not TierTally().complete
    assert TierTally(planned=True).empty
    assert TierTally(planned=True).complete


def test_y6_retries_follow_these_pauses_and_then_the_document_is_parked() -> None:
    assert RETRY_AFTER == (0, 0, 10, 30, 60, 120, 300)
    assert [retry_wait(n) for n in range(1, 9)] == [0, 0, 10, 30, 60, 120, 300, None]


def test_y6_a_document_the_provider_does_not_have_is_parked_after_three_tries() -> None:
    assert [retry_wait(n, is_final=True) for n in (1, 2, 3, 8)] == [0, 0, None, None]


def test_y8_share_and_minimum_can_be_set_and_never_exceed_the_tier() -> None:
    assert flagged_count(10, HistoryRules(flag_share=0.5)) == 5
    assert flagged_count(10, HistoryRules(flag_minimum=3)) == 3
    assert flagged_count(2, HistoryRules(flag_minimum=3)) == 2


def test_y8_default_settings_give_the_default_rules() -> None:
    assert history_rules(load_settings()) == HistoryRules()
    configured = {"history_threshold": 2, "history_flag_share": 0.2, "history_flag_minimum": 3}
    changed = history_rules(load_settings(**configured, history_alert_minutes=5, history_at_once=1))
    assert changed == HistoryRules(2, 0.2, 3, timedelta(minutes=5), 1)


def test_y10_a_content_hash_does_not_depend_on_the_order_of_keys() -> None:
    assert content_hash([{"a": 1, "b": 2}]) == content_hash([{"b": 2, "a": 1}])
    assert content_hash([{"a": 1}]) != content_hash([{"a": 2}])
