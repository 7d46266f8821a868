"""Wikidata as far as teams need it: every club of the world, among items that are easily mistaken.

`wbsearchentities` finds by the beginning of a label or alias, decoys before the club.
"""

import asyncio
import json
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from footy_assets.sim.clubs import Club
from footy_assets.sim.faults import Fault, Faults
from footy_assets.sim.feed import Json
from footy_assets.sim.real_teams import ITEMS as FAMOUS_ITEMS
from footy_assets.sim.responses import GATEWAY_PAGE
from footy_assets.sim.wikidata_items import (
    BASKETBALL,
    BASKETBALL_TEAM,
    COUNTRIES,
    COUNTRY_ITEMS,
    FOOTBALL,
    FOOTBALL_CLUB,
    UNITED_KINGDOM,
    WOMENS_CLUB,
    item,
)

PATH = "/w/api.php"
FIRST_ITEM = 900_000_000
MOST_IDS = 50
USUAL_HITS = 7
NICKNAMES = (
    *("Foxes", "Rams", "Herons", "Millers", "Potters", "Lions", "Badgers", "Wolves", "Owls"),
    *("Saddlers", "Minstrels", "Falcons", "Bees", "Weavers", "Otters", "Tanners", "Ravens"),
)
SHORT = {"United": "Utd", "Rovers": "Rvs", "Deportivo": "Depor"}


@dataclass(frozen=True)
class WikiRequest:
    action: str
    params: dict[str, str]
    user_agent: str | None


class SimWikidata:
    def __init__(self, clubs: Callable[[], Mapping[int, Club]]) -> None:
        self.faults = Faults()
        self.requests: list[WikiRequest] = []
        self._clubs = clubs
        self._items: dict[str, Json] | None = None
        self._index: list[tuple[str, str, str]] = []

    async def serve(self, request: Request) -> Response:
        params = dict(request.query_params)
        action = params.get("action", "")
        self.requests.append(WikiRequest(action, params, request.headers.get("user-agent")))
        met = self.faults.take(PATH, ())
        for fault in met:
            if fault.kind == "slow":
                await asyncio.sleep(fault.seconds)
        return _spoiled(self.answer(params), met)

    def answer(self, params: Mapping[str, str]) -> Json:
        match params.get("action"):
            case "wbsearchentities":
                return self._search(params)
            case "wbgetentities":
                return self._entities(params)
            case other:
                return _error("badvalue", f'Unrecognized value for parameter "action": {other}.')

    def _search(self, params: Mapping[str, str]) -> Json:
        if not params.get("search") or "language" not in params:
            return _error("missingparam", 'The "search" and "language" parameters must be set.')
        items, wanted = self._known(), _fold(params["search"])
        found: dict[str, Json] = {}
        for text, original, id_ in self._index:
            if text.startswith(wanted) and id_ not in found:
                found[id_] = _hit(items[id_], original)
        hits = list(found.values())[: int(params.get("limit", USUAL_HITS))]
        return {"searchinfo": {"search": params["search"]}, "search": hits, "success": 1}

    def _entities(self, params: Mapping[str, str]) -> Json:
        ids = [id_ for id_ in params.get("ids", "").split("|") if id_]
        if not ids:
            return _error("param-missing", "Either provide the item ids or pairs of sites/titles.")
        if len(ids) > MOST_IDS:
            return _error("toomanyvalues", f'Too many values supplied for parameter "ids": {ids}.')
        props = set(params.get("props", "labels|descriptions|aliases|claims").split("|"))
        items = self._known()
        entities = {
            id_: {
                name: value for name, value in items[id_].items() if name in {"type", "id"} | props
            }
            if id_ in items
            else {"id": id_, "missing": ""}
            for id_ in ids
        }
        return {"entities": entities, "success": 1}

    def _known(self) -> dict[str, Json]:
        if self._items is None:
            made = [entry for club in self._clubs().values() for entry in club_items(club)]
            self._items = {entry["id"]: entry for entry in (*COUNTRY_ITEMS, *FAMOUS_ITEMS, *made)}
            # The higher the number, the sooner found: decoys come first.
            for id_ in sorted(self._items, key=lambda id_: -int(id_[1:])):
                for name in _names(self._items[id_]):
                    self._index.append((_fold(name), name, id_))
        return self._items


