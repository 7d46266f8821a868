"""Items of Wikidata as JSON, and the countries."""

from collections.abc import Mapping, Sequence

from footy_assets.sim.feed import Json

FOOTBALL, BASKETBALL = "Q2736", "Q5372"
FOOTBALL_CLUB, WOMENS_CLUB, BASKETBALL_TEAM = "Q476028", "Q51481377", "Q13393265"
UNITED_KINGDOM = "Q145"


def item(
    id: str,
    label: str,
    description: str,
    aliases: Sequence[str] = (),
    links: Mapping[str, Sequence[str]] | None = None,
    texts: Mapping[str, Sequence[tuple[str, str]]] | None = None,
) -> Json:
    claims = {name: [_link(name, to) for to in ids] for name, ids in (links or {}).items()}
    claims |= {
        name: [_text(name, language, text) for language, text in values]
        for name, values in (texts or {}).items()
    }
    return {
        "type": "item",
        "id": id,
        "labels": {"en": {"language": "en", "value": label}},
        "descriptions": {"en": {"language": "en", "value": description}},
        # PHP writes an empty object as a list.
        "aliases": {"en": [{"language": "en", "value": a} for a in aliases]} if aliases else [],
        "claims": claims or [],
    }


def _link(property_: str, to: str) -> Json:
    value = {"entity-type": "item", "numeric-id": int(to[1:]), "id": to}
    return _statement(property_, {"value": value, "type": "wikibase-entityid"}, "wikibase-item")


def _text(property_: str, language: str, text: str) -> Json:
    value = {"text": text, "language": language}
    return _statement(property_, {"value": value, "type": "monolingualtext"}, "monolingualtext")


def _statement(property_: str, datavalue: Json, datatype: str) -> Json:
    return {
        "mainsnak": {
            "snaktype": "value",
            "property": property_,
            "datavalue": datavalue,
            "datatype": datatype,
        },
        "type": "statement",
        "rank": "normal",
    }


def _country(
    id: str, name: str, aliases: Sequence[str], native: str, *people: tuple[str, str]
) -> Json:
    """`native` as "fr:Belgique nl:België"."""
    own = [(pair.split(":")[0], pair.split(":")[1]) for pair in native.split()]
    return item(id, name, "sovereign state", aliases, texts={"P1549": list(people), "P1705": own})


COUNTRIES = {
    "England": UNITED_KINGDOM,
    "Spain": "Q29",
    "Germany": "Q183",
    "Italy": "Q38",
    "France": "Q142",
}
COUNTRY_ITEMS = (
    _country(UNITED_KINGDOM, "United Kingdom", ["UK"], "en:Britain", ("en", "British")),
    _country("Q29", "Spain", ["Kingdom of Spain"], "es:España", ("en", "Spanish")),
    _country("Q183", "Germany", ["BRD"], "de:Deutschland", ("en", "German")),
    _country("Q38", "Italy", ["Italia"], "it:Italia", ("en", "Italian")),
    _country("Q142", "France", ["French Republic"], "fr:France", ("en", "French")),
    _country("Q77", "Uruguay", [], "es:Uruguay", ("en", "Uruguayan")),
    _country(
        "Q31",
        "Belgium",
        ["Kingdom of Belgium"],
        "fr:Belgique nl:België de:Belgien",
        ("es", "belga"),
        ("en", "Belgian"),
        ("fr", "Belge"),
    ),
)
