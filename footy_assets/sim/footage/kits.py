"""What clubs wear and how their league's broadcaster dresses the picture."""

from random import Random

from footy_assets.sim.clubs import Club, League
from footy_assets.sim.footage.figures import Kit
from footy_assets.sim.footage.planes import Colour

WHITE, BLACK, RED, BLUE, SKY, YELLOW, NAVY, ORANGE, PURPLE, CLARET = (
    (240, 240, 240),
    (30, 28, 28),
    (40, 30, 200),
    (190, 70, 30),
    (220, 170, 90),
    (40, 210, 245),
    (90, 35, 20),
    (30, 120, 240),
    (130, 40, 100),
    (60, 20, 110),
)
SHIRTS: tuple[Colour, ...] = (RED, BLUE, WHITE, SKY, YELLOW, NAVY, ORANGE, PURPLE, CLARET, BLACK)
KEEPERS = (Kit((80, 230, 180), BLACK, BLACK), Kit((200, 90, 230), PURPLE, PURPLE))
REFEREE = Kit((25, 25, 25), (25, 25, 25), (25, 25, 25))
APART = 190


def home_kit(club: Club) -> Kit:
    rng = Random(f"kit-{club.id}")
    shirt = rng.choice(SHIRTS)
    shorts = rng.choice((shirt, WHITE, BLACK))
    stripes = rng.choice((None, None, WHITE if shirt != WHITE else BLACK))
    return Kit(shirt, shorts, rng.choice((shirt, shorts)), stripes)


def kits(home: Club, away: Club) -> tuple[Kit, Kit]:
    """The visitors change if their shirts are too like the hosts'."""
    hosts, visitors = home_kit(home), home_kit(away)
    if _distance(hosts.shirt, visitors.shirt) < APART:
        shirt = max(SHIRTS, key=lambda colour: _distance(colour, hosts.shirt))
        visitors = Kit(shirt, shirt, shirt)
    return hosts, visitors


def seats(club: Club) -> Colour:
    return Random(f"seats-{club.id}").choice((RED, BLUE, NAVY, CLARET, (110, 110, 115)))


def league_colour(league: League) -> Colour:
    return Random(f"league-{league.id}").choice((NAVY, PURPLE, CLARET, BLACK, (60, 90, 20)))


def _distance(a: Colour, b: Colour) -> float:
    return sum(abs(x - y) for x, y in zip(a, b, strict=True))
