"""The log behind the live feed: each reader gets every change after its position, once."""

from footy_assets.gallery.live_log import Change, LiveLog


def change(number: int, fixture: int = 5000) -> Change:
    return Change.of(f"{number:016X}", "goal", fixture, None)


def log_of(*numbers: int, keep: int = 4) -> LiveLog:
    log = LiveLog(keep)
    log.begin(f"{0:016X}")
    for number in numbers:
        log.append(change(number))
    return log


def tokens(found: list[Change] | None) -> list[int]:
    assert found is not None
    return [int(one.token, 16) for one in found]


def test_a_reader_gets_each_change_after_its_position_once() -> None:
    log = log_of(1, 2)
    place = log.next
    assert log.after(place) == []
    log.append(change(3))
    assert tokens(log.after(place)) == [3]


def test_a_token_resumes_after_its_change() -> None:
    log = log_of(10, 20, 30)
    place = log.place_after(f"{20:016X}")
    assert place is not None
    assert tokens(log.after(place)) == [30]


def test_a_token_between_two_changes_is_a_position_too() -> None:
    log = log_of(10, 20)
    place = log.place_after(f"{15:016X}")
    assert place is not None
    assert tokens(log.after(place)) == [20]


def test_a_token_from_before_the_log_is_too_old() -> None:
    log = log_of(*range(1, 20), keep=4)
    assert log.place_after(f"{1:016X}") is None
    assert log.floor is not None
    place = log.place_after(log.floor)
    assert place is not None
    assert tokens(log.after(place)) == tokens(log.after(log.next - len(tokens(log.after(place)))))


def test_the_log_keeps_at_most_twice_its_limit() -> None:
    log = log_of(*range(1, 1000), keep=4)
    assert log.floor is not None
    place = log.place_after(log.floor)
    assert place is not None
    assert 4 <= len(tokens(log.after(place))) < 8


def test_a_reader_who_fell_behind_gets_none_instead_of_changes() -> None:
    log = log_of(1, keep=4)
    place = log.next
    for number in range(2, 20):
        log.append(change(number))
    assert log.after(place) is None


def test_a_gap_in_the_stream_is_a_gap_for_every_reader() -> None:
    log = log_of(1, 2)
    place = log.next
    log.begin(f"{50:016X}")
    assert log.after(place) is None
    assert log.place_after(f"{2:016X}") is None


def test_a_change_without_a_match_concerns_every_reader() -> None:
    assert Change.of("AA", "clip", None, None).concerns(5000)
    assert change(1, fixture=5000).concerns(5000)
    assert change(1, fixture=5000).concerns(None)
    assert not change(1, fixture=5001).concerns(5000)
