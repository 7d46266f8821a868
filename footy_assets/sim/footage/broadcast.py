"""How each goal of a world went on air: whose shirts, which score, what clock, in which look."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from random import Random

from footy_assets.sim.clubs import Club, League, clubs_of
from footy_assets.sim.footage import kits, stadium
from footy_assets.sim.footage.film import GoalFilm
from footy_assets.sim.scorebug import Design, Style
from footy_assets.sim.script import MatchScript
from footy_assets.sim.truth import ExpectedGoal, expected_goals
from footy_assets.sim.world import World

DARK, LIGHT = (28, 20, 18), (238, 238, 238)
WHITE, INK = (255, 255, 255), (22, 18, 18)
# Where the scorebug is and how it looks, within what a cropped copy still shows.
DESIGNS: dict[int, Design] = {
    39: Design(left=0.08, top=0.085, paper=(70, 20, 50), names_paper=LIGHT, names_ink=INK),
    140: Design(left=0.08, top=0.085, paper=LIGHT, ink=INK, names_paper=DARK, names_ink=WHITE),
    78: Design(left=0.08, top=0.09, paper=DARK, clock_first=False, score_mark=":", opacity=1.0),
    135: Design(left=0.085, top=0.085, paper=(110, 50, 10), digits=0.038, stretch=0.9),
    61: Design(left=0.62, top=0.09, paper=LIGHT, ink=INK, digits=0.036, opacity=1.0),
    2: Design(left=0.08, top=0.09, paper=(80, 30, 15), names_paper=(80, 30, 15), names_ink=WHITE),
    45: Design(left=0.08, top=0.84, paper=(30, 30, 150), digits=0.038, opacity=1.0),
}
STOPPAGE: dict[int, Style] = {
    39: Style.ADDED_BESIDE,
    140: Style.JOINED,
    78: Style.ADDED_BELOW,
    135: Style.ADDED_BESIDE,
    61: Style.JOINED,
    2: Style.PLAIN,
    45: Style.ADDED_BESIDE,
}
EXTRA_TIME_STARTS = 90
# The ball is in so many seconds after the minute began; the feed tells some seconds later.
FIRST_SECOND, LAST_SECOND = 6, 13
SECOND_OF_THE_SAME_MINUTE = 34
# By so many goals the home side had more on another day.
OTHER_DAYS_GOALS = 3


@dataclass(frozen=True)
class AiredGoal:
    """A goal and its film. `minutes` are what V3 expects its clock to say, in every form that the
    feed gave it; the film's clock is within a minute of all of them wherever that can be."""

    key: str
    goal: ExpectedGoal
    film: GoalFilm
    minutes: frozenset[int]

    @property
    def clock_minute(self) -> int:
        return self.film.clock // 60


def aired_goals(world: World, seed: int = 7) -> tuple[AiredGoal, ...]:
    """Every goal of the world's truth, taken back later or not: it was on air."""
    return tuple(aired for script in world.scripts for aired in _aired(script, seed))


def goal_key(fixture_id: int, number: int) -> str:
    """`number` counts the goals of a fixture as `World.truth` lists them, from 1."""
    return f"{fixture_id}-{number}"


def _aired(script: MatchScript, seed: int) -> Iterable[AiredGoal]:
    goals = expected_goals(script)
    for number, goal in enumerate(goals, start=1):
        key = goal_key(script.fixture_id, number)
        minutes = _expected_minutes(goal)
        clock = _clock(goal, goals, minutes)
        film = film_of(
            f"{seed}-{key}",
            script.league,
            (script.home, script.away),
            home_scores=goal.team_id == script.home.id,
            score=_score(script, goal, goals),
            clock=clock,
            in_stoppage=goal.extra is not None,
            ground=script.fixture_id,
            penalty=goal.detail == "Penalty",
        )
        yield AiredGoal(key, goal, film, minutes)


def archive_goal(aired: AiredGoal, league: League, clubs: tuple[Club, Club]) -> GoalFilm:
    """A goal of an older match between the same sides, at another time of it."""
    rng = Random(f"archive-{aired.film.seed}")
    away_from = [
        minute for minute in range(5, 85) if all(abs(minute - m) > 8 for m in aired.minutes)
    ]
    clock = 60 * rng.choice(away_from) + rng.randint(FIRST_SECOND, LAST_SECOND)
    return film_of(
        f"archive-{aired.film.seed}",
        league,
        clubs,
        home_scores=rng.random() < 0.5,
        score=(rng.randint(1, 3), rng.randint(1, 3)),
        clock=clock,
        in_stoppage=False,
        ground=aired.film.ground.seed + 1,
        penalty=False,
    )


