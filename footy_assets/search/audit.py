"""Evaluates the asset checks of `team_aliases`."""

from collections.abc import Sequence

from footy_assets.findings import Finding
from footy_assets.matchday.rules.sighting import Side
from footy_assets.search.store.team_aliases import AliasProvenance, TeamAliasStore

MAX_FALLBACK_SHARE = 0.2


def aliases_known(store: TeamAliasStore, teams: Sequence[Side]) -> Finding:
    """Every team of the matches to come has words to search for (SE3)."""
    known = store.known([team.id for team in teams])
    without = [f"{team.id} {team.name}" for team in teams if team.id not in known]
    return Finding(
        not without,
        f"{len(without)} of {len(teams)} teams have no words yet",
        {"without": without},
    )


def aliases_found_out(store: TeamAliasStore, teams: Sequence[Side]) -> Finding:
    """At most a fifth of the teams have only the words of their name (SE3)."""
    known = store.known([team.id for team in teams]).values()
    fallbacks = [w for w in known if w.provenance is AliasProvenance.FALLBACK]
    share = len(fallbacks) / len(known) if known else 0.0
    return Finding(
        share <= MAX_FALLBACK_SHARE,
        f"{len(fallbacks)} of {len(known)} teams with the words of their name only",
        {"fallback_share": share, "fallbacks": [f"{w.team_id} {w.name}" for w in fallbacks]},
    )
