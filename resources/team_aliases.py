"""The words for teams, with everything that finds them out, as the settings say."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from pymongo.database import Database

from footy_assets.clock import Clock
from footy_assets.discovery.team_facts import Encyclopedia, TeamDirectory
from footy_assets.operations.aliases import TeamAliases
from footy_assets.settings import Settings
from footy_assets.store.collections import Document
from footy_assets.store.journal import Journal
from footy_assets.store.team_aliases import TeamAliasStore
from resources.alias_picker.connection import open_alias_picker
from resources.wikidata.connection import open_wikidata


@contextmanager
def open_team_aliases(
    settings: Settings,
    database: Database[Document],
    teams: TeamDirectory,
    clock: Clock,
    encyclopedia: Encyclopedia | None = None,
) -> Iterator[TeamAliases]:
    """`teams` is the provider; Wikidata is opened here unless it is given."""
    with ExitStack() as stack:
        known = encyclopedia or stack.enter_context(open_wikidata(settings))
        picker = stack.enter_context(open_alias_picker(settings, database))
        yield TeamAliases(TeamAliasStore(database), teams, known, clock, picker, Journal(database))
