"""One posted video: what it is, what it is made of, and what should become of it."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from footy_assets.sim.footage import elsewhere, film
from footy_assets.sim.footage.copies import Copy
from footy_assets.sim.footage.elsewhere import Place
from footy_assets.sim.footage.film import GoalFilm


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


class Verdict(StrEnum):
    """What should become of a video: `wrong` shows another goal, `duplicate` is another's bytes."""

    RIGHT = "right"
    WRONG = "wrong"
    REFUSED = "refused"
    DUPLICATE = "duplicate"


class Reason(StrEnum):
    WRONG_CLOCK = "wrong_clock"
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
class Elsewhere:
    place: Place
    seed: int
    seconds: float


@dataclass(frozen=True)
class Recipe:
    """How to make a file: a film, a copy of it, or what is elsewhere; whole or damaged."""

    film: GoalFilm | None = None
    copy: Copy | None = None
    elsewhere: Elsewhere | None = None
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
            return elsewhere.SIZE
        return (self.copy.width, self.copy.height) if self.copy is not None else film.SIZE


@dataclass(frozen=True)
class FanVideo:
    """One posted video. `goal_key` is the goal it is posted for, `shows` the goal it shows.

    Without a recipe there is no file: whoever asks for it gets the refusal that `expected_reason`
    names. `shows_clock` tells if a match clock can be read in it.
    """

    video_id: str
    goal_key: str
    kind: Kind
    expected: Verdict
    expected_reason: Reason | None
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
REFUSED: dict[Kind, Reason] = {
    Kind.FILMED: Reason.FILMED_OFF_SCREEN,
    Kind.TOO_SHORT: Reason.TOO_SHORT,
    Kind.GEO_BLOCKED: Reason.GEO_BLOCKED,
    Kind.TOO_SMALL: Reason.TOO_SMALL,
    Kind.TRUNCATED: Reason.UNREADABLE,
    Kind.PORTRAIT: Reason.PORTRAIT,
    Kind.REMOVED: Reason.REMOVED,
    Kind.TOO_LONG: Reason.TOO_LONG,
    Kind.GARBAGE: Reason.UNREADABLE,
    Kind.PRIVATE: Reason.PRIVATE,
}
WITHOUT_FILE = frozenset([Kind.GEO_BLOCKED, Kind.REMOVED, Kind.PRIVATE])
