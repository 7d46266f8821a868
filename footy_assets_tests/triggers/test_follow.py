"""T18: following a team, a player or a match, across matches and days."""

from datetime import timedelta

import pytest
from pymongo.database import Database

from footy_assets.clips.store.announcements import Announcements
from footy_assets.errors import BadInput, NotFound
from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.rules.line_up import RosterPlayer
from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.matchday.rules.sighting import League, Player, Side
from footy_assets.matchday.rules.statuses import FixtureState
from footy_assets.matchday.store.documents import fixture_document, goal_document
from footy_assets.matchday.store.rosters import RosterStore
from footy_assets.store.collections import EVENTS, FIXTURES, Document
from footy_assets.triggers.follow import (
    FollowRequest,
    make_follow_triggers,
    shown_follow,
    start_follow,
    stop_follow,
)
from footy_assets.triggers.rules.snapshot import Snapshot
from footy_assets.triggers.store.follows import FollowStore
from footy_assets_tests.triggers.conftest import Stages
from footy_assets_tests.triggers.fake_subscriber import FakeSubscriber, subscriber
from footy_assets_tests.triggers.published import publish_clip
from footy_assets_tests.triggers.rules.builders import KICKOFF, snap
from resources.notify.channels import Channel
from sensors.triggers import announce_published

LIVERPOOL, CHELSEA, ARSENAL, SALAH = 40, 49, 42, 306
GOAL = {"goal__team": "home", "goal__player": SALAH, "score__home": 1, "score__away": 0}


class NoChannels:
    def check(self, url: str) -> Channel:
        raise BadInput("no channel")


def put_match(
    database: Database[Document], id: int, home: int = LIVERPOOL, days: int = 0
) -> Fixture:
    names = {LIVERPOOL: "Liverpool", ARSENAL: "Arsenal"}
    fixture = Fixture(
        id=id,
        kickoff=KICKOFF + timedelta(days=days),
        status="NS",
        league=League(39, "Premier League", 2024),
        home=Side(home, names[home]),
        away=Side(CHELSEA, "Chelsea"),
        state=FixtureState.STAGING,
    )
    document = fixture_document(fixture)
    database[FIXTURES].replace_one({"_id": id}, document, upsert=True)
    return fixture


def follow(
    stages: Stages, kind: str, target: str, fake: FakeSubscriber | None = None, **more: object
) -> str:
    url = fake.url if fake else None
    request = FollowRequest(kind, target, url, **more)  # type: ignore[arg-type]
    made = start_follow(stages.database, request, NoChannels(), stages.clock.now())
    if fake:
        fake.secret = stages.outbox.subscription(f"follow-{made.id}")["secret"]
    return made.id


def in_match(number: int, match: int, **options: object) -> Snapshot:
    moment = snap(number, **options)
    return moment.model_copy(update={"id": f"{match}-{number}", "scope_id": str(match)})


def play(stages: Stages, *snapshots: Snapshot) -> None:
    make_follow_triggers(stages.database, stages.clock.now())
    stages.push(*snapshots)
    stages.evaluate()
    stages.notify()


def titles(fake: FakeSubscriber) -> list[str]:
    return [body["message"]["title"] for _, body in fake.received]


def test_t18_a_team_is_followed_across_matches_and_days(stages: Stages) -> None:
    put_match(stages.database, 5000)
    put_match(stages.database, 6000, home=ARSENAL)
    with subscriber() as fake:
        follow(stages, "team", "liverpool", fake)
        play(
            stages,
            in_match(1, 5000, **GOAL),
            in_match(2, 5000, card__team="home", card__type="red"),
            in_match(3, 5000, card__team="away", card__type="red"),
            in_match(4, 5000, match__status="FT"),
            in_match(1, 6000, **GOAL),
        )
        assert len(fake.received) == 3, "not the other side's card, not the other match"
        assert fake.received[0][1]["message"]["score"] == "Liverpool 1–0 Chelsea"
        put_match(stages.database, 7000, days=7)
        play(stages, in_match(1, 7000, **GOAL), in_match(2, 7000, **GOAL))
    assert len(fake.received) == 5


def test_t18_a_player_is_followed_before_kickoff_and_before_rosters_are_known(
    stages: Stages,
) -> None:
    put_match(stages.database, 5000)
    put_match(stages.database, 6000, home=ARSENAL)
    rosters = RosterStore(stages.database)
    salah = RosterPlayer(Player(SALAH, "Mohamed Salah"))
    rosters.save_squad(LIVERPOOL, [salah], stages.clock.now())
    rosters.save_squad(CHELSEA, [RosterPlayer(Player(9, "N. Jackson"))], stages.clock.now())
    with subscriber() as fake:
        id = follow(stages, "player", "salah", fake)
        assert FollowStore(stages.database).get(id).name == "Mohamed Salah"
        play(stages, in_match(1, 5000, **GOAL), in_match(1, 6000, **GOAL))
    # Arsenal's roster is not known: he may be in it.
    assert titles(fake) == ["Goal for Liverpool: Mohamed Salah", "Goal for Arsenal: player 306"]


def test_t18_a_match_is_followed_and_at_most_so_many_messages_come(stages: Stages) -> None:
    put_match(stages.database, 5000)
    with subscriber() as fake:
        follow(stages, "match", "5000", fake, cap=2)
        play(stages, *(in_match(n, 5000, goal__team="away") for n in range(1, 6)))
    assert len(fake.received) == 2
    assert [body["next"] for _, body in fake.received] == [True, False]


