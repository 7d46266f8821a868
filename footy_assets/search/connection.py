"""The alias resolver with everything it uses, opened from the settings."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from pymongo.database import Database

from footy_assets.clock import Clock
from footy_assets.matchday.store.journal import Journal
from footy_assets.search.aliases import TeamAliases
from footy_assets.search.rules.team_facts import Encyclopedia, TeamDirectory
from footy_assets.search.store.team_aliases import TeamAliasStore
from footy_assets.settings import Settings
from footy_assets.store.collections import Document
from resources.language_model.alias_picker_connection import open_alias_picker
from resources.wikidata.connection import open_wikidata


@contextmanager
def open_team_aliases(
    settings: Settings,
    database: Database[Document],
    teams: TeamDirectory,
    clock: Clock,
    encyclopedia: Encyclopedia | None = None,
) -> Iterator[TeamAliases]:
    """`teams` is the provider. Opens Wikidata unless `encyclopedia` is given."""
    with ExitStack() as stack:
        known = encyclopedia or stack.enter_context(open_wikidata(settings))
        picker = stack.enter_context(open_alias_picker(settings, database, clock))
        yield TeamAliases(TeamAliasStore(database), teams, known, clock, picker, Journal(database))
