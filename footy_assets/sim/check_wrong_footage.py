"""Counts what became of the posts that show another goal: of the match, the minute or the sides."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from footy_assets.sim.footage import FanVideo, Kind

WRONG_KINDS = (Kind.OTHER_MATCH, Kind.OTHER_DAY, Kind.OTHER_GOAL)


class VideoOutcome(NamedTuple):
    """What the pipeline made of a post for one goal. `goal_key` is the catalogue's; `refused_as` is
    None if the footage was accepted."""

    goal_key: str | None
    video_id: str
    refused_as: str | None


@dataclass(frozen=True)
class WrongFootageCheck:
    """`judged` posts of a kind were downloaded for a goal that they do not show."""

    kind: str
    judged: int = 0
    accepted: int = 0
    refused: dict[str, int] = field(default_factory=dict)

    @property
    def problem(self) -> str:
        return f"accepted: {self.accepted}" if self.accepted else ""


def check_wrong_footage(
    outcomes: Iterable[VideoOutcome], videos_by_post: Mapping[str, FanVideo]
) -> tuple[WrongFootageCheck, ...]:
    """A line for each kind, also for one of which nothing was downloaded."""
    by_kind: dict[Kind, list[VideoOutcome]] = {kind: [] for kind in WRONG_KINDS}
    for outcome in outcomes:
        video = videos_by_post.get(outcome.video_id)
        if video is None or video.kind not in by_kind:
            continue
        if video.shows is None or video.shows != outcome.goal_key:
            by_kind[video.kind].append(outcome)
    return tuple(_check(kind, found) for kind, found in by_kind.items())


def _check(kind: Kind, found: list[VideoOutcome]) -> WrongFootageCheck:
    refused = Counter(one.refused_as for one in found if one.refused_as is not None)
    return WrongFootageCheck(str(kind), len(found), len(found) - refused.total(), dict(refused))
