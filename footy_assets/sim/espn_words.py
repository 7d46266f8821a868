"""ESPN's words: its competitions, statuses, kinds of plays and names of players."""

import re
from dataclasses import dataclass

from footy_assets.sim.feed import Json
from footy_assets.sim.statuses import Status

ID_OFFSET = 600_000
LOGOS = "https://a.espncdn.com/i/teamlogos/soccer/500"


@dataclass(frozen=True)
class EspnLeague:
    """`id` is the number in `uid`, `slug` the name in addresses."""

    id: int
    slug: str
    name: str
    abbreviation: str


# By the simulated world's number of the league.
LEAGUES = {
    39: EspnLeague(700, "eng.1", "English Premier League", "Premier League"),
    140: EspnLeague(740, "esp.1", "Spanish LALIGA", "LALIGA"),
    78: EspnLeague(720, "ger.1", "German Bundesliga", "Bundesliga"),
    135: EspnLeague(730, "ita.1", "Italian Serie A", "Serie A"),
    61: EspnLeague(710, "fra.1", "French Ligue 1", "Ligue 1"),
    2: EspnLeague(775, "uefa.champions", "UEFA Champions League", "Champions League"),
    45: EspnLeague(40, "eng.fa", "English FA Cup", "FA Cup"),
}
LEAGUE_OF_SLUG = {league.slug: number for number, league in LEAGUES.items()}


@dataclass(frozen=True)
class EspnStatus:
    id: int
    name: str
    state: str
    completed: bool
    description: str
    # Empty: the clock stands here.
    short: str = ""


STATUSES: dict[str, EspnStatus] = {
    Status.TO_BE_DEFINED: EspnStatus(1, "STATUS_SCHEDULED", "pre", False, "Scheduled", "TBD"),
    Status.NOT_STARTED: EspnStatus(1, "STATUS_SCHEDULED", "pre", False, "Scheduled", "Scheduled"),
    Status.FIRST_HALF: EspnStatus(25, "STATUS_FIRST_HALF", "in", False, "First Half"),
    Status.HALF_TIME: EspnStatus(23, "STATUS_HALFTIME", "in", False, "Halftime", "HT"),
    Status.SECOND_HALF: EspnStatus(26, "STATUS_SECOND_HALF", "in", False, "Second Half"),
    Status.LIVE: EspnStatus(2, "STATUS_IN_PROGRESS", "in", False, "In Progress"),
    Status.EXTRA_TIME: EspnStatus(29, "STATUS_OVERTIME", "in", False, "Overtime"),
    Status.BREAK_TIME: EspnStatus(43, "STATUS_HALFTIME_ET", "in", False, "Halftime ET", "HT"),
    Status.SHOOTOUT: EspnStatus(46, "STATUS_SHOOTOUT", "in", False, "Shootout", "Pens"),
    Status.INTERRUPTED: EspnStatus(17, "STATUS_DELAYED", "in", False, "Delayed", "Delayed"),
    Status.SUSPENDED: EspnStatus(8, "STATUS_SUSPENDED", "in", False, "Suspended", "Susp"),
    Status.FINISHED: EspnStatus(28, "STATUS_FULL_TIME", "post", True, "Full Time", "FT"),
    Status.AFTER_EXTRA_TIME: EspnStatus(45, "STATUS_FINAL_AET", "post", True, "Final Score", "AET"),
    Status.AFTER_SHOOTOUT: EspnStatus(
        47, "STATUS_FINAL_PEN", "post", True, "Final Score - After Penalties", "FT-Pens"
    ),
    # In the past for ESPN, and yet not completed.
    Status.POSTPONED: EspnStatus(6, "STATUS_POSTPONED", "post", False, "Postponed", "Postponed"),
    # Completed for ESPN, and yet never played.
    Status.CANCELLED: EspnStatus(5, "STATUS_CANCELED", "post", True, "Canceled", "Canceled"),
    Status.ABANDONED: EspnStatus(7, "STATUS_ABANDONED", "post", False, "Abandoned", "Abandoned"),
    Status.AWARDED: EspnStatus(4, "STATUS_FORFEIT", "post", True, "Forfeit", "Forfeit"),
    Status.WALKOVER: EspnStatus(4, "STATUS_FORFEIT", "post", True, "Forfeit", "Forfeit"),
}
NO_CLOCK = frozenset({Status.POSTPONED, Status.CANCELLED})
PERIODS: dict[str, int] = {
    Status.FIRST_HALF: 1,
    Status.HALF_TIME: 1,
    Status.SECOND_HALF: 2,
    Status.FINISHED: 2,
    Status.BREAK_TIME: 3,
    Status.AFTER_EXTRA_TIME: 4,
    Status.SHOOTOUT: 5,
    Status.AFTER_SHOOTOUT: 5,
}


