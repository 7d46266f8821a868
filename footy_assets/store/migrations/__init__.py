"""The steps that take a database from one schema version to the next, in order."""

from footy_assets.store.migrations.s0001_complete_clips import STEP as COMPLETE_CLIPS
from footy_assets.store.migrations.s0002_closed_by import STEP as CLOSED_BY
from footy_assets.store.migrations.step import MigrationStep

STEPS: tuple[MigrationStep, ...] = (COMPLETE_CLIPS, CLOSED_BY)
# What this version reads and writes.
SCHEMA_VERSION = STEPS[-1].version
