"""Compares the stored clips of each goal, and of each site, with the truth about the fan videos."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from footy_assets.sim.check_goals import GoalCheck
from footy_assets.sim.footage import ExpectedOutcome, FanVideo, Kind

Row = Mapping[str, Any]
OF_THIS_GOAL = (ExpectedOutcome.RIGHT, ExpectedOutcome.DUPLICATE)


@dataclass(frozen=True)
class ClipsCheck:
    """The clips of one goal of the script, and the problem with them ("" if none)."""

    goal_check: GoalCheck
    clips: tuple[Row, ...]
    problem: str = ""


class SiteCounts(NamedTuple):
    """Posts found on one site, those taken as a clip or as a copy of one, and downloads that were
    refused for what the post itself said."""

    found: int
    taken: int
    wasted: int


@dataclass(frozen=True)
class SiteCheck:
    """What became of the posts on one site, and the problem with it ("" if none)."""

    site: str
    found: int
    taken: int
    wasted: int
    problem: str = ""


def check_clips(
    goals: Sequence[GoalCheck],
    keys: Mapping[int, str],
    clips: Iterable[Row],
    videos_by_post: Mapping[str, FanVideo],
) -> tuple[ClipsCheck, ...]:
    """`keys` are the catalogue's keys of `goals`, by position; `videos_by_post` gives the fan video
    of a clip's `video_id`."""
    by_event: dict[str, list[Row]] = {}
    for clip in clips:
        by_event.setdefault(clip["event_id"], []).append(clip)
    found: dict[int, ClipsCheck] = {}
    # A later goal may reuse the event id of a removed one: its clips belong to the later goal.
    for number in sorted(
        range(len(goals)), key=lambda number: goals[number].goal.ending == "removed"
    ):
        check = goals[number]
        own = tuple(by_event.pop(check.event_id or "", ()))
        found[number] = ClipsCheck(check, own, _problem(check, keys[number], own, videos_by_post))
    return tuple(found[number] for number in range(len(goals)))


def check_sites(
    counts: Mapping[str, SiteCounts], expected: Collection[str]
) -> tuple[SiteCheck, ...]:
    """`expected` are the sites with right videos."""
    return tuple(
        SiteCheck(site, *found, problem=_site_problem(found, site in expected))
        for site, found in counts.items()
    )


def _site_problem(counts: SiteCounts, is_expected: bool) -> str:
    if is_expected and not counts.taken:
        return "no clip"
    return f"wasted downloads: {counts.wasted}" if counts.wasted else ""


def _problem(
    check: GoalCheck, key: str, clips: Sequence[Row], videos_by_post: Mapping[str, FanVideo]
) -> str:
    if check.goal.ending != "stable":
        return f"{len(clips)} clips of a goal that is {check.goal.ending}" if clips else ""
    if check.problem:
        return ""
    wrong = [
        f"{video.kind} ({clip['video_id']})"
        for clip in clips
        if not _shows(video := videos_by_post[clip["video_id"]], key)
    ]
    if wrong:
        return f"wrong clips: {', '.join(wrong)}"
    return "" if clips else "no clip"


def _shows(video: FanVideo, key: str) -> bool:
    """A film posted as another goal is wrong there, and right for the goal that it shows."""
    is_of_a_goal = video.expected in OF_THIS_GOAL or video.kind is Kind.OTHER_GOAL
    return is_of_a_goal and video.shows == key
