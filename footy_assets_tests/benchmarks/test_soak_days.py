"""The matchdays of the soak: the same matches, each day later and with numbers of its own."""

from benchmarks.soak_days import APART, MATCHES, begins_at, matchdays


def test_each_matchday_is_the_same_one_later() -> None:
    first, second = matchdays(0, 1), matchdays(1, 1)
    assert len(first.scripts) == len(MATCHES)
    assert not set(first.fixture_ids) & set(second.fixture_ids)
    for one, again in zip(first.truth(), second.truth(), strict=True):
        assert again.shown_at - one.shown_at == APART
        assert again.player_name == one.player_name
    assert begins_at(1) - begins_at(0) == APART
    assert begins_at(0) < min(script.kickoff for script in first.scripts)
    assert first.ends_at < begins_at(1)


def test_pieces_have_the_matchdays_of_the_whole() -> None:
    together = matchdays(0, 3)
    assert together.scripts == (*matchdays(0, 1).scripts, *matchdays(1, 2).scripts)
