"""What happens in each match of the matchday: one function per match."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from random import Random

from footy_assets.sim import lines
from footy_assets.sim.clubs import NOBODY, UNKNOWN, Club, Person
from footy_assets.sim.script import Line, Minute, Timetable

SHOOTOUT_HOME = (True, True, False, True, True)
SHOOTOUT_AWAY = (True, False, True, True, False)


@dataclass(frozen=True)
class Match:
    """Who plays, and when each minute is: all that a story needs to be written."""

    home: Club
    away: Club
    timetable: Timetable
    rng: Random

    def strikers(self, club: Club) -> list[Person]:
        return self.rng.sample(club.strikers, len(club.strikers))

    def goal(
        self,
        minute: int,
        team: Club,
        scorer: Person,
        *,
        extra: int | None = None,
        detail: str = "Normal Goal",
        reported_late: timedelta = timedelta(0),
    ) -> Line:
        others = [mate for mate in team.strikers if mate != scorer]
        assisted = detail == "Normal Goal" and self.rng.random() < 0.6
        return lines.goal(
            self.timetable,
            Minute(minute, extra),
            team,
            scorer,
            detail=detail,
            assist=self.rng.choice(others) if assisted else NOBODY,
            second=self.rng.randint(15, 45),
            reported_late=reported_late,
        )

    def own_goal(self, minute: int, benefits: Club) -> Line:
        against = self.away if benefits == self.home else self.home
        return self.goal(minute, benefits, self.rng.choice(against.defenders), detail="Own Goal")

    def booking(self, minute: int, club: Club, detail: str = "Yellow Card") -> Line:
        return lines.card(
            self.timetable, Minute(minute), club, self.rng.choice(club.defenders), detail
        )

    def change(self, minute: int, club: Club, number: int = 1) -> Line:
        off, on = self.rng.choice(club.defenders), self.rng.choice(club.bench)
        return lines.substitution(self.timetable, Minute(minute), club, off, on, number)


def no_play(_: Match) -> Iterable[Line]:
    return ()


def ordinary(match: Match) -> Iterable[Line]:
    count = match.rng.randint(2, 4)
    for minute in sorted(match.rng.sample(range(4, 86, 4), count)):
        team = match.rng.choice((match.home, match.away))
        kind = match.rng.choices(("Normal Goal", "Penalty", "Own Goal"), (8, 1, 1))[0]
        if kind == "Own Goal":
            yield match.own_goal(minute, team)
        else:
            yield match.goal(minute, team, match.rng.choice(team.strikers), detail=kind)
    yield match.booking(34, match.away)
    yield match.change(63, match.home)


def hat_trick(match: Match) -> Iterable[Line]:
    hero, *_ = match.strikers(match.home)
    brace, *_ = match.strikers(match.away)
    yield match.goal(12, match.home, hero)
    yield match.goal(37, match.home, hero)
    yield match.goal(74, match.home, hero, detail="Penalty")
    yield match.goal(51, match.away, brace)
    yield match.goal(58, match.away, brace)
    yield match.booking(43, match.home)
    yield match.change(66, match.away)


def decided_by_shootout(match: Match) -> Iterable[Line]:
    ours, theirs = match.strikers(match.home), match.strikers(match.away)
    yield match.goal(23, match.home, ours[0])
    yield lines.missed_penalty(match.timetable, Minute(49), match.home, ours[1])
    yield match.goal(71, match.away, theirs[0])
    yield match.goal(98, match.away, theirs[1])
    yield match.goal(110, match.home, ours[0])
    kicks: list[lines.Kick] = []
    for home_scores, away_scores, home_taker, away_taker in zip(
        SHOOTOUT_HOME, SHOOTOUT_AWAY, ours, theirs, strict=True
    ):
        kicks.append((match.home, home_taker, home_scores))
        kicks.append((match.away, away_taker, away_scores))
    yield from lines.shootout_kicks(match.timetable, kicks)


def decided_in_extra_time(match: Match) -> Iterable[Line]:
    ours, theirs = match.strikers(match.home), match.strikers(match.away)
    yield match.goal(40, match.home, ours[0])
    yield match.goal(62, match.away, theirs[0], detail="Penalty")
    yield match.goal(103, match.away, theirs[0])
    yield match.change(95, match.home)


def var_reversals(match: Match) -> Iterable[Line]:
    ours, theirs = match.strikers(match.home), match.strikers(match.away)
    offside = match.goal(17, match.home, ours[0])
    yield from lines.disallowed(offside, "Goal Disallowed - offside")
    yield match.goal(39, match.home, ours[1], detail="Penalty")
    foul = match.goal(64, match.away, theirs[0])
    yield from lines.disallowed(foul, "Goal cancelled", minute=Minute(65))
    yield match.goal(80, match.away, theirs[0])


def disallowed_then_real(match: Match) -> Iterable[Line]:
    """A 1-0 at 30' vanishes; four minutes later a real 1-0 is listed at 31'."""
    first, second, *_ = match.strikers(match.home)
    yield lines.vanished(match.goal(30, match.home, first))
    yield match.goal(31, match.home, second, reported_late=timedelta(minutes=7, seconds=30))
    yield match.own_goal(77, match.away)


def late_names(match: Match) -> Iterable[Line]:
    ours, theirs = match.strikers(match.home), match.strikers(match.away)
    yield lines.named_late(match.goal(21, match.home, ours[0]), NOBODY)
    yield lines.named_late(
        match.goal(55, match.away, theirs[0]), UNKNOWN, after=timedelta(minutes=6)
    )
    yield match.goal(69, match.home, ours[0])


def never_named(match: Match) -> Iterable[Line]:
    """A cup tie of a lower-league side, whose scorers the provider does not know."""
    ours, theirs = match.strikers(match.home), match.strikers(match.away)
    yield match.goal(9, match.away, theirs[0])
    yield lines.never_named(match.goal(33, match.home, ours[0]), NOBODY)
    yield lines.never_named(match.goal(61, match.home, ours[1]), UNKNOWN)
    yield match.goal(83, match.away, theirs[1])


def reattributions(match: Match) -> Iterable[Line]:
    ours, theirs = match.strikers(match.home), match.strikers(match.away)
    yield lines.reattributed(match.goal(26, match.home, ours[0]), to=ours[1])
    yield lines.ruled_own_goal(match.goal(53, match.away, theirs[0]), by=match.home.defenders[0])
    yield match.goal(76, match.home, ours[0])


def minute_edits(match: Match) -> Iterable[Line]:
    ours, theirs = match.strikers(match.home), match.strikers(match.away)
    before_the_break = match.goal(45, match.home, ours[0], reported_late=timedelta(minutes=2))
    yield lines.minute_edited(before_the_break, Minute(45, 2), timedelta(minutes=3))
    yield lines.minute_edited(match.goal(67, match.away, theirs[0]), Minute(68))
    at_the_end = match.goal(90, match.home, ours[1], reported_late=timedelta(minutes=5))
    yield lines.minute_edited(at_the_end, Minute(90, 5))


def flicker_and_same_minute(match: Match) -> Iterable[Line]:
    ours, theirs = match.strikers(match.home), match.strikers(match.away)
    yield lines.flickering(match.goal(15, match.home, ours[0]))
    yield match.booking(41, match.away, "Red Card")
    yield match.goal(55, match.home, ours[1])
    yield match.goal(55, match.home, ours[2])
    yield match.goal(79, match.away, theirs[0])
    yield match.change(60, match.away)
    yield match.change(70, match.home, 2)


def first_of_two_removed(match: Match) -> Iterable[Line]:
    """A player's first goal goes while his second stays."""
    striker, other, *_ = match.strikers(match.away)
    yield lines.vanished(match.goal(20, match.away, striker), after=timedelta(minutes=10))
    yield match.goal(26, match.away, striker)
    yield lines.missed_penalty(match.timetable, Minute(58), match.away, other)
    yield match.goal(72, match.home, match.strikers(match.home)[0])


def around_an_interruption(match: Match) -> Iterable[Line]:
    yield match.goal(14, match.home, match.strikers(match.home)[0])
    yield match.goal(38, match.away, match.strikers(match.away)[0])
    yield match.goal(81, match.away, match.strikers(match.away)[1])


def before_the_abandonment(match: Match) -> Iterable[Line]:
    yield match.goal(28, match.away, match.strikers(match.away)[0])
    yield match.booking(50, match.home)


def during_an_undocumented_status(match: Match) -> Iterable[Line]:
    yield match.goal(19, match.home, match.strikers(match.home)[0])
    yield match.goal(65, match.away, match.strikers(match.away)[0])


def penalty_and_own_goal(match: Match) -> Iterable[Line]:
    yield match.goal(32, match.away, match.strikers(match.away)[0], detail="Penalty")
    yield match.own_goal(59, match.home)
    yield match.booking(31, match.home)


def one_var_reversal(match: Match) -> Iterable[Line]:
    ours = match.strikers(match.home)
    yield from lines.disallowed(match.goal(24, match.home, ours[0]))
    yield match.goal(57, match.home, ours[1])
