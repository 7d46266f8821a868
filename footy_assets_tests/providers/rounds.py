"""Seasons of the five big leagues as providers list them: every club at every other's."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import permutations

from footy_assets.providers.rules.identify import Aliases, ListedMatch, Mapped, identify_all
from footy_assets_tests.providers.club_names import BigLeague, Club
from footy_assets_tests.providers.reports import NOON


@dataclass(frozen=True, slots=True)
class SeasonFigures:
    matches: int
    mapped: int
    wrong: int


def provider_pairs(league: BigLeague) -> Iterator[tuple[str, str]]:
    return permutations(league.named, 2)


def map_season(league: BigLeague, theirs: str, ours: str, short_names: bool) -> SeasonFigures:
    """Maps round by round, as a provider's answers come."""
    matches = mapped = wrong = 0
    known_rounds = rounds_of(league, ours, short_names)
    for listed, known in zip(rounds_of(league, theirs, short_names), known_rounds, strict=True):
        for one, result in zip(listed, identify_all(listed, known, Aliases()), strict=True):
            matches += 1
            if isinstance(result, Mapped):
                mapped += result.match_id == one.id
                wrong += result.match_id != one.id
    return SeasonFigures(matches, mapped, wrong)


def rounds_of(league: BigLeague, provider: str, short_names: bool) -> list[list[ListedMatch]]:
    """All of a round kick off at once, the hardest case. The id is the same at every provider."""
    name, own_id = league.named[provider]
    main = provider == "API-Football"
    found = []
    for number, pairs in enumerate(_pairings(league.clubs)):
        listed = []
        for a, b in pairs:
            home, away = league.clubs[a].names[provider], league.clubs[b].names[provider]
            listed.append(
                ListedMatch(
                    f"{a}-{b}",
                    NOON + timedelta(days=7 * number),
                    home[0],
                    away[0],
                    name,
                    None if main else own_id,
                    home[1:] if short_names else (),
                    away[1:] if short_names else (),
                    competition_number=league.number if main else None,
                )
            )
        found.append(listed)
    return found


def _pairings(clubs: Sequence[Club]) -> list[list[tuple[int, int]]]:
    """Rounds in which each club plays once, then the same with home and away swapped."""
    count = len(clubs) + len(clubs) % 2
    circle = list(range(count))
    rounds = []
    for number in range(count - 1):
        pairs = [(circle[i], circle[-1 - i]) for i in range(count // 2)]
        turned = [(b, a) if number % 2 else (a, b) for a, b in pairs]
        rounds.append([pair for pair in turned if max(pair) < len(clubs)])
        circle.insert(1, circle.pop())
    return rounds + [[(b, a) for a, b in pairs] for pairs in rounds]
