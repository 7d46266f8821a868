"""Did every goal get its clips, and only its own? Stored clips against the truth about videos."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from footy_assets.sim.footage import FanVideo, Verdict
from footy_assets.sim.judge import Judged

Row = Mapping[str, Any]
SHOWS_THE_GOAL = (Verdict.RIGHT, Verdict.DUPLICATE)


@dataclass(frozen=True)
class JudgedClips:
    """The clips of one goal of the script, and what is wrong with them ("" if nothing)."""

    judged: Judged
    clips: tuple[Row, ...]
    problem: str = ""


def judge_clips(
    goals: Sequence[Judged],
    keys: Mapping[int, str],
    clips: Iterable[Row],
    shown_by: Mapping[str, FanVideo],
) -> tuple[JudgedClips, ...]:
    """`keys` are the catalogue's names of the goals, by their place in `goals`; `shown_by` gives
    the fan video behind a clip's `video_id`."""
    by_event: dict[str, list[Row]] = {}
    for clip in clips:
        by_event.setdefault(clip["event_id"], []).append(clip)
    found: dict[int, JudgedClips] = {}
    # A removed goal's name may be given to a later one: clips under it are that one's.
    for number in sorted(
        range(len(goals)), key=lambda number: goals[number].goal.ending == "removed"
    ):
        judged = goals[number]
        mine = tuple(by_event.pop(judged.event_id or "", ()))
        found[number] = JudgedClips(judged, mine, _problem(judged, keys[number], mine, shown_by))
    return tuple(found[number] for number in range(len(goals)))


def _problem(
    judged: Judged, key: str, clips: Sequence[Row], shown_by: Mapping[str, FanVideo]
) -> str:
    if judged.goal.ending != "stable":
        return f"{len(clips)} clips of a goal that is {judged.goal.ending}" if clips else ""
    if judged.problem:
        return ""
    wrong = [
        f"{video.kind} ({clip['video_id']})"
        for clip in clips
        if (video := shown_by[clip["video_id"]]).expected not in SHOWS_THE_GOAL
        or video.shows != key
    ]
    if wrong:
        return f"wrong clips: {', '.join(wrong)}"
    return "" if clips else "no clip"
