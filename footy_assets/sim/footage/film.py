"""A goal as it is broadcast: live play, close-ups, the replay, and the scorebug over it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

import numpy as np
from numpy.typing import NDArray

from footy_assets.sim.footage import close_ups, kits, shots, stadium
from footy_assets.sim.footage.encode import FPS
from footy_assets.sim.footage.figures import Kit
from footy_assets.sim.footage.planes import Colour, Picture, Planes, Sprite
from footy_assets.sim.footage.play import Play
from footy_assets.sim.scorebug import Design, Scorebug, Style

SIZE = WIDTH, HEIGHT = 960, 540
# The score on the bug changes some time after the ball is in.
SCORE_CHANGES_AFTER = 2.0
WIPE = 0.32

_Cover = tuple[NDArray[np.int16], tuple[slice, slice]]


@dataclass(frozen=True)
class GoalFilm:
    """All that a film follows from; equal values give equal pictures.

    `clock` is what the match clock says, in seconds, as the ball crosses the line.
    """

    seed: str
    home: str
    away: str
    kits: tuple[Kit, Kit]
    ground: stadium.Ground
    home_scores: bool
    score: tuple[int, int]
    clock: int
    style: Style
    design: Design
    wipe: Colour
    number: int
    attack_right: bool
    penalty: bool = False


@dataclass(frozen=True)
class Cut:
    """One shot of a film, from a moment on. A replay has its bug hidden."""

    start: float
    end: float
    shot: shots.Shot
    since: float
    is_replay: bool = False


@dataclass(frozen=True)
class Timeline:
    cuts: tuple[Cut, ...]
    goal_at: float

    @property
    def seconds(self) -> float:
        return self.cuts[-1].end

    def cut_at(self, t: float) -> Cut:
        return next((cut for cut in self.cuts if t < cut.end), self.cuts[-1])


def seconds_of(film: GoalFilm) -> float:
    """How long the film is, without drawing anything."""
    return sum(length for _, length in _plan(Random(film.seed))[1])


def goal_at(film: GoalFilm) -> float:
    """The second of the film in which the ball crosses the line."""
    return _plan(Random(film.seed))[0]


def pictures(film: GoalFilm, size: tuple[int, int] = SIZE) -> Iterator[Planes]:
    """Every frame in order. The same memory is drawn into again and again."""
    timeline = _timeline(film, size)
    bug = _Bug(film, timeline, size)
    picture = Planes.blank(*size)
    for number in range(round(timeline.seconds * FPS)):
        t = number / FPS
        cut = timeline.cut_at(t)
        cut.shot(picture, t - cut.since)
        if not cut.is_replay:
            bug.draw(picture, t)
        _wiped(picture, film.wipe, timeline, t)
        yield picture


def _plan(rng: Random) -> tuple[float, list[tuple[str, float]]]:
    """When the ball is in, and the shots in their order with their lengths."""
    goal_at = round(rng.uniform(3.4, 4.8), 2)
    after = [
        ("goal mouth", rng.uniform(0.9, 1.3)),
        ("celebration", rng.uniform(1.2, 1.6)),
        ("crowd", rng.uniform(0.8, 1.1)),
    ]
    rng.shuffle(after)
    # Long enough for the pitch to be seen at three quarters of the film: that is where one looks.
    again = ("replay", rng.uniform(3.0, 3.9))
    plan = [("main", goal_at + rng.uniform(0.7, 1.2)), *after[:2], again]
    if rng.random() < 0.4:
        plan.append(("celebration", rng.uniform(0.7, 1.0)))
    return goal_at, [(name, round(length * FPS) / FPS) for name, length in plan]


def _timeline(film: GoalFilm, size: tuple[int, int]) -> Timeline:
    chance = Random(film.seed)
    goal_at, plan = _plan(chance)
    rng = np.random.default_rng(chance.getrandbits(60))
    play = Play(chance.getrandbits(60), goal_at, film.attack_right, film.penalty)
    scoring, other = film.kits if film.home_scores else film.kits[::-1]
    keepers = kits.KEEPERS if film.home_scores else kits.KEEPERS[::-1]
    scene = shots.Scene(stadium.build(film.ground), play, scoring, other, keepers, kits.REFEREE)
    fans = (scoring.shirt, scoring.stripes or scoring.shorts)
    cuts, start = [], 0.0
    for name, length in plan:
        since = start
        if name == "main":
            shot = shots.main_camera(scene, rng)
        elif name == "goal mouth":
            shot, since = shots.goal_mouth(scene, rng), start - goal_at - 0.5
        elif name == "celebration":
            shot = close_ups.celebration(scene, rng, film.number)
        elif name == "crowd":
            shot = close_ups.crowd(rng, fans, size)
        else:
            pace = float(rng.uniform(0.4, 0.55))
            shot = shots.replay(scene, rng, pace, goal_at - 0.72 * length * pace)
        cuts.append(Cut(start, start + length, shot, since, name == "replay"))
        start += length
    return Timeline(tuple(cuts), goal_at)


class _Bug:
    """The scorebug, drawn once for every second that its clock shows."""

    def __init__(self, film: GoalFilm, timeline: Timeline, size: tuple[int, int]) -> None:
        self._size = size
        self._changes_at = timeline.goal_at + SCORE_CHANGES_AFTER
        home, away = film.score
        before = (home - 1, away) if film.home_scores else (home, away - 1)
        start = film.clock - round(timeline.goal_at)
        after = Scorebug(film.design, film.style, start)
        self._after = replace(after, design=replace(film.design, score=film.score))
        self._before = replace(after, design=replace(film.design, score=before))
        self._covers: dict[tuple[tuple[int, int], int], _Cover] = {}
        self._drawn: dict[tuple[int, bool], tuple[Sprite, int, int]] = {}

    def draw(self, picture: Planes, t: float) -> None:
        scored = t >= self._changes_at
        key = int(t), scored
        if key not in self._drawn:
            self._drawn[key] = self._overlay(self._after if scored else self._before, int(t))
        sprite, left, top = self._drawn[key]
        sprite.onto(picture, left, top)

    def _overlay(self, bug: Scorebug, second: int) -> tuple[Sprite, int, int]:
        width, height = self._size
        black = bug.draw(np.zeros((height, width, 3), np.uint8), second)
        cover, inside = self._cover(bug, black, second)
        colour = black[inside].astype(np.float32) * 255 / np.maximum(cover, 1)[:, :, None]
        bgra = np.dstack([np.clip(colour, 0, 255), cover]).astype(np.uint8)
        return Sprite(bgra), inside[1].start, inside[0].start

    def _cover(self, bug: Scorebug, black: Picture, second: int) -> _Cover:
        """How opaque the bug is, and where: from how it looks over black and over white. That
        stays while the digits of its minutes do."""
        key = bug.design.score, int(bug.match_seconds(second)) // 60
        if key not in self._covers:
            white = bug.draw(np.full_like(black, 255), second)
            cover = 255 - (white.astype(np.int16) - black).max(axis=2)
            rows, columns = np.nonzero(cover > 2)
            top, left = int(rows.min()) // 2 * 2, int(columns.min()) // 2 * 2
            inside = slice(top, int(rows.max()) + 1), slice(left, int(columns.max()) + 1)
            self._covers[key] = cover[inside], inside
        return self._covers[key]


def _wiped(picture: Planes, colour: Colour, timeline: Timeline, t: float) -> None:
    """Around a replay a band in the league's colour sweeps over the picture."""
    for cut in timeline.cuts:
        if not cut.is_replay:
            continue
        for edge in (cut.start, cut.end):
            if abs(t - edge) < WIPE / 2 and edge < timeline.seconds:
                width, height = picture.size
                share = (t - edge) / WIPE + 0.5
                x = -0.9 * width + share * 2.2 * width
                top = [(x, 0), (x + 0.8 * width, 0)]
                bottom = [(x + 0.5 * width, height), (x - 0.3 * width, height)]
                corners = np.array([*top, *bottom], np.float64)
                picture.fill(corners, colour)
