"""Values of matches, goals and incidents: changing one orphans stored documents."""

from footy_assets.matchday.rules.fixture import AddedBy
from footy_assets.matchday.rules.goal import RemovalReason, RenameReason
from footy_assets.matchday.rules.observe import ChangeKind
from footy_assets.matchday.rules.sighting import IncidentKind


def test_reasons_and_kinds_are_stored_under_these_names() -> None:
    assert list(RemovalReason) == ["var", "missing", "unnamed_vanished"]
    assert list(AddedBy) == ["tracked", "by_id"]
    assert list(RenameReason) == ["named", "reattributed"]
    assert list(ChangeKind) == ["new", "removed", "renamed", "stable", "updated"]
    assert list(IncidentKind) == ["card", "substitution", "penalty", "var"]
