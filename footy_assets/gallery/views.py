"""Reads matchdays, matches, goals and their clips for the pages."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date

from pymongo.database import Database

from footy_assets.clips.rules.keys import VIDEO
from footy_assets.clips.store.clips import ClipDocuments
from footy_assets.clock import Clock
from footy_assets.errors import NotFound
from footy_assets.gallery import labels
from footy_assets.gallery.cards import (
    ClipCard,
    ClipWithNeighbours,
    GoalCard,
    LeagueOfDay,
    MatchCard,
    Matchday,
    clip_card,
    goal_card,
    line_up_cards,
)
from footy_assets.gallery.store import GalleryStore
from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.store.matchdays import MatchdayStore
from footy_assets.matchday.store.rosters import RosterStore
from footy_assets.names import plain
from footy_assets.store.collections import Document
from footy_assets.triggers.store.targets import find_match

MOST_FOUND = 60


class Gallery:
    def __init__(self, database: Database[Document], clock: Clock, bucket: str) -> None:
        self._store = MatchdayStore(database)
        self._documents = ClipDocuments(database)
        self._gallery_store = GalleryStore(database)
        self._rosters = RosterStore(database)
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
            LeagueOfDay(names[league], tuple(cards)) for league, cards in by_league.items()
        ]
        competitions.sort(key=lambda one: (-sum(m.playing for m in one.matches), one.name))
        return Matchday(day, tuple(competitions), *self._gallery_store.neighbours(day))

    def day_to_show(self) -> date:
        """Today if there are matches, else the nearest day that has some, the past first."""
        today = self._clock.now().date()
        if self._gallery_store.has_matches(today):
            return today
        before, after = self._gallery_store.neighbours(today)
        return before or after or today

    # -- matches, goals, clips ------------------------------------------------------------

    def match(self, fixture_id: int) -> MatchCard:
        found = self._store.fixtures_by_id([fixture_id])
        if not found:
            raise NotFound(f"match {fixture_id} is not known", "Matches are kept for some weeks")
        return self._cards(list(found.values()))[0]

    def match_with_line_ups(self, fixture_id: int) -> MatchCard:
        match = self.match(fixture_id)
        teams = (match.fixture.home.id, match.fixture.away.id)
        rosters = self._rosters.rosters({fixture_id: teams})[fixture_id]
        return replace(match, line_ups=line_up_cards(match.fixture, rosters))

    def find_match(self, scope_id: str) -> MatchCard | None:
        """T1: a snapshot's scope may be a match that we do not follow."""
        known = find_match(self._store, scope_id)
        return self._cards([known])[0] if known else None

    def goal(self, event_id: str) -> tuple[MatchCard, GoalCard]:
        """The goal that has, or had, this event id."""
        goal = self._documents.goals.find_by_event_id(event_id)
        if goal is None:
            raise NotFound(f"goal {event_id} is not known", "Goals are kept for some weeks")
        match = self.match(goal.fixture_id)
        return match, next(card for card in match.goals if card.goal.key == goal.key)

    def clip_document(self, key: str) -> Document | None:
        return self._gallery_store.clip_by_public_key(key)

    def rendition(self, fixture_id: int, key: str) -> Document | None:
        return self._gallery_store.rendition(fixture_id, key)

    def clip_by_video_key(self, key: str) -> Document | None:
        return self._gallery_store.clip_by_video_key(key)

    def clip_with_neighbours(self, name: str) -> ClipWithNeighbours | None:
        """The clip of a share link."""
        document = self.clip_document(name + VIDEO)
        if document is None:
            return None
        scored = self._documents.goals.get(document["goal_key"])
        if scored is None:
            return None
        match = self.match(scored.fixture_id)
        clips = match.clips
        at = next(i for i, (_, clip) in enumerate(clips) if clip.id == document["_id"])
        goal, clip = clips[at]
        before = clips[at - 1][1] if at else None
        after = clips[at + 1][1] if at + 1 < len(clips) else None
        return ClipWithNeighbours(match, goal, clip, before, after)

    # -- search ---------------------------------------------------------------------------

    def search(self, text: str) -> tuple[list[MatchCard], list[tuple[MatchCard, GoalCard]]]:
        """Matches of teams, and goals of players, whose names contain these words."""
        wanted = plain(text).casefold().split()
        if not wanted:
            return [], []

        def fits(name: str | None) -> bool:
            folded = plain(name or "").casefold()
            return all(word in folded for word in wanted)

        matches = self._gallery_store.matches_of_teams(fits, MOST_FOUND)
        goals = self._gallery_store.goals_of_players(fits, MOST_FOUND)
        where = self._store.fixtures_by_id({goal.fixture_id for goal in goals})
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
                labels.status_label(fixture, now),
                labels.is_playing(fixture),
                tuple(
                    goal_card(goal, fixture, clips[goal.key])
                    for goal in _by_minute(goals[fixture.id])
                ),
            )
            for fixture in fixtures
        ]


def _by_minute(goals: Iterable[GoalEvent]) -> list[GoalEvent]:
    return sorted(goals, key=lambda goal: (goal.minute.sort_key, goal.score_after or (0, 0)))
