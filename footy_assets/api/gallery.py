"""What the pages show, read from the database: matchdays, matches, goals and their clips."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from pymongo.database import Database

from footy_assets.api import words
from footy_assets.archive.keys import VIDEO, beside, public_path
from footy_assets.clock import Clock
from footy_assets.discovery.words import plain
from footy_assets.errors import NotFound
from footy_assets.matchday.fixture import Fixture
from footy_assets.matchday.goal import GoalEvent
from footy_assets.store.clips import ClipDocuments
from footy_assets.store.collections import CLIPS, EVENTS, FIXTURES, Document
from footy_assets.store.documents import fixture_from, goal_from
from footy_assets.store.matchdays import MatchdayStore
from footy_assets.store.trigger_targets import known_match

MOST_FOUND = 60
STRIP_LENGTH = 12
NAMES_OF_SOURCES = {"x": "X", "bluesky": "Bluesky"}


@dataclass(frozen=True, slots=True)
class ClipCard:
    id: str
    path: str
    video: str
    poster: str
    thumbnail: str
    rank: int
    verified: bool
    popularity: int
    seconds: float
    width: int
    height: int
    size: int
    source: str
    source_url: str
    stored_at: datetime
    run_id: str | None
    better_copies: int

    @property
    def length(self) -> str:
        minutes, seconds = divmod(round(self.seconds), 60)
        return f"{minutes}:{seconds:02}"

    @property
    def liked(self) -> str:
        return words.short_number(self.popularity)

    @property
    def resolution(self) -> str:
        return f"{min(self.width, self.height)}p"


@dataclass(frozen=True, slots=True)
class GoalCard:
    goal: GoalEvent
    scorer: str
    team: str
    minute: str
    score: str
    detail: str
    assist: str | None
    state: str
    meaning: str
    tone: str
    clips: tuple[ClipCard, ...]

    @property
    def removed(self) -> bool:
        return not self.goal.live

    @property
    def path(self) -> str:
        return f"/goals/{self.goal.event_id}"

    @property
    def best(self) -> ClipCard | None:
        return self.clips[0] if self.clips else None


@dataclass(frozen=True, slots=True)
class MatchCard:
    fixture: Fixture
    status: str
    playing: bool
    goals: tuple[GoalCard, ...]

    @property
    def path(self) -> str:
        return f"/matches/{self.fixture.id}"

    @property
    def score(self) -> tuple[str, str]:
        home, away = self.fixture.goals
        return ("", "") if home is None or away is None else (str(home), str(away))

    @property
    def clips(self) -> list[tuple[GoalCard, ClipCard]]:
        return [(goal, clip) for goal in self.goals for clip in goal.clips]

    @property
    def spoken(self) -> str:
        """What a screen reader is told when it changes."""
        home, away = self.score
        told = f"{self.fixture.home.name} {home}, {self.fixture.away.name} {away}."
        if self.goals:
            last = self.goals[-1]
            told += f" {last.minute} {last.scorer}: {last.state}."
        return told


@dataclass(frozen=True, slots=True)
class Competition:
    name: str
    matches: tuple[MatchCard, ...]


@dataclass(frozen=True, slots=True)
class Matchday:
    day: date
    competitions: tuple[Competition, ...]
    before: date | None
    after: date | None

    @property
    def matches(self) -> list[MatchCard]:
        return [match for one in self.competitions for match in one.matches]

    @property
    def playing(self) -> int:
        return sum(match.playing for match in self.matches)

    @property
    def goals(self) -> int:
        return sum(not goal.removed for match in self.matches for goal in match.goals)

    @property
    def clips(self) -> int:
        return sum(len(goal.clips) for match in self.matches for goal in match.goals)

    @property
    def fresh(self) -> list[tuple[MatchCard, GoalCard, ClipCard]]:
        """The best clip of each goal, the latest first."""
        best = [
            (match, goal, goal.clips[0])
            for match in self.matches
            for goal in match.goals
            if goal.clips and not goal.removed
        ]
        return sorted(best, key=lambda found: found[2].stored_at, reverse=True)[:STRIP_LENGTH]


@dataclass(frozen=True, slots=True)
class Watched:
    """A clip on its page, with its neighbours in the match."""

    match: MatchCard
    goal: GoalCard
    clip: ClipCard
    before: ClipCard | None
    after: ClipCard | None


class Gallery:
    def __init__(self, database: Database[Document], clock: Clock, bucket: str) -> None:
        self._store = MatchdayStore(database)
        self._documents = ClipDocuments(database)
        self._fixtures = database[FIXTURES]
        self._events = database[EVENTS]
        self._clips = database[CLIPS]
        self._clock = clock
        self._bucket = bucket

    # -- days -----------------------------------------------------------------------------

    def matchday(self, day: date) -> Matchday:
        fixtures = self._store.fixtures_of(day)
        by_league: dict[int, list[MatchCard]] = defaultdict(list)
        names: dict[int, str] = {}
        for card in self._cards(fixtures):
            by_league[card.fixture.league.id].append(card)
            names[card.fixture.league.id] = card.fixture.league.name
        competitions = [
            Competition(names[league], tuple(cards)) for league, cards in by_league.items()
        ]
        competitions.sort(key=lambda one: (-sum(m.playing for m in one.matches), one.name))
        return Matchday(day, tuple(competitions), *self._neighbours(day))

    def day_to_show(self) -> date:
        """Today if there are matches, else the nearest day that has some, the past first."""
        today = self._clock.now().date()
        if self._fixtures.find_one({"matchday": today.isoformat()}, {"_id": 1}):
            return today
        before, after = self._neighbours(today)
        return before or after or today

    def _neighbours(self, day: date) -> tuple[date | None, date | None]:
        def found(query: Document, order: int) -> date | None:
            one = self._fixtures.find_one({"matchday": query}, sort=[("matchday", order)])
            return date.fromisoformat(one["matchday"]) if one else None

        return found({"$lt": day.isoformat()}, -1), found({"$gt": day.isoformat()}, 1)

    # -- matches, goals, clips ------------------------------------------------------------

    def match(self, fixture_id: int) -> MatchCard:
        found = self._store.known([fixture_id])
        if not found:
            raise NotFound(f"match {fixture_id} is not known", "Matches are kept for some weeks")
        return self._cards(list(found.values()))[0]

    def match_called(self, scope_id: str) -> MatchCard | None:
        """T1: snapshots may be of matches that are not ours, under whatever name."""
        known = known_match(self._store, scope_id)
        return self._cards([known])[0] if known else None

    def goal(self, event_id: str) -> tuple[MatchCard, GoalCard]:
        """The goal that has this name, or had it."""
        goal = self._documents.goal_called(event_id)
        if goal is None:
            raise NotFound(f"no goal is called {event_id}", "Goals are kept for some weeks")
        match = self.match(goal.fixture_id)
        return match, next(card for card in match.goals if card.goal.key == goal.key)

    def clip_document(self, key: str) -> Document | None:
        """The clip that this public key names, wherever its bytes lie by now.

        E6: that of a removed goal is gone at once, though its bytes are cleared later.
        """
        return self._of_a_live_goal({"public_key": key})

    def clip_with_picture(self, key: str) -> Document | None:
        """The clip that has this video key now, or had it first: pictures move with the bytes."""
        either = [{"key": key}, {"public_key": key}]
        return self._of_a_live_goal({"$or": either})

    def _of_a_live_goal(self, query: Document) -> Document | None:
        found = self._clips.find_one(query, {"fingerprint": 0})
        if found is None:
            return None
        live = {"_id": found["goal_key"], "live": True}
        return found if self._events.find_one(live, {"_id": 1}) else None

    def watched(self, name: str) -> Watched | None:
        """The clip of a share link."""
        document = self.clip_document(name + VIDEO)
        if document is None:
            return None
        event = self._events.find_one({"_id": document["goal_key"]})
        if event is None:
            return None
        match = self.match(event["fixture_id"])
        clips = match.clips
        at = next(i for i, (_, clip) in enumerate(clips) if clip.id == document["_id"])
        goal, clip = clips[at]
        before = clips[at - 1][1] if at else None
        after = clips[at + 1][1] if at + 1 < len(clips) else None
        return Watched(match, goal, clip, before, after)

    # -- search ---------------------------------------------------------------------------

    def search(self, text: str) -> tuple[list[MatchCard], list[tuple[MatchCard, GoalCard]]]:
        """Matches of teams, and goals of players, whose names contain these words."""
        wanted = plain(text).casefold().split()
        if not wanted:
            return [], []

        def fits(name: str | None) -> bool:
            folded = plain(name or "").casefold()
            return all(word in folded for word in wanted)

        latest = [("kickoff", -1), ("_id", -1)]
        teams = [
            name
            for side in ("home", "away")
            for name in self._fixtures.distinct(f"{side}.name")
            if fits(name)
        ]
        either = {"$or": [{"home.name": {"$in": teams}}, {"away.name": {"$in": teams}}]}
        matches = [
            fixture_from(d) for d in self._fixtures.find(either).sort(latest).limit(MOST_FOUND)
        ]
        players = [name for name in self._events.distinct("player.name") if fits(name)]
        scored = self._events.find({"player.name": {"$in": players}})
        goals = [
            goal_from(d) for d in scored.sort([("first_seen_at", -1), ("_id", 1)]).limit(MOST_FOUND)
        ]
        where = self._store.known({goal.fixture_id for goal in goals})
        cards = {card.fixture.id: card for card in self._cards(list(where.values()))}
        found = [
            (cards[goal.fixture_id], card)
            for goal in goals
            if goal.fixture_id in cards
            for card in cards[goal.fixture_id].goals
            if card.goal.key == goal.key
        ]
        return self._cards(matches), found

    # -- cards ----------------------------------------------------------------------------

    def _cards(self, fixtures: Sequence[Fixture]) -> list[MatchCard]:
        now = self._clock.now()
        goals = self._store.goals_of([fixture.id for fixture in fixtures])
        clips: dict[str, list[ClipCard]] = defaultdict(list)
        keys = [goal.key for found in goals.values() for goal in found]
        for document in self._documents.documents_of(keys):
            clips[document["goal_key"]].append(clip_card(document, self._bucket))
        return [
            MatchCard(
                fixture,
                words.status_words(fixture, now),
                words.is_playing(fixture),
                tuple(
                    goal_card(goal, fixture, clips[goal.key])
                    for goal in _ordered(goals[fixture.id])
                ),
            )
            for fixture in fixtures
        ]


def goal_card(goal: GoalEvent, fixture: Fixture, clips: Sequence[ClipCard]) -> GoalCard:
    score = goal.score_after
    return GoalCard(
        goal=goal,
        scorer=words.scorer(goal),
        team=fixture.side_of(goal.team_id).name,
        minute=str(goal.minute),
        score=f"{score[0]}–{score[1]}" if score and goal.live else "",
        detail=words.detail_words(goal),
        assist=goal.assist.name if goal.assist.known else None,
        state=words.state_words(goal, len(clips)),
        meaning=words.state_meaning(goal, len(clips)),
        tone="clips" if clips and goal.live else str(goal.state),
        clips=tuple(clips),
    )


def clip_card(document: Document, bucket: str) -> ClipCard:
    poster, thumbnail = beside(document["key"])
    return ClipCard(
        id=document["_id"],
        path=f"/watch/{document['public_key'].removesuffix(VIDEO)}",
        video=public_path(bucket, document["public_key"]),
        poster=public_path(bucket, poster),
        thumbnail=public_path(bucket, thumbnail),
        rank=document["rank"] or 0,
        verified=bool(document["verified"]),
        popularity=document["popularity"],
        seconds=document["duration"],
        width=document["width"],
        height=document["height"],
        size=document["size"],
        source=NAMES_OF_SOURCES.get(document["source"], str(document["source"])),
        source_url=safe_link(document["source_url"]),
        stored_at=document["stored_at"],
        run_id=document.get("run_id"),
        better_copies=len(document["replaced"]),
    )


def safe_link(url: str) -> str:
    """Posts are written by strangers: only an address of the web becomes a link."""
    return url if url.startswith(("https://", "http://")) else ""


def _ordered(goals: Iterable[GoalEvent]) -> list[GoalEvent]:
    return sorted(goals, key=lambda goal: (goal.minute.sort_key, goal.score_after or (0, 0)))
