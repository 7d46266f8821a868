"""Names for those of the image model's 1,000 classes that turn up in sport and around screens."""

import math

import numpy as np

from footy_assets.media.image_model import Sight

NAMES: dict[int, str] = {
    416: "balance beam",
    422: "barbell",
    429: "baseball",
    430: "basketball",
    433: "bathing cap",
    456: "bow",
    470: "candle",
    487: "cellular telephone",
    498: "cinema",
    522: "croquet ball",
    527: "desktop computer",
    543: "dumbbell",
    548: "entertainment center",
    549: "envelope",
    557: "flagpole",
    560: "football helmet",
    574: "golf ball",
    580: "greenhouse",
    598: "home theater",
    602: "horizontal bar",
    610: "jersey",
    615: "knee pad",
    620: "laptop",
    621: "lawn mower",
    646: "maze",
    664: "monitor",
    681: "notebook computer",
    701: "parachute",
    702: "parallel bars",
    722: "ping-pong ball",
    736: "pool table",
    746: "puck",
    751: "racing car",
    752: "racket",
    761: "remote control",
    768: "rugby ball",
    770: "running shoe",
    781: "scoreboard",
    782: "screen",
    795: "ski",
    805: "soccer ball",
    819: "stage",
    841: "sweatshirt",
    851: "television",
    852: "tennis ball",
    862: "torch",
    890: "volleyball",
    916: "web site",
    970: "alp",
    978: "seashore",
    979: "valley",
    981: "ballplayer",
}
# Classes of things that have a screen.
SCREENS = (487, 527, 548, 598, 620, 664, 681, 761, 782, 851)
# What football frames are taken for: the ball and its like, players, the score in its corner.
FOOTBALL = (560, 610, 768, 781, 805, 981)
OTHER_BALLS = (429, 522, 574, 722, 852, 890)
OTHER_SPORTS = (422, 430, 543, 736, 746, 751, 795)
SOCCER_BALL = 805
FOOTBALL_SCORES = ("football_classes", "other_balls", "other_sports", "soccer_ball")
LEAST_SHARE = 1e-3


def named_classes(sight: Sight, most: int = 3) -> tuple[tuple[str, float], ...]:
    """For people: the likeliest of those that have a name here."""
    found = [(NAMES[n], round(share, 4)) for n, share in sight.top(3 * most) if n in NAMES]
    return tuple(found[:most])


def screen_score(sight: Sight) -> float:
    """How much of a screen or a device with one is seen, on a scale of logarithms."""
    return _share(sight, SCREENS)


def football_scores(sight: Sight) -> list[float]:
    """FOOTBALL_SCORES: how much of each is seen; for the ball itself against all classes."""
    logs = np.log(np.maximum(sight.probabilities, 1e-12))
    groups = [_share(sight, group) for group in (FOOTBALL, OTHER_BALLS, OTHER_SPORTS)]
    return [*groups, float(logs[SOCCER_BALL] - logs.mean())]


def _share(sight: Sight, classes: tuple[int, ...]) -> float:
    return math.log(float(sight.probabilities[list(classes)].sum()) + LEAST_SHARE)
