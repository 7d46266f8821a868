"""Names of those of the image model's 1,000 classes that appear in sport and around screens."""

import math

import numpy as np

from footy_assets.media.image_model import ImageFeatures

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
# Devices with a screen.
SCREEN_CLASSES = (487, 527, 548, 598, 620, 664, 681, 761, 782, 851)
# What the model sees in football frames: balls, players, the scoreboard in the corner.
FOOTBALL_CLASSES = (560, 610, 768, 781, 805, 981)
OTHER_BALLS = (429, 522, 574, 722, 852, 890)
OTHER_SPORTS = (422, 430, 543, 736, 746, 751, 795)
SOCCER_BALL = 805
FOOTBALL_SCORES = ("football_classes", "other_balls", "other_sports", "soccer_ball")
MIN_SHARE = 1e-3


def named_classes(features: ImageFeatures, most: int = 3) -> tuple[tuple[str, float], ...]:
    """The most probable classes that have a name here, for people to read."""
    found = [(NAMES[n], round(share, 4)) for n, share in features.top(3 * most) if n in NAMES]
    return tuple(found[:most])


def screen_score(features: ImageFeatures) -> float:
    """The log probability of a device with a screen."""
    return _log_share(features, SCREEN_CLASSES)


def football_scores(features: ImageFeatures) -> list[float]:
    """The values of FOOTBALL_SCORES: log probabilities; for the ball relative to all classes."""
    logs = np.log(np.maximum(features.probabilities, 1e-12))
    groups = [
        _log_share(features, group) for group in (FOOTBALL_CLASSES, OTHER_BALLS, OTHER_SPORTS)
    ]
    return [*groups, float(logs[SOCCER_BALL] - logs.mean())]


def _log_share(features: ImageFeatures, classes: tuple[int, ...]) -> float:
    return math.log(float(features.probabilities[list(classes)].sum()) + MIN_SHARE)
