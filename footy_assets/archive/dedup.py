"""H2, H3: what becomes of a batch of candidates, given the clips that a goal already has."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from footy_assets.archive.clip import Candidate, Clip, Popularity
from footy_assets.media import Fingerprint, better
from footy_assets.media.dedup import winner_of

Same = Callable[[Fingerprint, Fingerprint], bool]


@dataclass(frozen=True, slots=True)
class Keep:
    """A clip that the goal did not have. `instead_of` are candidates of the batch it beat."""

    candidate: Candidate
    instead_of: tuple[Candidate, ...] = ()


@dataclass(frozen=True, slots=True)
class Replace:
    """A better copy of a stored clip takes its place and its public address."""

    clip: Clip
    candidate: Candidate
    instead_of: tuple[Candidate, ...] = ()


@dataclass(frozen=True, slots=True)
class Absorb:
    """A copy no better than the stored clip: only its popularity is added."""

    clip: Clip
    candidate: Candidate
    instead_of: tuple[Candidate, ...] = ()


Decision = Keep | Replace | Absorb


@dataclass(frozen=True, slots=True)
class Group:
    """Copies of the same footage in one batch: the best, and those given up for it."""

    winner: Candidate
    beaten: tuple[Candidate, ...] = ()


def merged(candidates: Sequence[Candidate]) -> list[Candidate]:
    """D3: the same bytes under several posts are one candidate with their popularity together."""
    by_md5: dict[str, Candidate] = {}
    for candidate in candidates:
        known = by_md5.get(candidate.md5)
        by_md5[candidate.md5] = (
            replace(known, popularity={**known.popularity, **candidate.popularity})
            if known
            else candidate
        )
    return list(by_md5.values())


def within_batch(candidates: Sequence[Candidate], same: Same) -> tuple[Group, ...]:
    """H2, first: the best of all and its copies, then the best of the rest and so on.

    Only a copy of the very clip that is kept is given up for it. A verified copy beats every
    unverified one; quality decides between equals in that.
    """
    groups = []
    left = {candidate.md5: candidate for candidate in merged(candidates)}
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


def against_stored(
    groups: Sequence[Group], stored: Sequence[Clip], same: Same
) -> tuple[Decision, ...]:
    """H2, second: what each group means for the clips that the goal has."""
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


def contributions(decision: Decision) -> Popularity:
    """H3: the losers' popularity goes to the winner."""
    added: dict[str, int] = {}
    for candidate in (*decision.instead_of, decision.candidate):
        added |= candidate.popularity
    return added


def _beats(new: Candidate, old: Candidate | Clip) -> bool:
    if new.verified != old.verified:
        return new.verified
    return better(new.quality, old.quality)
