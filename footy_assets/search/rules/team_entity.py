"""SE3: finds the Wikidata item of a team among search results."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from footy_assets.names import plain
from footy_assets.search.rules.team_facts import Hit, TeamProfile, WikiItem
from footy_assets.search.rules.team_names import core_words, tokens

INSTANCE_OF, SPORT = "P31", "P641"
COUNTRY, HEADQUARTERS, LOCATED_IN, VENUE = "P17", "P159", "P131", "P115"
# Properties whose items (country, city, ground) identify a team.
PLACES = (COUNTRY, HEADQUARTERS, LOCATED_IN, VENUE)

ASSOCIATION_FOOTBALL = "Q2736"
FOOTBALL_TEAMS = frozenset(
    {
        "Q476028",  # association football club
        "Q103229495",  # men's association football team
        "Q15944511",  # association football team
        "Q6979593",  # national association football team
        "Q135408445",  # men's national association football team
    }
)
WOMENS_TEAMS = frozenset({"Q51481377", "Q28140340"})
HOME_NATIONS = frozenset({"england", "scotland", "wales", "northern ireland"})


class Squad(StrEnum):
    """A club has several teams. The words of another squad would find another match."""

    FIRST = "first"
    WOMEN = "women"
    YOUTH = "youth"
    RESERVE = "reserve"
    FUTSAL = "futsal"


# The first match decides. Patterns match normalised text.
SQUADS: dict[Squad, re.Pattern[str]] = {
    Squad.FUTSAL: re.compile(r"\b(futsal|beach soccer|indoor soccer|five a side|esports)\b"),
    Squad.WOMEN: re.compile(
        r"\b(women|womens|women's|ladies|girls|wfc|w\.f\.c|femeni\w*|feminin\w*|femminile|frauen"
        r"|dames|vrouwen)\b|\sw$"
    ),
    Squad.YOUTH: re.compile(r"\b(youth|under-? ?\d\d|u-?\d\d|juvenil|primavera|academy)s?\b"),
    Squad.RESERVE: re.compile(r"\b(reserves?|b team|second team|ii|iii)\b|\s[bc]$"),
}
OTHER_SPORTS = re.compile(
    r"\b(rugby|basketball|handball|hockey|volleyball|cricket|american football|gaelic|baseball"
    r"|water polo|athletics|cycling|netball|korfball|motorcycle|speedway)\b"
)
NO_TEAM = re.compile(
    r"\b(season|stadium|rivalry|supporters?|museum|list|songs?|matches|footballer|player|ship"
    r"|disambiguation|tournament|competition|league table)\b"
)
TEAM_LIKE = re.compile(r"\b(football|soccer|club|team|side)\b")
FOOTBALL = re.compile(r"\b(association football|football|soccer)\b.*\b(club|team|side)\b")
SPORTS_CLUB = re.compile(r"\b(multi ?sports?|sports?|polideportivo)\b.*\bclub\b")


@dataclass(frozen=True, slots=True)
class EntityChoice:
    """The item and its points, which are stored to explain a wrong choice."""

    item: WikiItem
    score: int
    reasons: tuple[str, ...]


def search_phrases(profile: TeamProfile) -> tuple[str, ...]:
    """SE3: search phrases, tried in order until one finds the team."""
    bare = _without_squad(profile.name)
    side = squad_of(profile.name)
    if profile.national:
        age = re.search(r"\d\d$", profile.name)
        if side is Squad.YOUTH and age:
            return (f"{bare} national under-{age[0]} football team",)
        sex = "women's" if side is Squad.WOMEN else "men's"
        return (
            f"{bare} {sex} national football team",
            f"{bare} {sex} national association football team",
            f"{bare} national football team",
        )
    if side is Squad.WOMEN:
        return bare, f"{bare} W.F.C.", f"{bare} Women"
    words = " ".join(
        word for word in tokens(profile.name) if word.lower() in core_words(profile.name)
    )
    return tuple(dict.fromkeys((profile.name, f"{words} F.C.", f"{words} football club")))


def squad_of(*texts: str) -> Squad:
    low = [_normalise(text) for text in texts]
    for kind, pattern in SQUADS.items():
        if any(pattern.search(text) for text in low):
            return kind
    return Squad.FIRST


def may_be_team(hit: Hit, profile: TeamProfile) -> bool:
    """SE3: whether a search result may be the team: no other squad or sport, and a team at all."""
    if squad_of(hit.label, hit.description) is not squad_of(profile.name):
        return False
    description = _normalise(hit.description)
    if description and not TEAM_LIKE.search(description):
        return False
    return not NO_TEAM.search(description) and not re.match(r"\d{4}", hit.label)


def choose_item(
    profile: TeamProfile, items: Sequence[WikiItem], linked: Mapping[str, WikiItem]
) -> EntityChoice | None:
    """SE3: the best item by name, sport, country and city, or None rather than a wrong one.

    `items` are in search order, which decides between equals; `linked` holds the places that
    they refer to.
    """
    choices = [c for item in items if (c := _score(profile, item, linked)) is not None]
    if not choices:
        return None
    winner = max(choices, key=lambda choice: choice.score)
    rivals = [choice for choice in choices if choice.score == winner.score]
    if len(rivals) > 1 and not (profile.country or profile.city):
        return None
    return winner


def _score(
    profile: TeamProfile, item: WikiItem, linked: Mapping[str, WikiItem]
) -> EntityChoice | None:
    in_country = _in_country(profile, item, linked)
    named = _name_points(profile, item, in_country is True)
    played = _football_points(profile, item)
    if not named or played is None or not may_be_team(_as_hit(item), profile):
        return None
    points = {"name": named, "football": played}
    if in_country is not None:
        points["country"] = 3 if in_country else -3
    if _in_city(profile, item, linked):
        points["city"] = 2
    if _at_venue(profile, item, linked):
        points["venue"] = 2
    if in_country is False and "city" not in points and "venue" not in points:
        return None
    if item.dissolved:
        points["dissolved"] = -3
    reasons = tuple(f"{name} {value:+d}" for name, value in points.items())
    return EntityChoice(item, sum(points.values()), reasons)


def _as_hit(item: WikiItem) -> Hit:
    return Hit(item.id, item.label, item.description)


def _name_points(profile: TeamProfile, item: WikiItem, in_country: bool) -> int:
    if profile.national:
        country = _normalise(_without_squad(profile.name))
        names = [name for name in map(_normalise, item.names) if "national" in name]
        # The item may use another name of the country (USA, United States).
        return 3 if any(n.startswith(f"{country} ") for n in names) else int(in_country)
    wanted = core_words(_without_squad(profile.name))
    if wanted == core_words(_without_squad(item.label)):
        return 4
    if any(wanted == core_words(_without_squad(alias)) for alias in item.aliases):
        return 3
    return int(any(set(wanted) <= set(core_words(name)) for name in item.names))


def _without_squad(name: str) -> str:
    return re.sub(r"\s+(W|U-?\d\d|II|B|Women)$", "", name)


def _football_points(profile: TeamProfile, item: WikiItem) -> int | None:
    """None if the item is not known to be a football team."""
    kinds = set(item.links.get(INSTANCE_OF, ()))
    sports = item.links.get(SPORT, ())
    women = squad_of(profile.name) is Squad.WOMEN
    if kinds & WOMENS_TEAMS:
        return 2 if women else None
    if kinds & FOOTBALL_TEAMS or ASSOCIATION_FOOTBALL in sports:
        return 2
    description = _normalise(item.description)
    if sports or OTHER_SPORTS.search(description):
        return None
    if FOOTBALL.search(description):
        return 2
    return 0 if SPORTS_CLUB.search(description) else None


def _in_country(
    profile: TeamProfile, item: WikiItem, linked: Mapping[str, WikiItem]
) -> bool | None:
    """None if the profile or the item has no country."""
    if not profile.country:
        return None
    country, description = _normalise(profile.country), _normalise(item.description)
    countries = [linked[id_] for id_ in item.links.get(COUNTRY, ()) if id_ in linked]
    names = {_normalise(name) for place in countries for name in place.names}
    if country in names or _mentions(description, country):
        return True
    if country in HOME_NATIONS and "united kingdom" in names:
        return not any(_mentions(description, other) for other in HOME_NATIONS - {country})
    return False if names else None


def _in_city(profile: TeamProfile, item: WikiItem, linked: Mapping[str, WikiItem]) -> bool:
    # The provider writes "Manchester, Greater Manchester" as often as "Manchester".
    city = _normalise((profile.city or "").split(",")[0])
    if not city:
        return False
    places = _place_names(item, linked, HEADQUARTERS, LOCATED_IN)
    return city in places or _mentions(_normalise(item.description), city)


def _at_venue(profile: TeamProfile, item: WikiItem, linked: Mapping[str, WikiItem]) -> bool:
    return bool(profile.venue) and _normalise(profile.venue or "") in _place_names(
        item, linked, VENUE
    )


def _place_names(item: WikiItem, linked: Mapping[str, WikiItem], *properties: str) -> set[str]:
    ids = [id_ for name in properties for id_ in item.links.get(name, ())]
    return {_normalise(name) for id_ in ids if id_ in linked for name in linked[id_].names}


def _mentions(text: str, word: str) -> bool:
    return re.search(rf"\b{re.escape(word)}\b", text) is not None


def _normalise(text: str) -> str:
    """Without accents, capitals and hyphens between letters: `Czech-Republic`, but `under-21`."""
    return re.sub(r"(?<=[a-z])-(?=[a-z])", " ", plain(text).lower()).strip()
