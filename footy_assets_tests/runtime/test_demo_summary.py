"""What a demo says at its end, to people and in its exit code."""

from dataclasses import replace

import pytest
from rich.console import Console

from footy_assets.runtime.demo_outcome import DemoOutcome
from footy_assets.runtime.demo_summary import (
    figure_lines,
    sites_line,
    sites_table,
    wrong_footage_table,
)
from footy_assets.sim.check_clips import SiteCheck, SiteCounts, check_sites
from footy_assets.sim.check_goals import GoalsReport
from footy_assets.sim.check_wrong_footage import WrongFootageCheck

FIGURES = {
    "fixtures": 6, "api_calls": 1210, "runs": 25, "failed_runs": 0, "failed_ticks": 0,
    "fixtures_missing": [], "searches": 39, "searches_failed": {"reddit: silent": 2},
    "videos_found": 117, "videos_refused": {"too_long": 3, "not football": 1},
    "videos_deduplicated": 38, "clips_stored": 19, "clips_verified": 18,
    "clips_replaced_by_better": 2, "goal_to_first_clip_p50_p95_seconds_wall": [12.5, 30.0],
}  # fmt: skip
ALL_RIGHT = DemoOutcome(GoalsReport((), (), ()), (), FIGURES, "http://ui.test")


@pytest.mark.parametrize(
    ("counts", "problem"),
    [
        (SiteCounts(5, 3, 0), ""),
        (SiteCounts(5, 0, 0), "no clip"),
        (SiteCounts(0, 0, 0), "no clip"),
        (SiteCounts(5, 3, 2), "wasted downloads: 2"),
    ],
)
def test_a_demo_fails_for_a_site_without_a_clip_and_for_a_wasted_download(
    counts: SiteCounts, problem: str
) -> None:
    sites = check_sites({"x": SiteCounts(9, 4, 0), "reddit": counts}, {"x", "reddit"})
    assert sites == (SiteCheck("x", 9, 4, 0), SiteCheck("reddit", *counts, problem))
    assert replace(ALL_RIGHT, sites=sites).exit_code == (1 if problem else 0)


def test_a_site_where_no_goal_was_posted_needs_no_clip() -> None:
    assert check_sites({"reddit": SiteCounts(2, 0, 0)}, set()) == (SiteCheck("reddit", 2, 0, 0),)


def test_each_site_has_a_line() -> None:
    console = Console(width=80)
    with console.capture() as shown:
        counts = {"x": SiteCounts(9, 4, 0), "bluesky": SiteCounts(5, 0, 0)}
        console.print(sites_table(check_sites(counts, {"bluesky"})))
    lines = [" ".join(line.split()) for line in shown.get().splitlines()]
    assert lines == [
        "site posts found taken wasted downloads result",
        "X 9 4 0 ok",
        "Bluesky 5 0 0 no clip",
    ]


def test_v7_a_demo_fails_for_accepted_footage_of_another_goal() -> None:
    refused = WrongFootageCheck("other match", 3, 0, {"wrong match": 3})
    accepted = WrongFootageCheck("other day", 2, 1, {"wrong score": 1})
    assert replace(ALL_RIGHT, wrong_footage=(refused,)).exit_code == 0
    assert replace(ALL_RIGHT, wrong_footage=(refused, accepted)).exit_code == 1
    console = Console(width=100)
    with console.capture() as shown:
        console.print(wrong_footage_table((refused, accepted)))
    lines = [" ".join(line.split()) for line in shown.get().splitlines()]
    assert lines == [
        "posts of another goal judged accepted refused as result",
        "other match 3 0 3 wrong match ok",
        "other day 2 1 1 wrong score accepted: 1",
    ]


def test_posts_are_counted_while_the_matches_are_on() -> None:
    found = {"x": SiteCounts(9, 4, 0), "reddit": SiteCounts(0, 0, 0)}
    assert sites_line(found) == "posts found: X 9 (4 taken), Reddit 0 (0 taken)"
    assert sites_line({}) == ""


def test_figures_are_sentences_in_real_time() -> None:
    assert list(figure_lines(FIGURES)) == [
        "6 matches, 1210 requests to the provider, 25 Dagster runs (0 failed), 0 failed ticks",
        "39 searches, 117 videos found: 19 clips stored (18 verified), 38 copies of them, "
        "2 times a better copy took a clip's place",
        "refused: 3 too long, 1 not football",
        "failed searches: 2 reddit: silent",
        "from a goal in the feed to its first clip, in real time: 12.5 s for half of them, "
        "30 s for 95 %",
    ]
