"""P5 on the command line: every operator action is recorded with who and why."""

import getpass
import json
from pathlib import Path
from typing import Any

import pytest
from pymongo.database import Database

from footy_assets.search.store.site_health import SiteHealth
from footy_assets_tests.clips.clip_harness import ClipHarness
from footy_assets_tests.fixtures.command import NO_S3, NOW, Footy
from footy_assets_tests.matchday.goals import GOAL, put_goal
from resources.embedded.weed import S3Server
from resources.s3.clip_store import ClipStore

pytestmark = pytest.mark.slow


@pytest.fixture
def stored(
    footy: Footy,
    database: Database[dict[str, Any]],
    clip_store: ClipStore,
    s3: S3Server,
    tmp_path: Path,
) -> ClipHarness:
    """A goal with two clips."""
    footy.env |= {
        "FOOTY_S3_ENDPOINT_URL": s3.endpoint_url,
        "FOOTY_S3_ACCESS_KEY_ID": s3.access_key_id,
        "FOOTY_S3_SECRET_ACCESS_KEY": s3.secret_access_key,
        "FOOTY_S3_BUCKET": clip_store.bucket,
        "FOOTY_CLIP_SHORT_EDGE": "90",
    }
    put_goal(database)
    harness = ClipHarness(database, clip_store, tmp_path / "work")
    harness.choose(good=5, angle=2)
    harness.run()
    return harness


def test_p5_remove_rerank_close_and_the_audit_of_them(footy: Footy, stored: ClipHarness) -> None:
    best, other = footy.json("clips", "--event", GOAL.event_id)
    assert footy("clip", "remove", best["clip_id"]).returncode == 2, "a reason is required"
    removed = footy.json(
        "clip", "remove", best["clip_id"], "--why", "another match", "--who", "ada"
    )
    assert removed == {"clip_id": best["clip_id"], "key": best["key"], "removed": True}
    assert not stored.objects.exists(best["key"])
    (left,) = footy.json("rerank", GOAL.event_id)
    assert (left["clip_id"], left["rank"]) == (other["clip_id"], 1)
    closed = footy.json("close", "5000", "--why", "abandoned for good")
    assert closed["state"] == "completed"
    missing = footy("clip", "remove", "nope", "--why", "typed by mistake")
    assert missing.returncode == 4
    assert "clip nope is not known" in missing.stderr
    entries = footy.json("audit")
    assert [(e["who"], e["operation"], e["target"], e["why"]) for e in reversed(entries)] == [
        ("ada", "remove clip", best["clip_id"], "another match"),
        (getpass.getuser(), "rerank", GOAL.event_id, "no reason given"),
        (getpass.getuser(), "close", "5000", "abandoned for good"),
        (getpass.getuser(), "remove clip", "nope", "typed by mistake"),
    ]
    assert entries[0]["outcome"].startswith("failed: ")
    assert "abandoned for good" in footy("audit").stdout


def test_events_list_their_clips_best_first(footy: Footy, stored: ClipHarness) -> None:
    (event,) = footy.json("events")
    assert len(event["clips"]) == len(stored.clips()) == 2
    assert event["clips"] == footy.json("clips", "--event", GOAL.event_id)


def test_p5_revalidate_uses_the_configured_validator(footy: Footy, stored: ClipHarness) -> None:
    """The harness accepted these films; the real validator refuses them as not football."""
    before = stored.clips()
    rows = footy.json("revalidate", GOAL.event_id, "--why", "new rules")
    assert {row["clip_id"] for row in rows} == {clip["_id"] for clip in before}
    assert not any(row["accepted"] for row in rows)
    assert all(row["reason"] for row in rows)
    assert stored.clips() == []
    assert not stored.objects.list_keys()
    assert footy("revalidate", "1_2_3_Goal_1").returncode == 4


def test_p5_ingest_by_id_is_recorded(footy: Footy) -> None:
    footy.live_match()
    assert footy.json("ingest", "--fixture", "5000", "--why", "a cup match")["kept"] == 1
    (entry,) = footy.json("audit")
    assert (entry["operation"], entry["target"], entry["why"]) == ("ingest", "5000", "a cup match")


def test_se7_doctor_reports_a_lost_login_until_a_search_works(
    footy: Footy, database: Database[dict[str, Any]]
) -> None:
    def doctor_checks() -> dict[str, dict[str, Any]]:
        done = footy("doctor", "--json", FOOTY_SOURCES="x", **NO_S3)
        return {row["name"]: row for row in json.loads(done.stdout)}

    assert doctor_checks()["searches of x"]["ok"]
    SiteHealth(database).record_failure("x", "LoginLost", "X shows its login page", True, NOW)
    check = doctor_checks()["searches of x"]
    assert not check["ok"]
    assert not check["optional"], "doctor fails"
    assert "X shows its login page" in check["detail"]
    assert "footy login x" in check["fix"]
    SiteHealth(database).record_success("x", NOW)
    assert doctor_checks()["searches of x"]["ok"]
