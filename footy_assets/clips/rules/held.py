"""SE8: a file that is judged and not published, because its goal is not stable yet."""

from dataclasses import dataclass
from datetime import datetime

from footy_assets.clips.rules.keys import (
    HASH_PREFIX,
    VIDEO,
    poster_and_thumbnail_keys,
    scorebug_key,
)
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.media import Fingerprint, Probe, RefusalReason, ValidationResult
from footy_assets.media.goal_facts import GoalFacts
from footy_assets.media.playable import PlayableMethod
from footy_assets.media.validation import compare_with_goal

# No clip's key begins with it: those begin with the number of a match.
HELD = "held"
# What is known of a goal may change while it is not stable; other refusals are about the film.
DEPENDS_ON_GOAL = frozenset(
    [RefusalReason.WRONG_MATCH, RefusalReason.WRONG_SCORE, RefusalReason.WRONG_MINUTE]
)


@dataclass(frozen=True, slots=True)
class HeldRendition:
    md5: str
    probe: Probe
    codec: str
    codecs: str


@dataclass(frozen=True, slots=True)
class HeldPlayable:
    """D4: the MP4 that is published, made ahead."""

    md5: str
    probe: Probe
    method: PlayableMethod
    renditions: tuple[HeldRendition, ...] = ()


@dataclass(frozen=True, slots=True)
class HeldFile:
    """By the content of the downloaded file, `md5`. `facts` is what was known of the goal when it
    was judged. Only the best copy of its footage has a `playable`, and with it objects; one that
    was refused because of the goal has no fingerprint either."""

    id: str
    goal_key: str
    fixture_id: int
    md5: str
    size: int
    probe: Probe
    validation: ValidationResult
    facts: GoalFacts
    held_at: datetime
    fingerprint: Fingerprint | None = None
    playable: HeldPlayable | None = None
    has_scorebug: bool = False

    @property
    def key(self) -> str:
        return held_key(self.fixture_id, self.goal_key, self.md5)

    @property
    def image_keys(self) -> tuple[str, ...]:
        """Poster, thumbnail and, where one was read, the scorebug."""
        scorebug = (scorebug_key(self.key),) if self.has_scorebug else ()
        return *poster_and_thumbnail_keys(self.key), *scorebug

    @property
    def object_keys(self) -> tuple[str, ...]:
        if self.playable is None:
            return ()
        renditions = (held_rendition_key(self.key, one.codec) for one in self.playable.renditions)
        return (*self.image_keys, *renditions, self.key)


def held_file_id(goal_key: str, md5: str) -> str:
    return f"{goal_key}|{md5}"


def held_prefix(goal: GoalEvent) -> str:
    """By the goal's key, which a new scorer does not change (E5)."""
    return f"{HELD}/{goal.fixture_id}/{goal.key}/"


def held_key(fixture_id: int, goal_key: str, md5: str) -> str:
    return f"{HELD}/{fixture_id}/{goal_key}/{md5[:HASH_PREFIX]}{VIDEO}"


def held_rendition_key(key: str, codec: str) -> str:
    return f"{key.removesuffix(VIDEO)}.{codec}{VIDEO}"


def depends_on_goal(validation: ValidationResult | None) -> bool:
    """Whether a clip is refused for nothing but what is known of its goal."""
    refusals = validation.refusals if validation else ()
    return bool(refusals) and all(one.reason in DEPENDS_ON_GOAL for one in refusals)


def judged_for(held: HeldFile, facts: GoalFacts) -> ValidationResult:
    """SE8, V7: the verdict on what was read in the film, for what is known of the goal now."""
    if facts == held.facts:
        return held.validation
    return compare_with_goal(held.validation, facts)