def club_items(club: Club) -> Iterable[Json]:
    """The club, and what a careless reader takes for it."""
    first = FIRST_ITEM + club.id * 10
    ids = [f"Q{first + number}" for number in range(8)]
    country = COUNTRIES.get(club.country, UNITED_KINGDOM)
    official = f"{club.name} F.C." if club.country == "England" else club.name
    here = {"P17": [country], "P641": [FOOTBALL]}
    nickname = NICKNAMES[club.id % len(NICKNAMES)]
    yield item(
        ids[0],
        official,
        f"association football club in {club.city}, {club.country}",
        [club.name, *_short_names(club, official), f"The {nickname}"],
        here | {"P31": [FOOTBALL_CLUB], "P159": [ids[5]], "P115": [ids[6]]},
        {"P1449": [("en", f"The {nickname}")]},
    )
    women = f"women's association football club in {club.city}, {club.country}"
    yield item(ids[1], f"{club.name} Women", women, ["Wrong"], here | {"P31": [WOMENS_CLUB]})
    youth = f"youth team of {official}"
    yield item(ids[2], f"{club.name} Under-21s", youth, ["Wrong"], here | {"P31": [FOOTBALL_CLUB]})
    elsewhere = {"P17": ["Q77"], "P641": [FOOTBALL], "P31": [FOOTBALL_CLUB]}
    namesake = "association football club in Montevideo, Uruguay"
    yield item(ids[3], official, namesake, [club.name, "Wrong"], elsewhere)
    basketball = {"P17": [country], "P641": [BASKETBALL], "P31": [BASKETBALL_TEAM]}
    other_sport = f"basketball team in {club.city}, {club.country}"
    yield item(ids[4], club.name, other_sport, ["Wrong"], basketball)
    yield item(ids[5], club.city, f"town in {club.country}", links={"P17": [country]})
    yield item(ids[6], club.venue, f"football stadium in {club.city}, {club.country}")
    yield item(ids[7], f"2024–25 {official} season", "season of association football club")


def _short_names(club: Club, official: str) -> list[str]:
    words = official.replace("F.C.", "FC").split()
    initials = "".join(w if w.isupper() else w[0] for w in words if not w.isdigit())
    found = [initials.upper()] if len(initials) > 2 and initials.isascii() else []
    for whole, short in SHORT.items():
        if whole in words:
            found.append(club.name.replace(whole, short))
    return found


def _names(entry: Json) -> list[str]:
    aliases = entry["aliases"]["en"] if entry["aliases"] else []
    return [entry["labels"]["en"]["value"], *(alias["value"] for alias in aliases)]


def _hit(entry: Json, matched: str) -> Json:
    label = entry["labels"]["en"]["value"]
    description = entry["descriptions"]["en"]["value"]
    return {
        "id": entry["id"],
        "title": entry["id"],
        "concepturi": f"http://www.wikidata.org/entity/{entry['id']}",
        "repository": "wikidata",
        "display": {
            "label": {"value": label, "language": "en"},
            "description": {"value": description, "language": "en"},
        },
        "label": label,
        "description": description,
        "match": {
            "type": "label" if matched == label else "alias",
            "language": "en",
            "text": matched,
        },
        **({} if matched == label else {"aliases": [matched]}),
    }


def _error(code: str, info: str) -> Json:
    return {"error": {"code": code, "info": info}, "servedby": "sim"}


def _spoiled(body: Json, faults: Iterable[Fault]) -> Response:
    status, text = 200, json.dumps(body)
    for fault in faults:
        match fault.kind:
            case "fail":
                status, text = fault.status, "upstream connect error"
            case "errors":
                code, info = next(iter(fault.errors.items()))
                text = json.dumps(_error(code, info))
            case "html":
                return HTMLResponse(GATEWAY_PAGE, status)
            case "truncate":
                text = text[: len(text) // 2]
            case "empty":
                text = "{}"
    return Response(text, status, media_type="application/json")


def _fold(text: str) -> str:
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(c for c in decomposed if not unicodedata.combining(c)).lower()