def test_t18_a_cap_that_is_set_anew_holds_for_matches_that_have_begun(stages: Stages) -> None:
    put_match(stages.database, 5000)
    with subscriber() as fake:
        follow(stages, "match", "5000", fake)
        play(stages, *(in_match(n, 5000, goal__team="away") for n in range(1, 4)))
        assert len(fake.received) == 3, "any number"
        follow(stages, "match", "5000", fake, cap=4)
        play(stages, *(in_match(n, 5000, goal__team="away") for n in range(4, 7)))
        assert len(fake.received) == 4
        follow(stages, "match", "5000", fake)
        play(stages, *(in_match(n, 5000, goal__team="away") for n in range(7, 9)))
    assert len(fake.received) == 6


def test_t18_following_twice_is_one_follow_and_a_removed_one_is_silent(stages: Stages) -> None:
    put_match(stages.database, 5000)
    with subscriber() as fake:
        first = follow(stages, "team", "Liverpool", fake)
        assert follow(stages, "team", str(LIVERPOOL), fake) == first
        play(stages, in_match(1, 5000, **GOAL))
        stop_follow(stages.database, first, stages.clock.now())
        play(stages, in_match(2, 5000, **GOAL))
        assert len(fake.received) == 1
        with pytest.raises(NotFound):
            stop_follow(stages.database, first, stages.clock.now())
        assert follow(stages, "team", "Liverpool", fake) == first
        play(stages, in_match(3, 5000, **GOAL))
    assert len(fake.received) == 2


@pytest.mark.parametrize(
    ("kind", "target", "suggested"),
    [
        ("team", "Liverpol", "Liverpool"),
        ("team", "40404", "Liverpool"),
        ("player", "Sallah", "Mohamed Salah"),
        ("match", "Liverpol Chelsea", "Liverpool – Chelsea"),
    ],
)
def test_t19_what_does_not_exist_is_refused_with_the_nearest_right_one(
    stages: Stages, kind: str, target: str, suggested: str
) -> None:
    put_match(stages.database, 5000)
    salah = RosterPlayer(Player(SALAH, "Mohamed Salah"))
    RosterStore(stages.database).save_squad(LIVERPOOL, [salah], stages.clock.now())
    with pytest.raises(BadInput, match=suggested):
        follow(stages, kind, target)


def test_t17_a_follow_is_shown_without_the_secret_of_its_channel(stages: Stages) -> None:
    put_match(stages.database, 5000)

    class AnyChannel:
        def check(self, url: str) -> Channel:
            return Channel("Telegram", url)

    request = FollowRequest("team", "Liverpool", "tgram://s3cr3t/1", cap=3)
    made = start_follow(stages.database, request, AnyChannel(), stages.clock.now())
    shown = shown_follow(stages.database, made)
    assert (shown["to"], shown["cap"]) == ("tgram://********", 3)
    assert "s3cr3t" not in str(shown)


def put_goal(database: Database[Document], fixture: Fixture) -> GoalEvent:
    goal = GoalEvent(
        key="k1",
        event_id="5000_40_306_Goal_1",
        fixture_id=fixture.id,
        team_id=LIVERPOOL,
        player=Player(SALAH, "Mohamed Salah"),
        minute=MatchMinute(23),
        detail="Normal Goal",
        side="home",
        score_after=(1, 0),
        first_seen_at=KICKOFF,
    )
    database[EVENTS].replace_one({"_id": goal.key}, goal_document(goal), upsert=True)
    return goal


def put_clip(database: Database[Document], number: int, *, verified: bool) -> None:
    publish_clip(
        database, "k1", number, KICKOFF + timedelta(minutes=30 + number), verified=verified
    )


def announce(stages: Stages) -> list[str]:
    return list(announce_published(stages.database, "http://gallery.test", KICKOFF.date()))


def test_t18_a_clip_is_announced_once_and_again_when_a_verified_one_is_there(
    stages: Stages,
) -> None:
    fixture = put_match(stages.database, 5000)
    put_goal(stages.database, fixture)
    with subscriber() as fake:
        follow(stages, "player", str(SALAH), fake)
        put_clip(stages.database, 1, verified=False)
        assert announce(stages) == ["5000/clip/k1"]
        assert announce(stages) == []
        put_clip(stages.database, 2, verified=False)
        assert announce(stages) == []
        put_clip(stages.database, 3, verified=True)
        assert announce(stages) == ["5000/clip/k1/verified"]
        assert Announcements(stages.database).waiting() == []
        stages.evaluate()
        stages.notify()
    [(_, body)] = fake.received
    assert body["message"]["title"] == "Clip: goal by Mohamed Salah"
    assert body["message"]["link"] == "http://gallery.test/watch/5000/e/1"
    assert body["message"]["score"] == "Liverpool 1–0 Chelsea"
    assert body["message"]["minute"] == "23'"


def test_t18_a_crash_between_the_snapshot_and_its_mark_announces_nothing_twice(
    stages: Stages, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_goal(stages.database, put_match(stages.database, 5000))
    put_clip(stages.database, 1, verified=True)
    with monkeypatch.context() as patch:
        patch.setattr(Announcements, "mark_announced", killed)
        with pytest.raises(SystemExit):
            announce(stages)
    assert announce(stages) == []
    assert [one.id for _, one in stages.snapshots.numbered("game/5000")] == ["5000/clip/k1"]


def killed(*_: object) -> None:
    raise SystemExit
