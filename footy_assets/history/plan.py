"""Tier planners: which documents a tier has, given what is known so far (Y1, Y2)."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from footy_assets.history.documents import Role, Row, SourcedDocument, Wanted
from footy_assets.history.key import LeagueSeason
from footy_assets.history.rules import HistoryRules, flagged_count
from footy_assets.history.tiers import Tier

FIXTURES, TEAMS = "/fixtures", "/teams"
# Pages of one team lie this far apart: all first pages come before all second ones.
TEAMS_AT_MOST = 10_000
# Of one team's players: twenty to a page.
MOST_PAGES = 100


@dataclass(frozen=True, slots=True)
class Known:
    """What planners go by. `teams` is None until the list of teams was read."""

    teams: Sequence[Row] | None = None
    players: Sequence[SourcedDocument] = ()
    # Players seen on the pitch for two teams; None until all pages are settled.
    in_two_teams: Collection[int] | None = None
    # Listings that were read, and are not to be read again.
    listings: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """`listed`: all documents are known, and the last of them flagged. `closed`: nothing else will
    be asked for because of what is still to be read, so the total is final."""

    wanted: list[Wanted] = field(default_factory=list)
    listed: bool = False
    closed: bool = False


def fixtures_listing(key: LeagueSeason) -> Wanted:
    query = (("league", key.league), ("season", key.season))
    return Wanted(Tier.SEASON, -1, FIXTURES, query, Role.LISTING)


def teams_listing(key: LeagueSeason) -> Wanted:
    query = (("league", key.league), ("season", key.season))
    return Wanted(Tier.VENUE, -1, TEAMS, query, Role.LISTING)


def plan(tier: Tier, key: LeagueSeason, known: Known) -> Plan:
    return PLANNERS[tier](key, known)


def _season(key: LeagueSeason, known: Known) -> Plan:
    query = (("id", key.league), ("season", key.season))
    wanted = [Wanted(Tier.SEASON, 0, "/leagues", query), fixtures_listing(key)]
    return Plan(wanted, listed=True, closed=FIXTURES in known.listings)


def _venues(key: LeagueSeason, known: Known) -> Plan:
    listing = teams_listing(key)
    if known.teams is None:
        return Plan([listing])
    ids = sorted({team["venue_id"] for team in known.teams if team["venue_id"] is not None})
    venues = [Wanted(Tier.VENUE, n, "/venues", (("id", id_),)) for n, id_ in enumerate(ids)]
    return Plan([listing, *venues], listed=True, closed=TEAMS in known.listings)


def _team_seasons(key: LeagueSeason, known: Known) -> Plan:
    if known.teams is None:
        return Plan()
    return Plan(
        [
            Wanted(
                Tier.TEAM_SEASON,
                place,
                "/teams/statistics",
                (("league", key.league), ("season", key.season), ("team", team_id)),
            )
            for place, team_id in enumerate(_team_ids(known.teams))
        ],
        listed=True,
        closed=True,
    )


def _player_seasons(key: LeagueSeason, known: Known) -> Plan:
    """A first page tells how many there are; all are listed once every first page was settled."""
    if known.teams is None:
        return Plan()
    first = {d.wanted.asked("team"): d for d in known.players if _is_first_page(d)}
    wanted: list[Wanted] = []
    listed = True
    for place, team_id in enumerate(_team_ids(known.teams)):
        page_one = first.get(team_id)
        listed = listed and page_one is not None and page_one.settled
        pages = page_one.pages if page_one is not None else 1
        wanted += [_players(key, team_id, place, page) for page in range(1, pages + 1)]
    doubled = sorted(known.in_two_teams or ())
    wanted += [
        Wanted(Tier.PLAYER_SEASON, place, "/transfers", (("player", id_),), Role.EVIDENCE)
        for place, id_ in enumerate(doubled, start=TEAMS_AT_MOST * TEAMS_AT_MOST)
    ]
    closed = listed and (not known.teams or known.in_two_teams is not None)
    return Plan(wanted, listed, closed)


def _players(key: LeagueSeason, team_id: int, place: int, page: int) -> Wanted:
    query = (("team", team_id), ("season", key.season), ("page", page))
    return Wanted(Tier.PLAYER_SEASON, page * TEAMS_AT_MOST + place, "/players", query)


def _is_first_page(document: SourcedDocument) -> bool:
    return document.wanted.role is Role.DOCUMENT and document.wanted.asked("page") == 1


def _team_ids(teams: Sequence[Row]) -> list[int]:
    return sorted({team["team_id"] for team in teams})


PLANNERS = {
    Tier.SEASON: _season,
    Tier.VENUE: _venues,
    Tier.TEAM_SEASON: _team_seasons,
    Tier.PLAYER_SEASON: _player_seasons,
}


def flagged(wanted: Sequence[Wanted], rules: HistoryRules) -> set[str]:
    """Y2: the last of a tier's documents, by their hashes."""
    documents = sorted(
        (one for one in wanted if one.role is Role.DOCUMENT), key=lambda one: one.order
    )
    count = flagged_count(len(documents), rules)
    return {one.url_hash for one in documents[len(documents) - count :]}


def pages_settled(known_players: Sequence[SourcedDocument], planned: Sequence[Wanted]) -> bool:
    """Every page that is planned was read or given up: who played for two teams is known."""
    settled = {d.wanted.url_hash for d in known_players if d.settled}
    pages = [one for one in planned if one.role is Role.DOCUMENT]
    return all(one.url_hash in settled for one in pages)
