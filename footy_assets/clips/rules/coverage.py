"""How many goals have a clip."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Coverage:
    """Of so many goals, how many have a clip, and how many a verified one."""

    goals: int = 0
    with_clip: int = 0
    verified: int = 0

    def __add__(self, other: "Coverage") -> "Coverage":
        return Coverage(
            self.goals + other.goals,
            self.with_clip + other.with_clip,
            self.verified + other.verified,
        )

    @property
    def share(self) -> float | None:
        return self.with_clip / self.goals if self.goals else None

    @property
    def verified_share(self) -> float | None:
        return self.verified / self.goals if self.goals else None

    @property
    def sentence(self) -> str:
        return (
            f"{self.with_clip} of {self.goals} goals have a clip, {self.verified} a verified one"
            if self.goals
            else "no goals"
        )


@dataclass(frozen=True, slots=True)
class GoalCoverage:
    """`stable` counts every stable goal that is searched for, `searched` those of them whose search
    is over: only they can be judged."""

    stable: Coverage = field(default_factory=Coverage)
    searched: Coverage = field(default_factory=Coverage)

    def __add__(self, other: "GoalCoverage") -> "GoalCoverage":
        return GoalCoverage(self.stable + other.stable, self.searched + other.searched)


def goal_coverage(has_clip: bool, has_verified: bool, search_over: bool) -> GoalCoverage:
    one = Coverage(1, int(has_clip), int(has_verified))
    return GoalCoverage(one, one if search_over else Coverage())


@dataclass(frozen=True, slots=True)
class CoverageTarget:
    """The share of goals that should have a clip, judged from this many goals on."""

    share: float = 0.8
    goals: int = 5

    def is_met(self, coverage: Coverage) -> bool:
        return coverage.share is None or coverage.goals < self.goals or coverage.share >= self.share
