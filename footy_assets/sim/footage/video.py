"""A posted video: its kind, its recipe, and its expected outcome."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from footy_assets.sim.footage import film, other_scenes
from footy_assets.sim.footage.copies import Copy
from footy_assets.sim.footage.film import GoalFilm
from footy_assets.sim.footage.other_scenes import Place


class Kind(StrEnum):
    BROADCAST = "broadcast"
    SMALL = "small"
    RESIZED = "resized"
    CROPPED = "cropped"
    WATERMARKED = "watermarked"
    SHIFTED = "shifted"
    TRIMMED = "trimmed"
    OTHER_RATE = "other rate"
    MIRRORED = "mirrored"
    CAPTIONED = "captioned"
    LETTERBOXED = "letterboxed"
    SAME_BYTES = "same bytes"
    OTHER_GOAL = "other goal"
    OTHER_MATCH = "other match, same minute"
    OTHER_DAY = "same teams, other day"
    NOT_FOOTBALL = "not football"
    FILMED = "filmed off a screen"
    TOO_SHORT = "too short"
    TOO_LONG = "too long"
    TOO_SMALL = "too small"
    PORTRAIT = "portrait"
    TRUNCATED = "truncated"
    GARBAGE = "garbage"
    GEO_BLOCKED = "geo-blocked"
    REMOVED = "removed"
    PRIVATE = "private"


class ExpectedOutcome(StrEnum):
    """The expected outcome: `wrong` shows another goal, `duplicate` has another video's bytes."""

    RIGHT = "right"
    WRONG = "wrong"
    REFUSED = "refused"
    DUPLICATE = "duplicate"


class ExpectedReason(StrEnum):
    WRONG_CLOCK = "wrong_clock"
    WRONG_MATCH = "wrong_match"
    WRONG_SCORE = "wrong_score"
    NOT_FOOTBALL = "not_football"
    FILMED_OFF_SCREEN = "filmed_off_screen"
    TOO_SHORT = "too_short"
    TOO_LONG = "too_long"
    TOO_SMALL = "too_small"
    PORTRAIT = "portrait"
    UNREADABLE = "unreadable"
    GEO_BLOCKED = "geo_blocked"
    REMOVED = "removed"
    PRIVATE = "private"


class Damage(StrEnum):
    TRUNCATED = "truncated"
    GARBAGE = "garbage"


@dataclass(frozen=True)
class OtherScene:
    place: Place
    seed: int
    seconds: float


@dataclass(frozen=True)
class Recipe:
    """How to make a file: a film, a copy of it, or what is elsewhere; whole or damaged."""

    film: GoalFilm | None = None
    copy: Copy | None = None
    elsewhere: OtherScene | None = None
    damage: Damage | None = None

    @property
    def seconds(self) -> float:
        if self.elsewhere is not None:
            return self.elsewhere.seconds
        if self.copy is not None:
            return self.copy.seconds
        return film.seconds_of(self.film) if self.film is not None else 0.0

    @property
    def size(self) -> tuple[int, int]:
        if self.elsewhere is not None:
            return other_scenes.SIZE
        return (self.copy.width, self.copy.height) if self.copy is not None else film.SIZE


@dataclass(frozen=True)
class FanVideo:
    """One posted video. `goal_key` is the goal it is posted for, `shows` the goal it shows.

    Without a recipe there is no file: a request for it fails with `expected_reason`. `shows_clock`
    is whether a match clock is readable in it.
    """

    video_id: str
    goal_key: str
    kind: Kind
    expected: ExpectedOutcome
    expected_reason: ExpectedReason | None
    duplicate_of: str | None
    shows: str | None
    shows_clock: bool
    posted_at: datetime
    delay: timedelta
    popularity: int
    recipe: Recipe | None

    @property
    def duration(self) -> float:
        return self.recipe.seconds if self.recipe is not None else 0.0

    @property
    def size(self) -> tuple[int, int]:
        return self.recipe.size if self.recipe is not None else (0, 0)


RIGHT_KINDS = (
    Kind.SMALL,
    Kind.WATERMARKED,
    Kind.SHIFTED,
    Kind.CROPPED,
    Kind.OTHER_RATE,
    Kind.CAPTIONED,
    Kind.RESIZED,
    Kind.MIRRORED,
    Kind.TRIMMED,
    Kind.LETTERBOXED,
)
# First come first: the copies that appear within a minute are of the kinds with a clock.
EARLY_KINDS = tuple(kind for kind in RIGHT_KINDS if kind is not Kind.MIRRORED)
REFUSED: dict[Kind, ExpectedReason] = {
    Kind.FILMED: ExpectedReason.FILMED_OFF_SCREEN,
    Kind.TOO_SHORT: ExpectedReason.TOO_SHORT,
    Kind.GEO_BLOCKED: ExpectedReason.GEO_BLOCKED,
    Kind.TOO_SMALL: ExpectedReason.TOO_SMALL,
    Kind.TRUNCATED: ExpectedReason.UNREADABLE,
    Kind.PORTRAIT: ExpectedReason.PORTRAIT,
    Kind.REMOVED: ExpectedReason.REMOVED,
    Kind.TOO_LONG: ExpectedReason.TOO_LONG,
    Kind.GARBAGE: ExpectedReason.UNREADABLE,
    Kind.PRIVATE: ExpectedReason.PRIVATE,
}
# V7: footage with a readable scorebug and the goal's minute, which only the scorebug gives away.
LOOK_ALIKES: dict[Kind, ExpectedReason] = {
    Kind.OTHER_MATCH: ExpectedReason.WRONG_MATCH,
    Kind.OTHER_DAY: ExpectedReason.WRONG_SCORE,
}
WITHOUT_FILE = frozenset([Kind.GEO_BLOCKED, Kind.REMOVED, Kind.PRIVATE])
