"""H2, H3: which candidates of a batch to keep, given the clips that a goal already has."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from footy_assets.clips.rules.clip import Candidate, Clip, Popularity
from footy_assets.media import Fingerprint, better
from footy_assets.media.dedup import winner_of

SameFootage = Callable[[Fingerprint, Fingerprint], bool]

# A film this much longer than the footage of another goal may show both goals.
MAY_SHOW_BOTH = 1.5


@dataclass(frozen=True, slots=True)
class Keep:
    """A clip that the goal does not have yet. `beaten` are worse copies within the batch."""

    candidate: Candidate
    beaten: tuple[Candidate, ...] = ()


@dataclass(frozen=True, slots=True)
class Replace:
    """A better copy of a stored clip, which takes over its public address."""

    clip: Clip
    candidate: Candidate
    beaten: tuple[Candidate, ...] = ()


@dataclass(frozen=True, slots=True)
class Absorb:
    """A copy no better than the stored clip, which gains its popularity."""

    clip: Clip
    candidate: Candidate
    beaten: tuple[Candidate, ...] = ()


Decision = Keep | Replace | Absorb


@dataclass(frozen=True, slots=True)
class Group:
    """Copies of the same footage in one batch: the best one, and those it beats."""

    winner: Candidate
    beaten: tuple[Candidate, ...] = ()


def other_goal_shown(
    group: Group, others: Sequence[Clip], same_footage: SameFootage
) -> Clip | None:
    """V7: the verified clip of another goal of the match whose footage this is. A clip that is
    verified for its own goal is right there, whatever else has the footage."""
    if any(file.verified for file in (group.winner, *group.beaten)):
        return None
    longest = group.winner.quality.duration / MAY_SHOW_BOTH
    return next(
        (
            other
            for other in others
            if other.verified
            and other.quality.duration > longest
            and same_footage(other.fingerprint, group.winner.fingerprint)
        ),
        None,
    )


def merge_same_bytes(candidates: Sequence[Candidate]) -> list[Candidate]:
    """D3: the same bytes in several posts are one candidate with the popularity of all."""
    by_md5: dict[str, Candidate] = {}
    for candidate in candidates:
        known = by_md5.get(candidate.md5)
        by_md5[candidate.md5] = (
            replace(known, popularity={**known.popularity, **candidate.popularity})
            if known
            else candidate
        )
    return list(by_md5.values())


def group_copies(candidates: Sequence[Candidate], same: SameFootage) -> tuple[Group, ...]:
    """H2, first: the best of all and its copies, then the best of the rest, and so on.

    A candidate is beaten only by a winner that it is a copy of. A verified copy beats every
    unverified one; between equals, quality decides.
    """
    groups = []
    left = {candidate.md5: candidate for candidate in merge_same_bytes(candidates)}
    while left:
        pool = [c for c in left.values() if c.verified] or list(left.values())
        best = left[winner_of([c.md5 for c in pool], {c.md5: c.quality for c in pool})]
        beaten = [
            c for c in left.values() if c is not best and same(best.fingerprint, c.fingerprint)
        ]
        for candidate in (best, *beaten):
            del left[candidate.md5]
        groups.append(Group(best, tuple(beaten)))
    return tuple(groups)


def decide(
    groups: Sequence[Group], stored: Sequence[Clip], same: SameFootage
) -> tuple[Decision, ...]:
    """H2, second: what to do with each group, given the stored clips of the goal."""
    decisions: list[Decision] = []
    left = list(stored)
    for group in groups:
        new = group.winner
        clip = next((c for c in left if same(c.fingerprint, new.fingerprint)), None)
        if clip is None:
            decisions.append(Keep(new, group.beaten))
        elif _beats(new, clip):
            left.remove(clip)
            decisions.append(Replace(clip, new, group.beaten))
        else:
            decisions.append(Absorb(clip, new, group.beaten))
    return tuple(decisions)


def added_popularity(decision: Decision) -> Popularity:
    """H3: the winner gains the popularity of the copies it beats."""
    added: dict[str, int] = {}
    for candidate in (*decision.beaten, decision.candidate):
        added |= candidate.popularity
    return added


def _beats(new: Candidate, old: Clip) -> bool:
    if new.verified != old.verified:
        return new.verified
    return better(new.quality, old.judged_quality)
