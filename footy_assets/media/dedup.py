"""H3: groups copies of one clip and chooses which to keep. Pure functions."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Generic, TypeVar

from footy_assets.media.probe import Probe

Name = TypeVar("Name", bound=Hashable)

SIMILAR_LENGTH = 0.15


@dataclass(frozen=True, slots=True)
class Quality:
    """What H3 compares, in this order if lengths are similar."""

    duration: float
    pixels: int
    bitrate: int
    size: int

    @classmethod
    def of(cls, clip: Probe) -> "Quality":
        return cls(clip.duration, clip.width * clip.height, clip.bitrate, clip.size)


@dataclass(frozen=True, slots=True)
class Cluster(Generic[Name]):
    """Copies of one clip, in the given order; the winner is one of them."""

    members: tuple[Name, ...]
    winner: Name


def better(a: Quality, b: Quality) -> bool:
    """H3: whether `a` is strictly better than `b`.

    Durations within 15 % of the longer: more pixels, then bitrate, then size. Else the longer.
    """
    if abs(a.duration - b.duration) > SIMILAR_LENGTH * max(a.duration, b.duration):
        return a.duration > b.duration
    return (a.pixels, a.bitrate, a.size) > (b.pixels, b.bitrate, b.size)


def winner_of(names: Sequence[Name], quality: dict[Name, Quality]) -> Name:
    """H3 for a whole cluster; of equal copies the first.

    "Within 15 %" is not transitive (a ≈ b and b ≈ c, but c is longer than a), so pairwise
    comparisons would depend on the order. Copies within 15 % of the longest are compared by
    quality; shorter ones lose to the longest.
    """
    longest = max(quality[name].duration for name in names)
    near = [n for n in names if longest - quality[n].duration <= SIMILAR_LENGTH * longest]
    return reduce(lambda best, n: n if better(quality[n], quality[best]) else best, near)


def clusters(
    names: Sequence[Name], matches: Iterable[tuple[Name, Name]], quality: dict[Name, Quality]
) -> list[Cluster[Name]]:
    """Groups of clips connected by matches, single clips included, in the given order."""
    parent = {name: name for name in names}

    def root(name: Name) -> Name:
        while parent[name] != name:
            parent[name] = parent[parent[name]]
            name = parent[name]
        return name

    for a, b in matches:
        parent[root(b)] = root(a)
    groups: dict[Name, list[Name]] = {}
    for name in names:
        groups.setdefault(root(name), []).append(name)
    return [Cluster(tuple(members), winner_of(members, quality)) for members in groups.values()]
