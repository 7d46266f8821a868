"""A whole season that was played: its matches, and what they add up to for clubs and players."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from random import Random

from footy_assets.sim.careers import SQUAD, Footballer, Transfer, squad_in, transfers_in
from footy_assets.sim.clubs import LEAGUES, TOP_LEAGUES, Club, clubs_of
from footy_assets.sim.lines import goal
from footy_assets.sim.matchday import FIRST_DAY, MATCHES_A_DAY
from footy_assets.sim.script import MatchScript, Minute
from footy_assets.sim.timetables import league_match

STARTERS = 11
SUBSTITUTES = 3
MATCH_MINUTES = 90
# A round: one match on Saturday at noon, most in the afternoon, the last on Monday evening.
KICKOFFS = (
    (0, time(12, 30)),
    *((0, time(15, 0)),) * 5,
    (0, time(17, 30)),
    (1, time(14, 0)),
    (1, time(16, 30)),
    (2, time(20, 0)),
)
FIRST_ROUND = (8, 12)
# Numbers of a day's matches by league, above those of a simulated matchday.
LEAGUE_NUMBERS = {league_id: 500 + 50 * n for n, league_id in enumerate(TOP_LEAGUES)}


@dataclass
class Figures:
    """What a player did for a club."""

    appearances: int = 0
    lineups: int = 0
    minutes: int = 0
    goals: int = 0
    assists: int = 0
    yellow: int = 0

    @property
    def second_yellow(self) -> int:
        """A player with five yellow cards had two of them in one match."""
        return self.yellow // 5


@dataclass
class Record:
    """What a club did."""

    played: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    scored: int = 0
    conceded: int = 0
    clean: int = 0
    blank: int = 0

    def add(self, scored: int, conceded: int) -> None:
        self.played += 1
        self.wins += scored > conceded
        self.draws += scored == conceded
        self.losses += scored < conceded
        self.scored += scored
        self.conceded += conceded
        self.clean += conceded == 0
        self.blank += scored == 0


@dataclass(frozen=True)
class PastSeason:
    league_id: int
    season: int
    matches: tuple[MatchScript, ...]
    records: dict[int, Record]
    # By club, then by player.
    figures: dict[int, dict[Footballer, Figures]]

    def players_of(self, club_id: int) -> list[tuple[Footballer, Figures]]:
        return sorted(self.figures[club_id].items(), key=lambda one: one[0].id)


@cache
def past_season(league_id: int, season: int) -> PastSeason:
    """The same league and year is always the same season."""
    rng = Random(f"season-{league_id}-{season}")
    transfers = transfers_in(league_id, season)
    records = {club.id: Record() for club in clubs_of(league_id)}
    figures: dict[int, dict[Footballer, Figures]] = {
        club.id: {player: Figures() for player in squad_in(club, season)}
        for club in clubs_of(league_id)
    }
    for move in transfers:
        figures[move.into.id][move.player] = Figures()
    matches = []
    for place, (day, at, round_, home, away) in enumerate(_calendar(league_id, season)):
        number = LEAGUE_NUMBERS[league_id] + place % len(KICKOFFS)
        matches.append(
            _play(rng, (league_id, day, at, round_, number), home, away, figures, transfers)
        )
        goals = Counter(line.last_shown.team.id for line in matches[-1].lines)
        records[home.id].add(goals[home.id], goals[away.id])
        records[away.id].add(goals[away.id], goals[home.id])
    return PastSeason(league_id, season, tuple(matches), records, figures)


def _calendar(league_id: int, season: int) -> Iterator[tuple[date, time, int, Club, Club]]:
    """Everybody against everybody, at home and away, a round a week."""
    clubs = list(clubs_of(league_id))
    saturday = date(season, *FIRST_ROUND)
    saturday += timedelta(days=(5 - saturday.weekday()) % 7)
    fixed, turning = clubs[0], clubs[1:]
    rounds = []
    for turn in range(len(turning)):
        order = [fixed, *turning[turn:], *turning[:turn]]
        pairs = [(order[n], order[-1 - n]) for n in range(len(order) // 2)]
        rounds.append([pair if turn % 2 else pair[::-1] for pair in pairs])
    returns = [[pair[::-1] for pair in pairs] for pairs in rounds]
    for number, pairs in enumerate([*rounds, *returns]):
        first = saturday + timedelta(weeks=number)
        for (home, away), (later, at) in zip(pairs, KICKOFFS, strict=True):
            yield first + timedelta(days=later), at, number + 1, home, away


def _play(
    rng: Random,
    where: tuple[int, date, time, int, int],
    home: Club,
    away: Club,
    figures: dict[int, dict[Footballer, Figures]],
    transfers: tuple[Transfer, ...],
) -> MatchScript:
    league_id, day, at, round_, number = where
    timetable = league_match(datetime.combine(day, at, tzinfo=UTC))
    lines = []
    for club in (home, away):
        on_pitch = _line_up(rng, club, day, figures[club.id], transfers)
        for minute in sorted(rng.sample(range(2, 89), _goals(rng, club is home))):
            scorer, helper = rng.sample(on_pitch, 2)
            figures[club.id][scorer].goals += 1
            figures[club.id][helper].assists += 1
            lines.append(goal(timetable, Minute(minute), club, scorer.person, assist=helper.person))
    return MatchScript(
        fixture_id=(day - FIRST_DAY).days * MATCHES_A_DAY + number,
        league=LEAGUES[league_id],
        home=home,
        away=away,
        timetable=timetable,
        lines=tuple(sorted(lines, key=lambda line: line.settled_at)),
        title="of a past season",
        round=f"Regular Season - {round_}",
    )


def _goals(rng: Random, at_home: bool) -> int:
    return sum(rng.random() < (0.26 if at_home else 0.21) for _ in range(6))


def _line_up(
    rng: Random,
    club: Club,
    day: date,
    figures: dict[Footballer, Figures],
    transfers: tuple[Transfer, ...],
) -> list[Footballer]:
    """Eleven and three who come in; minutes add up to 990."""
    away = {m.player for m in transfers if m.out is club and day >= m.day}
    away |= {m.player for m in transfers if m.into is club and day < m.day}
    # The last three slots but the guest never play: they are only listed.
    able = [p for p in figures if p not in away and p.number not in range(SQUAD - 3, SQUAD)]
    chosen = sorted(able, key=lambda p: rng.random() + 0.02 * p.number)
    starters, bench = chosen[:STARTERS], chosen[STARTERS : STARTERS + SUBSTITUTES]
    for player in starters:
        figures[player].appearances += 1
        figures[player].lineups += 1
        figures[player].minutes += MATCH_MINUTES
        figures[player].yellow += rng.random() < 0.1
    for out, into in zip(starters[-SUBSTITUTES:], bench, strict=True):
        left = MATCH_MINUTES - rng.randint(55, 88)
        figures[out].minutes -= left
        figures[into].minutes += left
        figures[into].appearances += 1
    return starters
