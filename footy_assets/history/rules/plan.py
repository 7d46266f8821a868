"""Tier planners: the requests of each tier, as far as they are known (Y1, Y2)."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from footy_assets.history.rules.documents import DocumentRequest, Role, Row, SourcedDocument
from footy_assets.history.rules.key import LeagueSeason
from footy_assets.history.rules.limits import HistoryRules, flagged_count
from footy_assets.history.rules.tiers import Tier

FIXTURES, TEAMS = "/fixtures", "/teams"
# Distance between pages in a tier's order: all first pages come before all second pages.
TEAMS_AT_MOST = 10_000
# Pages of one team's players, twenty players each.
MOST_PAGES = 100


@dataclass(frozen=True, slots=True)
class PlanInput:
    """What the planners need. `teams` is None until the list of teams is processed."""

    teams: Sequence[Row] | None = None
    players: Sequence[SourcedDocument] = ()
    # Players who appeared for two teams; None until all pages are settled.
    players_of_two_teams: Collection[int] | None = None
    # Paths of the listings that are processed and not due again.
    listings: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class TierPlan:
    """`listed`: all documents are known, and the last ones can be flagged. `closed`: no document
    that is still to be read can add requests, so the total is final."""

    requests: list[DocumentRequest] = field(default_factory=list)
    listed: bool = False
    closed: bool = False


def fixtures_listing(key: LeagueSeason) -> DocumentRequest:
    query = (("league", key.league), ("season", key.season))
    return DocumentRequest(Tier.SEASON, -1, FIXTURES, query, Role.LISTING)


def teams_listing(key: LeagueSeason) -> DocumentRequest:
    query = (("league", key.league), ("season", key.season))
    return DocumentRequest(Tier.VENUE, -1, TEAMS, query, Role.LISTING)


def plan(tier: Tier, key: LeagueSeason, known: PlanInput) -> TierPlan:
    return PLANNERS[tier](key, known)


def _season(key: LeagueSeason, known: PlanInput) -> TierPlan:
    query = (("id", key.league), ("season", key.season))
    requests = [DocumentRequest(Tier.SEASON, 0, "/leagues", query), fixtures_listing(key)]
    return TierPlan(requests, listed=True, closed=FIXTURES in known.listings)


def _venues(key: LeagueSeason, known: PlanInput) -> TierPlan:
    listing = teams_listing(key)
    if known.teams is None:
        return TierPlan([listing])
    ids = sorted({team["venue_id"] for team in known.teams if team["venue_id"] is not None})
    venues = [
        DocumentRequest(Tier.VENUE, n, "/venues", (("id", id_),)) for n, id_ in enumerate(ids)
    ]
    return TierPlan([listing, *venues], listed=True, closed=TEAMS in known.listings)


def _team_seasons(key: LeagueSeason, known: PlanInput) -> TierPlan:
    if known.teams is None:
        return TierPlan()
    return TierPlan(
        [
            DocumentRequest(
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


def _player_seasons(key: LeagueSeason, known: PlanInput) -> TierPlan:
    """A first page has the number of pages; all are listed once every first page is settled."""
    if known.teams is None:
        return TierPlan()
    first = {d.request.parameter("team"): d for d in known.players if _is_first_page(d)}
    requests: list[DocumentRequest] = []
    listed = True
    for place, team_id in enumerate(_team_ids(known.teams)):
        page_one = first.get(team_id)
        listed = listed and page_one is not None and page_one.settled
        pages = page_one.pages if page_one is not None else 1
        requests += [_players(key, team_id, place, page) for page in range(1, pages + 1)]
    two_teams = sorted(known.players_of_two_teams or ())
    requests += [
        DocumentRequest(Tier.PLAYER_SEASON, place, "/transfers", (("player", id_),), Role.EVIDENCE)
        for place, id_ in enumerate(two_teams, start=TEAMS_AT_MOST * TEAMS_AT_MOST)
    ]
    closed = listed and (not known.teams or known.players_of_two_teams is not None)
    return TierPlan(requests, listed, closed)


def _players(key: LeagueSeason, team_id: int, place: int, page: int) -> DocumentRequest:
    query = (("team", team_id), ("season", key.season), ("page", page))
    return DocumentRequest(Tier.PLAYER_SEASON, page * TEAMS_AT_MOST + place, "/players", query)


def _is_first_page(document: SourcedDocument) -> bool:
    return document.request.role is Role.DOCUMENT and document.request.parameter("page") == 1


def _team_ids(teams: Sequence[Row]) -> list[int]:
    return sorted({team["team_id"] for team in teams})


PLANNERS = {
    Tier.SEASON: _season,
    Tier.VENUE: _venues,
    Tier.TEAM_SEASON: _team_seasons,
    Tier.PLAYER_SEASON: _player_seasons,
}


def documents_in_order(requests: Sequence[DocumentRequest]) -> list[DocumentRequest]:
    """Those that may be flagged: no listings, no evidence."""
    documents = (one for one in requests if one.role is Role.DOCUMENT)
    return sorted(documents, key=lambda one: one.order)


def flagged(requests: Sequence[DocumentRequest], rules: HistoryRules) -> set[str]:
    """Y2: the url hashes of the last documents of a tier."""
    documents = documents_in_order(requests)
    count = flagged_count(len(documents), rules)
    return {one.url_hash for one in documents[len(documents) - count :]}


def all_pages_settled(
    known_players: Sequence[SourcedDocument], planned: Sequence[DocumentRequest]
) -> bool:
    """Whether every planned page is processed or parked, so the players of two teams are known."""
    settled = {d.request.url_hash for d in known_players if d.settled}
    pages = [one for one in planned if one.role is Role.DOCUMENT]
    return all(one.url_hash in settled for one in pages)
