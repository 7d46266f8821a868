"""T1, T3, T15: each change of a match becomes one snapshot, also after a crash."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from pymongo import MongoClient
from pymongo.database import Database

from footy_assets.clock import ManualClock
from footy_assets.matchday.monitor import run_cycle
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.search.store.searches import SearchStore
from footy_assets.sim import SimServer, event, goal, missed_penalty, shootout_kick, var_cancel
from footy_assets.store.collections import Document, ensure_indexes
from footy_assets.triggers.evaluate import Evaluator
from footy_assets.triggers.notify import Notifier
from footy_assets.triggers.replay import replay_scope
from footy_assets.triggers.rules.goal_moments import GOAL_TYPES
from footy_assets.triggers.rules.incident_moments import CARD_TYPES
from footy_assets.triggers.rules.sports import VOCABULARY
from footy_assets.triggers.rules.vocabulary import CARD_TYPE, GOAL_TYPE, VAR_OUTCOME
from footy_assets.triggers.search_subscriber import SearchesSubscriber
from footy_assets.triggers.store.outbox import Outbox
from footy_assets.triggers.store.snapshots import SnapshotStore
from footy_assets.triggers.store.triggers import TriggerStore
from footy_assets.triggers.subscribers import Subscribers
from footy_assets_tests.matchday.harness import FIXTURE, MatchdayHarness, no_sleep
from footy_assets_tests.matchday.one_poller import KillAtWrite, Killed
from footy_assets_tests.policies import polling_policy
from footy_assets_tests.triggers.rules.builders import option, trigger
from resources.api_football.client import ApiFootball

KEY = f"game/{FIXTURE}"
SALAH = {"player": 234, "name": "M. Salah"}
NUNEZ = {"player": 9, "name": "D. Núñez"}


@pytest.fixture
def feed(sim: SimServer) -> Iterator[ApiFootball]:
    with ApiFootball(sim.url, None, sleep=no_sleep) as client:
        yield client


@pytest.fixture
def harness(
    database: Database[Document], sim: SimServer, feed: ApiFootball, clock: ManualClock
) -> MatchdayHarness:
    ensure_indexes(database)
    return MatchdayHarness(MatchdayStore(database), sim, feed, clock)


def red(minute: int, **who: Any) -> dict[str, Any]:
    return event("Card", "Red Card", minute, **who)


def off(minute: int, **who: Any) -> dict[str, Any]:
    return event("subst", "Substitution 1", minute, **who)


def stored_snapshots(harness: MatchdayHarness, *, marks: bool = False) -> list[dict[str, Any]]:
    """The events of each snapshot, without the match state that every snapshot has."""
    store = SnapshotStore(harness.store.database)
    store.store_from_fixtures()
    state = ("football.match.", "football.score.")
    rows = []
    for _, one in store.numbered(KEY):
        if "/minute/" in one.id and not marks:
            continue
        happened = {
            name.removeprefix("football."): value
            for name, value in one.options.items()
            if not name.startswith(state)
        }
        options = one.options
        row = {
            "at": f"{options['football.match.status']} {options['football.match.minute']}",
            "score": f"{options['football.score.home']}-{options['football.score.away']}",
            **happened,
        }
        links = {"cancels": one.cancels, "replaces": one.replaces}
        rows.append(row | {name: bool(id) for name, id in links.items() if id})
    return rows


def snapshots_of(
    harness: MatchdayHarness, *answers: dict[str, Any], marks: bool = False
) -> list[dict[str, Any]]:
    harness.put(status="NS")
    harness.track()
    for answer in answers:
        harness.put_and_poll(answer)
    return stored_snapshots(harness, marks=marks)


def test_t3_one_moment_is_one_snapshot_in_order_of_time(harness: MatchdayHarness) -> None:
    lines = {
        "goals": [goal(10, **SALAH, assist=9), goal(44, team=50, player=5, name="E. Haaland")],
        "events": [red(30, team=50, player=6, name="R."), off(20, player=3, name="A", assist=4)],
    }
    rows = snapshots_of(harness, {"status": "1H", "elapsed": 44, **lines})
    assert [(row["at"], row["score"]) for row in rows] == [
        ("1H 0", "0-0"),
        ("1H 10", "1-0"),
        ("1H 20", "1-0"),
        ("1H 30", "1-0"),
        ("1H 44", "1-1"),
    ]
    assert rows[1] | {"at": 0, "score": 0} == {
        "at": 0,
        "score": 0,
        "team": "home",
        "player": "234",
        "goal.team": "home",
        "goal.player": "234",
        "goal.type": "normal",
        "assist.player": "9",
    }
    assert (rows[2]["substitution.out"], rows[2]["substitution.in"]) == ("3", "4")
    assert (rows[3]["card.team"], rows[3]["card.type"], rows[3]["card.player"]) == (
        "away",
        "red",
        "6",
    )


def test_t3_a_poll_without_changes_makes_no_snapshot(harness: MatchdayHarness) -> None:
    answer = {"status": "1H", "goals": [goal(10, **SALAH)], "events": [red(30, **NUNEZ)]}
    assert len(snapshots_of(harness, *[answer] * 5)) == 3
    corrected = {"status": "1H", "goals": [goal(11, **SALAH)], "events": [red(31, **NUNEZ)]}
    harness.put_and_poll(corrected)
    harness.put_and_poll({"status": "1H", "goals": [goal(11, **SALAH)]})
    harness.put_and_poll(corrected)
    assert len(stored_snapshots(harness)) == 3, "a corrected minute or a flicker makes no snapshot"


def test_t3_two_ahead_after_80_minutes_fires_by_the_clock_alone(harness: MatchdayHarness) -> None:
    triggers = TriggerStore(harness.store.database)
    late = option("score.differential", "ge", 2, options=[option("match.minute", "ge", 80)])
    triggers.create(trigger(late, scope_id=str(FIXTURE)), harness.clock.now(), "late")

    def fired() -> list[str]:
        SnapshotStore(harness.store.database).store_from_fixtures()
        Evaluator(harness.store.database, harness.clock).run()
        return [activation["snapshot_id"] for activation in triggers.scope_activations(KEY)]

    ahead = {"goals": [goal(10, **SALAH), goal(20, **SALAH)]}
    snapshots_of(harness, {"status": "1H", "elapsed": 44, **ahead})
    harness.put_and_poll({"status": "2H", "elapsed": 79, **ahead})
    assert fired() == []
    harness.put_and_poll({"status": "2H", "elapsed": 80, **ahead})
    assert fired() == [f"{FIXTURE}/minute/80"]


@pytest.mark.parametrize(
    ("status", "elapsed", "last"),
    [
        *[("1H", 4, None), ("1H", 9, 5), ("1H", 45, 40), ("HT", 45, 40), ("2H", None, 40)],
        *[("2H", 83, 80), ("FT", 90, 85), ("ET", 97, 95), ("BT", 105, 100), ("ET", 112, 110)],
        *[("AET", 120, 115), ("P", 120, 115), ("PEN", 90, 85), ("SUSP", 60, None)],
    ],
)
def test_t3_every_five_minutes_of_play_are_a_snapshot(
    harness: MatchdayHarness, status: str, elapsed: int | None, last: int | None
) -> None:
    rows = snapshots_of(harness, {"status": status, "elapsed": elapsed}, marks=True)
    minutes = [int(row["at"].split()[1]) for row in rows]
    marks = [minute for minute in minutes if minute and minute not in (45, 90, 105, 120)]
    assert marks == [m for m in range(5, (last or 0) + 1, 5) if m not in (45, 90, 105)]


def test_t3_a_shoot_out_kick_is_not_a_goal(harness: MatchdayHarness) -> None:
    kicks = [shootout_kick(1, **SALAH), shootout_kick(1, team=50, player=5, scored=False)]
    rows = snapshots_of(harness, {"status": "PEN", "goals": [goal(10, **SALAH)], "events": kicks})
    assert [row["at"] for row in rows] == [
        "1H 0",
        "1H 10",
        "HT 45",
        "2H 45",
        "ET 90",
        "P 120",
        "PEN 120",
    ]


def test_t3_a_missed_penalty_and_a_scored_one(harness: MatchdayHarness) -> None:
    rows = snapshots_of(
        harness,
        {
            "status": "1H",
            "goals": [goal(20, **SALAH, detail="Penalty")],
            "events": [missed_penalty(10, **NUNEZ)],
        },
    )
    assert [row.get("penalty.outcome") for row in rows] == [None, "missed", "scored"]
    assert "goal.team" not in rows[1]


def test_t7_corners_are_counted_from_the_providers_count(harness: MatchdayHarness) -> None:
    triggers = TriggerStore(harness.store.database)
    fourth = option("team.corners", "eq", 4, options=[option("team", "in", "home")])
    triggers.create(trigger(fourth, scope_id=str(FIXTURE)), harness.clock.now(), "fourth")
    rows = snapshots_of(
        harness,
        {"status": "1H", "elapsed": 20, "corners": (3, 1)},
        {"status": "1H", "elapsed": 21, "corners": (3, 1)},
        {"status": "1H", "elapsed": 31},
        {"status": "1H", "elapsed": 32, "corners": (5, 1)},
    )
    counted = [(row["at"], row["team.corners"]) for row in rows if "team.corners" in row]
    assert counted == [
        ("1H 20", {"home": 3, "away": 1}),
        ("1H 32", {"home": 5, "away": 1}),
    ]
    Evaluator(harness.store.database, harness.clock).run()
    (only,) = triggers.scope_activations(KEY)
    assert only["snapshot_id"] == f"{FIXTURE}/corners/5-1"


def test_t7_a_goal_cancelled_by_var_is_cancelled(harness: MatchdayHarness) -> None:
    first = {"status": "1H", "goals": [goal(10, **SALAH)]}
    gone = {"status": "1H", "events": [var_cancel(11, **SALAH)]}
    rows = snapshots_of(harness, first, gone, gone)
    assert [row.get("var.outcome") for row in rows] == [None, None, "goal cancelled"]
    assert (rows[2]["cancels"], rows[2]["score"]) == (True, "0-0")


def test_t2_every_value_of_the_feed_is_a_choice(harness: MatchdayHarness) -> None:
    upgrade = event("Var", "Card upgrade", 30, **SALAH)
    rows = snapshots_of(harness, {"status": "1H"}, {"status": "1H", "events": [upgrade]})
    assert rows[-1]["var.outcome"] in VOCABULARY[VAR_OUTCOME].values
    assert set(GOAL_TYPES.values()) <= set(VOCABULARY[GOAL_TYPE].values)
    assert set(CARD_TYPES.values()) <= set(VOCABULARY[CARD_TYPE].values)


def test_t7_a_decision_on_an_unseen_goal_cancels_no_other(harness: MatchdayHarness) -> None:
    triggers = TriggerStore(harness.store.database)
    second = option("team.scores", "eq", 2, options=[option("team", "in", "home")])
    triggers.create(trigger(second, scope_id=str(FIXTURE)), harness.clock.now(), "second")
    one, two = goal(10, **SALAH), goal(40, **SALAH)
    decision = var_cancel(30, **NUNEZ)
    snapshots_of(
        harness,
        {"status": "1H", "goals": [one]},
        {"status": "1H", "goals": [one], "events": [decision]},
        {"status": "1H", "goals": [one, two], "events": [decision]},
    )
    Evaluator(harness.store.database, harness.clock).run()
    assert len(triggers.scope_activations(KEY)) == 1


def test_t3_a_scorer_named_later_replaces_the_unnamed_one(harness: MatchdayHarness) -> None:
    rows = snapshots_of(
        harness,
        {"status": "1H", "goals": [goal(10)]},
        {"status": "1H", "goals": [goal(10, **SALAH)]},
        {"status": "1H", "goals": [goal(10, **SALAH, assist=9, assist_name="D. Núñez")]},
    )
    assert [row.get("goal.player") for row in rows] == [None, None, "234", None]
    assert rows[2]["replaces"] is True
    assert rows[3]["assist.player"] == "9"
    assert "goal.team" not in rows[3]


def test_an_unknown_event_never_stops_a_poll(harness: MatchdayHarness) -> None:
    strange = [event("Var", "x" * 500, 10, **SALAH), event("Card", "", 12), event("Zzz", "", 3)]
    rows = snapshots_of(harness, {"status": "1H", "events": strange, "goals": [goal(20, **SALAH)]})
    assert len(rows) == 4
    assert harness.fixture().status == "1H"


def whole_match(upto: int) -> dict[str, Any]:
    """The provider's answer after `upto` steps of the match."""
    goals = [goal(10, **SALAH), goal(45, extra=2, **SALAH), goal(80, team=50, player=5, name="E.")]
    events = [red(30, team=50, player=6, name="R."), off(70, player=3, name="A", assist=4)]
    steps: list[tuple[str, int, int, int]] = [
        ("1H", 11, 1, 0),
        ("1H", 30, 1, 1),
        ("1H", 45, 2, 1),
        ("HT", 45, 2, 1),
        ("2H", 46, 2, 1),
        ("2H", 70, 2, 2),
        ("2H", 80, 3, 2),
        ("FT", 90, 3, 2),
    ]
    status, elapsed, scored, happened = steps[upto]
    return {
        "status": status,
        "elapsed": elapsed,
        "goals": goals[:scored],
        "events": events[:happened],
    }


