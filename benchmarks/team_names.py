"""How many matches of the big leagues are recognised between every two providers, and how fast.

Every club plays every other, all matches of a round at once, under the names that the providers
use. `--clubs` prints each club's names and how they were recognised.
"""

import argparse
import sys
import time
from datetime import timedelta
from itertools import chain

from benchmarks.figures import (
    Row,
    add_output_options,
    machine,
    publish,
    table,
    verdict_list,
)
from footy_assets.providers.rules.identify import Aliases, ListedMatch, comparable, identify_all
from footy_assets.providers.rules.team_likeness import Likeness, likeness
from footy_assets_tests.providers.club_names import BIG_FIVE, PROVIDERS
from footy_assets_tests.providers.reports import NOON
from footy_assets_tests.providers.rounds import map_season, provider_pairs, rounds_of

MIN_SHARE = 0.99
MATCHES_PER_LEAGUE = 60
ROUNDS = 5
WHY = {
    Likeness.SAME: "form words, accents, exonyms, nicknames",
    Likeness.PART: "short for the other",
    Likeness.SIMILAR: "spelling",
    Likeness.DIFFERENT: "not recognised",
}
COLUMNS = {
    "league": "league",
    "clubs": "clubs",
    "pairs": "pairs of providers",
    "matches": "matches",
    "mapped": "mapped",
    "exact": "with names compared exactly",
    "wrong": "wrong",
}
CLUB_COLUMNS = {name: name for name in (*PROVIDERS, "recognised by")}
SPEED_COLUMNS = {"kickoffs": "kickoffs", "theirs": "theirs", "ours": "ours", "ms": "ms"}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clubs", action="store_true", help="also print every club's names")
    add_output_options(parser)
    arguments = parser.parse_args()
    leagues = [measure_league(name) for name in BIG_FIVE]
    speed = [measure_speed(kickoffs) for kickoffs in (1, 12)]
    matches, mapped = (sum(row[key] for row in leagues) for key in ("matches", "mapped"))
    verdicts = {
        f"at least {MIN_SHARE:.0%} mapped: {mapped / matches:.2%}": mapped / matches >= MIN_SHARE,
        "none mapped wrongly": not any(row["wrong"] for row in leagues),
    }
    tables = [machine(), table(leagues, COLUMNS), table(speed, SPEED_COLUMNS)]
    if arguments.clubs:
        tables.append(table(club_rows(), CLUB_COLUMNS))
    tables.append(verdict_list(verdicts))
    result = {"leagues": leagues, "speed": speed, "verdicts": verdicts}
    publish("team_names", result, tables, arguments)
    return 0 if all(verdicts.values()) else 1


def measure_league(name: str) -> Row:
    """Without short names, which some providers do not send."""
    league = BIG_FIVE[name]
    pairs = list(provider_pairs(league))
    figures = [map_season(league, theirs, ours, short_names=False) for theirs, ours in pairs]
    exact = 0
    for theirs, ours in pairs:
        same = [
            comparable(club.names[theirs][0]) == comparable(club.names[ours][0])
            for club in league.clubs
        ]
        exact += sum(same) * (sum(same) - 1)
    return {
        "league": name,
        "clubs": len(league.clubs),
        "pairs": len(pairs),
        "matches": sum(one.matches for one in figures),
        "mapped": sum(one.mapped for one in figures),
        "exact": exact,
        "wrong": sum(one.wrong for one in figures),
    }


def measure_speed(kickoffs: int) -> Row:
    """The best of some rounds of 300 matches at ESPN among 300 of API-Football."""
    theirs, ours = (matches_of(provider, kickoffs) for provider in ("ESPN", "API-Football"))
    times = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        identify_all(theirs, ours, Aliases())
        times.append(1000 * (time.perf_counter() - begin))
    return {"kickoffs": kickoffs, "theirs": len(theirs), "ours": len(ours), "ms": min(times)}


def matches_of(provider: str, kickoffs: int) -> list[ListedMatch]:
    listed = []
    for name, league in BIG_FIVE.items():
        season = list(chain(*rounds_of(league, provider, short_names=True)))
        for index, match in enumerate(season[:MATCHES_PER_LEAGUE]):
            start = NOON + timedelta(hours=index % kickoffs)
            listed.append(
                ListedMatch(
                    f"{name} {match.id}", start, match.home, match.away, match.competition,
                    match.competition_id, match.home_also, match.away_also,
                    competition_number=match.competition_number,
                )
            )  # fmt: skip
    return listed


def club_rows() -> list[Row]:
    rows = []
    for league in BIG_FIVE.values():
        for club in league.clubs:
            full = {provider: names[0] for provider, names in club.names.items()}
            weakest = min(
                likeness((one,), (other,)) for one in full.values() for other in full.values()
            )
            exact = len({comparable(name) for name in full.values()}) == 1
            rows.append(
                {
                    **{provider: full.get(provider, "") for provider in PROVIDERS},
                    "recognised by": "same name" if exact else WHY[weakest],
                }
            )
    return rows


if __name__ == "__main__":
    sys.exit(main())
