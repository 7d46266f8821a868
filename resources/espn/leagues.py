"""The league of a match on one of ESPN's scoreboards."""

import re
from collections.abc import Mapping

from footy_assets.providers.rules.adapter import LeagueClaim
from footy_assets.providers.rules.competitions import BY_SLUG
from resources.espn.models import EspnEvent, EspnLeague, EspnScoreboard
from resources.json_parts import NOT_JSON, decode
from resources.pieces import read_pieces

LEAGUE_IN_UID = re.compile(r"~l:(\d+)")
# Its own numbers of leagues, for answers that name none.
LEAGUE_NUMBERS: Mapping[str, str] = {
    "700": "eng.1",
    "740": "esp.1",
    "720": "ger.1",
    "730": "ita.1",
    "710": "fra.1",
    "770": "usa.1",
    "760": "mex.1",
    "3914": "eng.2",
    "8097": "eng.w.1",
    "8301": "usa.nwsl",
    "606": "fifa.world",
}
NO_LEAGUE = EspnLeague()


def parse_leagues(scoreboard: EspnScoreboard) -> list[EspnLeague]:
    """Without those that cannot be read."""
    try:
        items = decode(scoreboard.leagues)
    except NOT_JSON:
        return []
    return read_pieces(EspnLeague, items if isinstance(items, list) else (), "league", [])


def league_of(event: EspnEvent, leagues: list[EspnLeague], slug: str | None) -> LeagueClaim | None:
    """The event's own league; else that of the answer with its number or with the slug.

    A competition that we know has our name.
    """
    in_uid = LEAGUE_IN_UID.search(event.uid or "")
    number = in_uid[1] if in_uid else None
    known = slug or LEAGUE_NUMBERS.get(number or "")
    same_number = (one for one in leagues if number is not None and one.id == number)
    same_slug = (one for one in leagues if one.slug == known)
    league = event.league or next(same_number, None) or next(same_slug, NO_LEAGUE)
    id_ = league.slug or known
    if id_ is None:
        return None
    season = event.season or league.season
    name = BY_SLUG[id_].name if id_ in BY_SLUG else league.name or id_
    return LeagueClaim(id_, name, season.year if season else None)