def test_t3_a_match_ingested_afterwards_gives_the_same_snapshots_as_live(
    harness: MatchdayHarness, mongo_uri: str
) -> None:
    live = snapshots_of(harness, *(whole_match(step) for step in range(8)), marks=True)
    harness.store.database.client.drop_database(harness.store.database.name)
    ensure_indexes(harness.store.database)
    afterwards = snapshots_of(harness, *[whole_match(7)] * 3, marks=True)
    assert afterwards == live
    assert [row["at"] for row in live if len(row) == 2] == [
        *("1H 0", "1H 5", "1H 10", "1H 15", "1H 20", "1H 25", "1H 30", "1H 35", "1H 40"),
        *("HT 45", "2H 45"),
        *("2H 50", "2H 55", "2H 60", "2H 65", "2H 70", "2H 75", "2H 80", "2H 85", "FT 90"),
    ]
    assert len(live) == 25


@pytest.mark.slow
@pytest.mark.usefixtures("short_transactions")
def test_t15_a_poll_killed_at_any_write_loses_and_doubles_no_snapshot(
    harness: MatchdayHarness, mongo_uri: str
) -> None:
    harness.put(status="NS")
    harness.track()
    harness.put_and_poll(whole_match(1))
    stored_snapshots(harness)
    before = {
        name: list(harness.store.database[name].find())
        for name in harness.store.database.list_collection_names()
    }
    harness.put(**whole_match(6))
    at = harness.clock.now() + timedelta(seconds=30)

    def run(listener: KillAtWrite) -> bool:
        """Polls, stores snapshots and evaluates triggers; False if the match is locked."""
        with MongoClient[Document](mongo_uri, tz_aware=True, event_listeners=[listener]) as client:
            database = client[harness.store.database.name]
            polled = run_cycle(
                MatchdayStore(database), harness.feed, ManualClock(at), polling_policy()
            )
            SnapshotStore(database).store_from_fixtures()
            evaluated = Evaluator(database, ManualClock(at)).run()
            return not polled.failures and not evaluated.failures

    def reset() -> None:
        for name in harness.store.database.list_collection_names():
            harness.store.database[name].delete_many({})
        for name, documents in before.items():
            if documents:
                harness.store.database[name].insert_many(documents)
        every = trigger(option("goal.team", "in", "home"), limits={"scope": 0}, scope_id=FIXTURE)
        TriggerStore(harness.store.database).create(every, at, "every")

    counter = KillAtWrite()
    reset()
    run(counter)
    expected = stored_snapshots(harness)
    assert len(expected) == 8
    for after in (False, True):
        for number in range(1, counter.count + 1):
            reset()
            with pytest.raises(Killed):
                run(KillAtWrite(number, after=after))
            assert any(run(KillAtWrite()) for _ in range(50))
            run(KillAtWrite())
            assert stored_snapshots(harness) == expected, (number, after)
            again = replay_scope(harness.store.database, KEY)
            assert again.matches_live, (number, after)
            assert len(again.live) == 1


def test_t16_a_hat_trick_raises_a_searchs_priority(harness: MatchdayHarness) -> None:
    """The clip pipeline is a subscriber like any other."""
    database = harness.store.database
    third = option("player.scores", "eq", 3, options=[option("player", "in", 234)])
    triggers = TriggerStore(database)
    triggers.create(trigger(third, scope_id=str(FIXTURE)), harness.clock.now(), "hat-trick")
    outbox = Outbox(database)
    outbox.subscribe(SearchesSubscriber.URL, harness.clock.now())
    harness.policy = polling_policy(search_attempts=3)
    goals = [goal(minute, **SALAH) for minute in (10, 20, 30)]
    snapshots_of(harness, *[{"status": "1H", "goals": goals}] * 3)
    SearchStore(database).open_searches()
    now = harness.clock.now() + timedelta(minutes=1)
    before = SearchStore(database).due_goals(now)
    Evaluator(database, harness.clock).run()
    Notifier(outbox, Subscribers(database), harness.clock).run()
    third_goal = max(harness.live(), key=lambda one: one.minute.elapsed)
    assert len(before) == 3
    assert SearchStore(database).due_goals(now)[0] == third_goal.key
    assert outbox.count_by_state() == {"delivered": 1}
