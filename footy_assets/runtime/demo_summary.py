"""The end of a demo as people read it: a line for each goal and site, and the figures."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from footy_assets.gallery.cards import SITE_NAMES
from footy_assets.sim.check_clips import ClipsCheck, SiteCheck, SiteCounts
from footy_assets.sim.check_goals import GoalsReport
from footy_assets.sim.check_wrong_footage import WrongFootageCheck

Figures = Mapping[str, Any]


def table_with(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(heading)
    return table


def goals_table(report: GoalsReport, clips: Sequence[ClipsCheck]) -> Table:
    table = table_with("goal", "event", "expected", "clips", "result")
    for number, check in enumerate(report.goals):
        goal, found = check.goal, clips[number] if clips else None
        extra = f"+{goal.extra}" if goal.extra else ""
        table.add_row(
            f"{goal.elapsed}{extra}' {goal.player_name or 'not named'}",
            check.event_id or "–",
            goal.ending,
            str(len(found.clips)) if found and found.clips else "",
            _result(check.problem or (found.problem if found else "")),
        )
    return table


def sites_line(counts: Mapping[str, SiteCounts]) -> str:
    """What was found so far."""
    each = (
        f"{SITE_NAMES.get(site, site)} {of_site.found} ({of_site.taken} taken)"
        for site, of_site in counts.items()
    )
    return f"posts found: {', '.join(each)}" if counts else ""


def sites_table(sites: Sequence[SiteCheck]) -> Table:
    table = table_with("site", "posts found", "taken", "wasted downloads", "result")
    for check in sites:
        name = SITE_NAMES.get(check.site, check.site)
        counts = (str(count) for count in (check.found, check.taken, check.wasted))
        table.add_row(name, *counts, _result(check.problem))
    return table


def wrong_footage_table(checks: Sequence[WrongFootageCheck]) -> Table:
    table = table_with("posts of another goal", "judged", "accepted", "refused as", "result")
    for check in checks:
        counts = str(check.judged), str(check.accepted), _counted(check.refused)
        table.add_row(check.kind, *counts, _result(check.problem))
    return table


def _result(problem: str) -> Text:
    return Text(problem or "ok", style="red" if problem else "green")


def figure_lines(figures: Figures) -> Iterator[str]:
    yield (
        f"{figures['fixtures']} matches, {figures['api_calls']} requests to the provider, "
        f"{figures['runs']} Dagster runs ({figures['failed_runs']} failed), "
        f"{figures['failed_ticks']} failed ticks"
    )
    if missing := figures["fixtures_missing"]:
        yield f"missing matches: {', '.join(map(str, missing))}"
    if "searches" not in figures:
        return
    yield (
        f"{figures['searches']} searches, {figures['videos_found']} videos found: "
        f"{figures['clips_stored']} clips stored ({figures['clips_verified']} verified), "
        f"{figures['videos_deduplicated']} copies of them, "
        f"{figures['clips_replaced_by_better']} times a better copy took a clip's place"
    )
    if refused := figures["videos_refused"]:
        yield f"refused: {_counted(refused)}"
    if failed := figures["searches_failed"]:
        yield f"failed searches: {_counted(failed)}"
    if wall := figures.get("goal_to_first_clip_p50_p95_seconds_wall"):
        yield (
            f"from a goal in the feed to its first clip, in real time: {wall[0]:g} s for half of "
            f"them, {wall[1]:g} s for 95 %"
        )


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {str(name).replace('_', ' ')}" for name, count in counts.items())
