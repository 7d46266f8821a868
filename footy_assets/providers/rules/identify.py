"""A4: identifies a provider's matches among ours. An unsure mapping is reported, not guessed."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from footy_assets.providers.rules.agreement import Agreement, MatchCandidate, find_candidates
from footy_assets.providers.rules.listed_match import Aliases, ListedMatch, comparable

__all__ = [
    "Aliases",
    "ListedMatch",
    "Mapped",
    "UnsureMapping",
    "comparable",
    "identify",
    "identify_all",
]


@dataclass(frozen=True, slots=True)
class Mapped:
    match_id: str


@dataclass(frozen=True, slots=True)
class UnsureMapping:
    """`candidates` agree with the provider's match in part; `reason` is the difference."""

    theirs: ListedMatch
    candidates: tuple[str, ...]
    reason: str


def identify(
    theirs: ListedMatch, ours: Iterable[ListedMatch], aliases: Aliases
) -> Mapped | UnsureMapping | None:
    """One match alone. None if no match of ours resembles it."""
    return identify_all([theirs], ours, aliases)[0]


def identify_all(
    theirs: Sequence[ListedMatch], ours: Iterable[ListedMatch], aliases: Aliases
) -> list[Mapped | UnsureMapping | None]:
    """By kickoff, both teams and the competition, one to one: the result for each of theirs.

    A match is mapped to the one that agrees best with it, if no other agrees as well with either.
    """
    known = list(ours)
    candidates = find_candidates(theirs, known, aliases)
    mapped = _mutual_best([one for one in candidates if one.agreement is Agreement.CLEAR])
    mapped |= _without_rivals(_left_over(candidates, mapped))
    by_match: dict[int, list[MatchCandidate]] = defaultdict(list)
    for one in _left_over(candidates, mapped):
        by_match[one.theirs].append(one)
    return [
        Mapped(known[mapped[index]].id)
        if index in mapped
        else _to_unsure(match, by_match[index], known)
        for index, match in enumerate(theirs)
    ]


def _left_over(candidates: list[MatchCandidate], mapped: dict[int, int]) -> list[MatchCandidate]:
    """Of matches that are not mapped. One of ours that is mapped does not resemble others in part;
    it stays where it agrees in full: theirs may list a match twice."""
    taken = set(mapped.values())
    return [
        one
        for one in candidates
        if one.theirs not in mapped and (one.ours not in taken or one.agreement is Agreement.CLEAR)
    ]


def _mutual_best(clear: list[MatchCandidate]) -> dict[int, int]:
    best_of_theirs = _single_best(clear, lambda one: one.theirs)
    best_of_ours = _single_best(clear, lambda one: one.ours)
    return {
        one.theirs: one.ours
        for one in best_of_theirs.values()
        if one is not None and best_of_ours[one.ours] is one
    }


def _single_best(
    candidates: list[MatchCandidate], key: Callable[[MatchCandidate], int]
) -> dict[int, MatchCandidate | None]:
    """The best candidate of each; None if two are equally good."""
    best: dict[int, MatchCandidate] = {}
    tied: set[int] = set()
    for one in candidates:
        rival = best.get(key(one))
        if rival is None or one.likeness > rival.likeness:
            best[key(one)] = one
            tied.discard(key(one))
        elif one.likeness == rival.likeness:
            tied.add(key(one))
    return {index: None if index in tied else one for index, one in best.items()}


def _without_rivals(rest: list[MatchCandidate]) -> dict[int, int]:
    """The likely ones that are alone: no other match resembles either side of them."""
    of_theirs = Counter(one.theirs for one in rest)
    of_ours = Counter(one.ours for one in rest)
    return {
        one.theirs: one.ours
        for one in rest
        if one.agreement is Agreement.LIKELY
        and of_theirs[one.theirs] == 1
        and of_ours[one.ours] == 1
    }


def _to_unsure(
    theirs: ListedMatch, candidates: list[MatchCandidate], known: list[ListedMatch]
) -> UnsureMapping | None:
    if not candidates:
        return None
    clear = [one for one in candidates if one.agreement is Agreement.CLEAR]
    ids = tuple(known[one.ours].id for one in clear or candidates)
    if len(clear) > 1:
        return UnsureMapping(theirs, ids, f"{len(clear)} matches of ours resemble it")
    if clear:
        return UnsureMapping(theirs, ids, "another match of theirs resembles it as well")
    return UnsureMapping(theirs, ids, max(candidates, key=lambda one: one.agreement).reason)
