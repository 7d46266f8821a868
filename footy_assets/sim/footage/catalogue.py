"""The videos that fans post about each goal, with the expected outcome of each."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from random import Random
from typing import Generic, TypeVar

from footy_assets.sim.footage import other_scenes
from footy_assets.sim.footage.broadcast import (
    AiredGoal,
    aired_goals,
    archive_goal,
    goal_of_another_day,
    goal_of_another_match,
)
from footy_assets.sim.footage.other_scenes import Place
from footy_assets.sim.footage.recipes import recipe_of
from footy_assets.sim.footage.video import (
    EARLY_KINDS,
    LOOK_ALIKES,
    REFUSED,
    RIGHT_KINDS,
    WITHOUT_FILE,
    ExpectedOutcome,
    ExpectedReason,
    FanVideo,
    Kind,
    OtherScene,
    Recipe,
)
from footy_assets.sim.world import World

# The clock of another goal's clip differs by at least this many minutes.
MIN_MINUTES_APART = 3
# Every third goal gets its best copy only minutes later.
LATE_BEST_EVERY = 3
SAME_BYTES_EVERY = 4
# Each costs a film of its own.
LOOK_ALIKE_EVERY = 4

Card = TypeVar("Card")


def catalogue(world: World, seed: int = 7) -> tuple[FanVideo, ...]:
    """Every video about every goal of the world, in the order in which they are posted."""
    aired, decks = aired_goals(world, seed), _Decks(seed)
    videos = [
        video
        for number in range(len(aired))
        for video in _Fans(world, aired, number, decks).videos()
    ]
    return tuple(sorted(videos, key=lambda video: (video.posted_at, video.video_id)))


def videos_of(videos: Iterable[FanVideo], goal_key: str) -> tuple[FanVideo, ...]:
    return tuple(video for video in videos if video.goal_key == goal_key)


class _Deck(Generic[Card]):
    """Deals kinds like cards: each once before any comes twice."""

    def __init__(self, cards: Iterable[Card], rng: Random) -> None:
        self._cards, self._rng = tuple(cards), rng
        self._left: list[Card] = []

    def deal(self, but: Iterable[Card] = ()) -> Card:
        """The next card that is none of `but`."""
        barred = set(but)
        while all(card in barred for card in self._left):
            self._left += self._rng.sample(self._cards, len(self._cards))
        card = next(card for card in self._left if card not in barred)
        self._left.remove(card)
        return card


class _Decks:
    """The decks that a catalogue is dealt from."""

    def __init__(self, seed: int) -> None:
        rng = Random(f"decks-{seed}")
        self.early = _Deck(EARLY_KINDS, rng)
        self.right = _Deck(RIGHT_KINDS, rng)
        self.noise = _Deck((Kind.OTHER_GOAL, Kind.NOT_FOOTBALL), rng)
        self.refused = _Deck(REFUSED, rng)
        self.places = _Deck(Place, rng)
        self.look_alikes = _Deck(LOOK_ALIKES, rng)


class _Fans:
    """Those who post about one goal."""

    def __init__(
        self, world: World, aired: Sequence[AiredGoal], number: int, decks: _Decks
    ) -> None:
        self._world, self._aired, self._decks = world, aired, decks
        self._number, self._goal = number, aired[number]
        self._rng = Random(f"fans-{self._goal.film.seed}")

    def videos(self) -> Iterator[FanVideo]:
        """The broadcast itself, copies, and videos that should be refused."""
        rng, decks = self._rng, self._decks
        first = decks.early.deal()
        early = self._copy(first, self._soon())
        yield early
        yield self._copy(Kind.BROADCAST, self._best_delay())
        yield self._copy(decks.right.deal(but=[first]), timedelta(seconds=rng.randint(60, 420)))
        noise = decks.noise.deal()
        yield (
            self._other_goal(timedelta(seconds=rng.randint(30, 300)))
            if (noise is Kind.OTHER_GOAL)
            else self._other_scene(timedelta(seconds=rng.randint(15, 400)))
        )
        yield self._refused(decks.refused.deal(), timedelta(seconds=rng.randint(20, 420)))
        if rng.random() < 0.4:
            yield self._refused(decks.refused.deal(), timedelta(seconds=rng.randint(20, 420)))
        if self._number % SAME_BYTES_EVERY == 1:
            after = early.delay + timedelta(seconds=rng.randint(5, 20))
            yield self._same_bytes(early, after)
        if self._number % LOOK_ALIKE_EVERY == LOOK_ALIKE_EVERY - 1:
            kind = decks.look_alikes.deal()
            yield self._look_alike(kind, timedelta(seconds=rng.randint(20, 300)))

    def _soon(self) -> timedelta:
        return timedelta(seconds=self._rng.randint(20, 75))

    def _best_delay(self) -> timedelta:
        """Where the feed settles late, the goal is searched late too: something is posted then."""
        goal = self._goal.goal
        if goal.ending != "removed" and goal.settled_at - goal.shown_at > timedelta(minutes=1):
            settled = goal.settled_at - goal.shown_at
            return settled + timedelta(seconds=self._rng.randint(100, 200))
        if self._number % LATE_BEST_EVERY == 0:
            return timedelta(seconds=self._rng.randint(420, 700))
        return timedelta(seconds=self._rng.randint(45, 150))

    def _copy(self, kind: Kind, delay: timedelta) -> FanVideo:
        clock = kind is not Kind.MIRRORED
        recipe = recipe_of(kind, self._goal.film, self._rng)
        return self._video(
            kind, delay, ExpectedOutcome.RIGHT, recipe, clock=clock, shows=self._goal.key
        )

    def _same_bytes(self, original: FanVideo, delay: timedelta) -> FanVideo:
        video = self._video(Kind.SAME_BYTES, delay, ExpectedOutcome.DUPLICATE, original.recipe)
        return replace(
            video,
            duplicate_of=original.video_id,
            shows=original.shows,
            shows_clock=original.shows_clock,
        )

    def _refused(self, kind: Kind, delay: timedelta) -> FanVideo:
        reason = REFUSED[kind]
        recipe = None
        if kind not in WITHOUT_FILE:
            recipe = recipe_of(kind, self._goal.film, self._rng)
        shows = None if kind is Kind.GARBAGE or recipe is None else self._goal.key
        return self._video(kind, delay, ExpectedOutcome.REFUSED, recipe, reason, shows=shows)

    def _other_scene(self, delay: timedelta) -> FanVideo:
        seconds = self._rng.randint(50, 90) / 10
        shown = OtherScene(
            self._decks.places.deal(), self._rng.getrandbits(30), _whole_frames(seconds)
        )
        recipe = Recipe(elsewhere=shown)
        return self._video(
            Kind.NOT_FOOTBALL, delay, ExpectedOutcome.REFUSED, recipe, ExpectedReason.NOT_FOOTBALL
        )

    def _other_goal(self, delay: timedelta) -> FanVideo:
        """A clip of another goal, of this match if there was one, else of another or an old one."""
        posted = self._goal.goal.shown_at + delay
        others = [
            other
            for other in self._aired
            if other.goal.shown_at < self._goal.goal.shown_at
            and other.goal.shown_at < posted
            and all(
                abs(other.clock_minute - minute) >= MIN_MINUTES_APART
                for minute in self._goal.minutes
            )
        ]
        fixture = self._goal.goal.fixture_id
        same = [other for other in others if other.goal.fixture_id == fixture]
        if same or others:
            other = self._rng.choice(same or others)
            shown, shows = other.film, other.key
        else:
            script = self._world.by_id[fixture]
            shown = archive_goal(self._goal, script.league, (script.home, script.away))
            shows = None
        recipe = recipe_of(Kind.OTHER_GOAL, shown, self._rng)
        reason = ExpectedReason.WRONG_CLOCK
        return self._video(
            Kind.OTHER_GOAL, delay, ExpectedOutcome.WRONG, recipe, reason, clock=True, shows=shows
        )

    def _look_alike(self, kind: Kind, delay: timedelta) -> FanVideo:
        """V7: a goal in this minute, of another match or of another day."""
        script = self._world.by_id[self._goal.goal.fixture_id]
        film_of = goal_of_another_match if kind is Kind.OTHER_MATCH else goal_of_another_day
        shown = film_of(self._goal, script.league, (script.home, script.away))
        recipe = recipe_of(kind, shown, self._rng)
        reason = LOOK_ALIKES[kind]
        return self._video(kind, delay, ExpectedOutcome.WRONG, recipe, reason, clock=True)

    def _video(
        self,
        kind: Kind,
        delay: timedelta,
        expected: ExpectedOutcome,
        recipe: Recipe | None,
        reason: ExpectedReason | None = None,
        *,
        clock: bool = False,
        shows: str | None = None,
    ) -> FanVideo:
        popularity = round(10 ** self._rng.uniform(1, 4.5))
        identity = f"{self._goal.film.seed}-{kind}-{delay.total_seconds()}-{popularity}"
        return FanVideo(
            video_id=hashlib.sha256(identity.encode()).hexdigest()[:12],
            goal_key=self._goal.key,
            kind=kind,
            expected=expected,
            expected_reason=reason,
            duplicate_of=None,
            shows=shows,
            shows_clock=clock,
            posted_at=self._goal.goal.shown_at + delay,
            delay=delay,
            popularity=popularity,
            recipe=recipe,
        )


def _whole_frames(seconds: float) -> float:
    """Rounded to whole frames."""
    return round(seconds * other_scenes.FPS) / other_scenes.FPS