def goal_of_another_match(aired: AiredGoal, league: League, clubs: tuple[Club, Club]) -> GoalFilm:
    """A goal of two other clubs, at the same time of their match."""
    rng = Random(f"another-match-{aired.film.seed}")
    others = [club for club in clubs_of(league.id) if club not in clubs]
    playing = rng.sample(others, 2)
    score = rng.randint(1, 3), rng.randint(0, 2)
    return _look_alike("another-match", aired, league, (playing[0], playing[1]), score)


def goal_of_another_day(aired: AiredGoal, league: League, clubs: tuple[Club, Club]) -> GoalFilm:
    """A goal of the same sides in the same minute, with a score that this match never had."""
    rng = Random(f"another-day-{aired.film.seed}")
    home, away = aired.film.score
    score = home + OTHER_DAYS_GOALS, away + rng.randint(0, 2)
    return _look_alike("another-day", aired, league, clubs, score)


def _look_alike(
    name: str, aired: AiredGoal, league: League, clubs: tuple[Club, Club], score: tuple[int, int]
) -> GoalFilm:
    return film_of(
        f"{name}-{aired.film.seed}",
        league,
        clubs,
        home_scores=True,
        score=score,
        clock=aired.film.clock,
        in_stoppage=aired.goal.extra is not None,
        ground=aired.film.ground.seed + 2,
        penalty=False,
    )


def film_of(
    seed: str,
    league: League,
    clubs: tuple[Club, Club],
    *,
    home_scores: bool,
    score: tuple[int, int],
    clock: int,
    in_stoppage: bool,
    ground: int,
    penalty: bool,
) -> GoalFilm:
    home, away = clubs
    hosts, visitors = kits.kits(home, away)
    rng = Random(f"film-{seed}")
    second_half = clock >= 45 * 60 and not (in_stoppage and clock < 60 * 60)
    return GoalFilm(
        seed=seed,
        home=home.code,
        away=away.code,
        kits=(hosts, visitors),
        ground=stadium.Ground(ground, kits.seats(home), (hosts.shirt, hosts.shorts)),
        home_scores=home_scores,
        score=score,
        clock=clock,
        style=_style(league, clock, in_stoppage, ground),
        design=_design(league, home, away),
        wipe=kits.league_colour(league),
        number=rng.randint(7, 11),
        attack_right=home_scores != second_half,
        penalty=penalty,
    )


def _style(league: League, clock: int, in_stoppage: bool, ground: int) -> Style:
    if in_stoppage:
        return STOPPAGE.get(league.id, Style.PLAIN)
    if clock >= EXTRA_TIME_STARTS * 60 and ground % 2:
        return Style.EXTRA_TIME
    return Style.PLAIN


def _design(league: League, home: Club, away: Club) -> Design:
    look = DESIGNS.get(league.id, Design(left=0.08, top=0.085))
    return replace(look, names=(_plain(home.code), _plain(away.code)))


def _plain(code: str) -> str:
    """Letters that every font has."""
    return code.translate(str.maketrans("ÁÉÍÓÚÜÖÄÑ", "AEIOUUOAN"))


def _expected_minutes(goal: ExpectedGoal) -> frozenset[int]:
    forms = [(goal.elapsed, goal.extra), *goal.was_minutes]
    return frozenset(elapsed + (extra or 0) - 1 for elapsed, extra in forms)


def _clock(goal: ExpectedGoal, goals: Iterable[ExpectedGoal], minutes: frozenset[int]) -> int:
    last = goal.elapsed + (goal.extra or 0) - 1
    between = (min(minutes) + max(minutes) + 1) // 2
    fits_all = all(abs(between - minute) <= 1 for minute in minutes)
    if goal.extra is not None and between < goal.elapsed:
        fits_all = False
    earlier = [
        other
        for other in goals
        if (other.elapsed, other.extra) == (goal.elapsed, goal.extra)
        and other.shown_at < goal.shown_at
    ]
    rng = Random(f"clock-{goal.fixture_id}-{goal.shown_at}-{goal.player_id}")
    second = rng.randint(FIRST_SECOND, LAST_SECOND)
    second += SECOND_OF_THE_SAME_MINUTE if earlier else 0
    return 60 * (between if fits_all else last) + second


def _score(
    script: MatchScript, goal: ExpectedGoal, goals: Iterable[ExpectedGoal]
) -> tuple[int, int]:
    """Home and away with this goal, and with those before it that still stood then."""
    home = away = 0
    for other in goals:
        before = (other.elapsed, other.extra or 0, other.shown_at) < (
            goal.elapsed,
            goal.extra or 0,
            goal.shown_at,
        )
        stood = other.ending != "removed" or other.settled_at > goal.shown_at
        if other is goal or (before and stood):
            home += other.team_id == script.home.id
            away += other.team_id != script.home.id
    return home, away