def status_of(short: str) -> EspnStatus:
    """An undocumented status gets an undocumented name."""
    return STATUSES.get(short) or EspnStatus(99, f"STATUS_{short}", "in", False, short)


@dataclass(frozen=True)
class PlayKind:
    id: int
    text: str

    @property
    def slug(self) -> str:
        return re.sub(r"[^a-z0-9-]", "", self.text.lower().replace(" ", "-"))

    def as_json(self) -> Json:
        return {"id": str(self.id), "text": self.text, "type": self.slug}


GOALS = (
    PlayKind(70, "Goal"),
    PlayKind(137, "Goal - Header"),
    PlayKind(138, "Goal - Free-kick"),
    PlayKind(173, "Goal - Volley"),
)
OWN_GOAL = PlayKind(97, "Own Goal")
PENALTY = PlayKind(98, "Penalty - Scored")
SHOOTOUT_PENALTY = PlayKind(104, "Penalty - Scored")
MISSED_PENALTY = PlayKind(113, "Penalty - Missed")
YELLOW_CARD = PlayKind(94, "Yellow Card")
RED_CARD = PlayKind(93, "Red Card")
SUBSTITUTION = PlayKind(76, "Substitution")
# What VAR decided is in the text only: a confirmed goal has this kind, too.
VAR_DECISION = PlayKind(172, "VAR - Referee decision cancelled")
DELETED_GOAL = PlayKind(175, "Deleted After Review")
KICKOFF = PlayKind(80, "Kickoff")
HALFTIME = PlayKind(81, "Halftime")
SECOND_HALF = PlayKind(82, "Start 2nd Half")
END_OF_REGULAR_TIME = PlayKind(83, "End Regular Time")
EXTRA_TIME = PlayKind(84, "Start Extra Time")
EXTRA_TIME_HALFTIME = PlayKind(85, "Halftime Extra Time")
SECOND_HALF_OF_EXTRA_TIME = PlayKind(86, "Start 2nd Half Extra Time")
END_OF_EXTRA_TIME = PlayKind(87, "End Extra Time")
SHOOTOUT_BEGINS = PlayKind(88, "Start Shootout")
SHOOTOUT_ENDS = PlayKind(89, "End Shootout")
DELAY_BEGINS = PlayKind(129, "Start Delay")
DELAY_ENDS = PlayKind(130, "End Delay")

A_TO_Z = (
    "Alan Bruno Carlos David Emil Frank Georg Hugo Ivan Jonas Karl Leo Marco Nuno Oscar Paul "
    "Quentin Rafael Stefan Tomas Umberto Victor Walter Xavier Yann Zeno"
)
FIRST_NAMES = {name[0]: name for name in A_TO_Z.split()}


def espn_id(number: int) -> str:
    return str(ID_OFFSET + number)


def sim_id(text: str) -> int | None:
    return int(text) - ID_OFFSET if text.isascii() and text.isdigit() else None


def full_name(name: str) -> str:
    """`M. Salah` with a first name: ESPN writes it out."""
    initial, dot, last = name.partition(". ")
    first = FIRST_NAMES.get(initial)
    return f"{first} {last}" if dot and first else name
