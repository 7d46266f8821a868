"""A past matchday through the whole stack: backfilled, searched for once, ended with its clip."""

import pytest

from footy_assets.sim.footage import ExpectedOutcome
from footy_assets_tests.runtime.conftest import PAST_DAY, World
from footy_assets_tests.runtime.graphql import query
from footy_assets_tests.runtime.stack import Stack

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

LINEAGE = """query($partition: String!) {
  assetNodes(assetKeys: [
    {path: ["clips"]}, {path: ["discovered_videos"]}, {path: ["live_events"]}, {path: ["fixtures"]}
  ]) {
    assetKey { path }
    dependencyKeys { path }
    assetMaterializations(partitions: [$partition], limit: 1) { partition }
  }
}"""


def test_a_backfilled_day_ends_with_clips_like_a_live_one(up: Stack, world: World) -> None:
    """Its backfill was launched when the stack was up."""

    def is_complete() -> bool:
        return [goal["state"] for goal in up.goals(date=PAST_DAY)] == ["complete"]

    up.wait_until(is_complete, 480)
    (event,) = world.footy("events", "--date", PAST_DAY)
    whole = world.footy("explain", event["event_id"])
    assert [attempt["number"] for attempt in whole["attempts"]] == [1], "searched for once"
    (clip,) = whole["clips"]
    assert clip["verified"]
    videos = world.fans.videos_by_post()
    assert videos[clip["video_id"]].expected is ExpectedOutcome.RIGHT
    refused = {video["video_id"] for video in whole["videos"] if video["state"] == "refused"}
    assert all(
        videos[name].expected in (ExpectedOutcome.REFUSED, ExpectedOutcome.WRONG)
        for name in refused
    ), whole["videos"]
    assert lineage(up.ui(), event["event_id"]) == {
        "clips": (["discovered_videos"], True),
        "discovered_videos": (["live_events"], True),
        "live_events": (["fixtures"], False),
        "fixtures": ([], False),
    }


def lineage(ui: str, partition: str) -> dict[str, tuple[list[str], bool]]:
    """What each asset depends on, and whether this goal's partition of it is materialized."""
    return {
        node["assetKey"]["path"][-1]: (
            [key["path"][-1] for key in node["dependencyKeys"]],
            bool(node["assetMaterializations"]),
        )
        for node in query(ui, LINEAGE, partition=partition)["assetNodes"]
    }
