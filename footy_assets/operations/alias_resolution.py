"""S3: finding out what a team is called: the provider, Wikidata, and a model if there is one."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from footy_assets.discovery.team_aliases import AliasWord, best, candidates, own_words, picked
from footy_assets.discovery.team_entity import COUNTRY, PLACES, VENUE, choose, phrasings, possible
from footy_assets.discovery.team_entity import Choice as EntityChoice
from footy_assets.discovery.team_facts import (
    AliasPicker,
    Encyclopedia,
    Hits,
    Items,
    TeamFacts,
    TeamProfile,
    WikiItem,
)
from footy_assets.errors import PickerError, WikidataError, WikidataUnavailable
from footy_assets.store.team_aliases import Provenance

LOOKED_AT_PER_SEARCH = 12


@dataclass(frozen=True, slots=True)
class InTime:
    """An encyclopedia that is asked nothing more once time is up."""

    encyclopedia: Encyclopedia
    up: Callable[[], bool]

    def search(self, phrase: str) -> Hits:
        return self._asked().search(phrase)

    def items(self, ids: Collection[str]) -> Items:
        return self._asked().items(ids)

    def names(self, ids: Collection[str]) -> Items:
        return self._asked().names(ids)

    def country(self, id: str) -> WikiItem | None:
        return self._asked().country(id)

    def _asked(self) -> Encyclopedia:
        if self.up():
            raise WikidataUnavailable("too slow: the time for this team is up")
        return self.encyclopedia


@dataclass(slots=True)
class Resolution:
    """The words, how they came about, and what went wrong on the way.

    `answered`: Wikidata did, whatever it said.
    """

    words: tuple[AliasWord, ...]
    provenance: Provenance
    answered: bool = True
    facts: dict[str, Any] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def resolve(
    profile: TeamProfile,
    encyclopedia: Encyclopedia,
    picker: AliasPicker | None,
    unanswered: str | None = None,
) -> Resolution:
    """S3: a team's words. Never fails: what nobody answers for, the name's own words serve.

    `unanswered` is why the provider said nothing of the team, which then has but a name.
    """
    problems = [f"provider: {unanswered}"] if unanswered else []
    try:
        choice, facts = _look_up(profile, encyclopedia, problems)
    except WikidataError as error:
        problems.append(f"wikidata: {error}")
        told = {"profile": _told(profile)}
        return Resolution(own_words(profile.name), Provenance.FALLBACK, False, told, problems)
    words = candidates(facts)
    chosen, picked_by = _pick(profile, words, picker, problems)
    known = Provenance.WIKIDATA if choice else Provenance.NAME
    return Resolution(
        chosen or own_words(profile.name),
        # Without the provider nobody knows whether this is a country or a club.
        Provenance.FALLBACK if unanswered else known,
        True,
        {
            "profile": _told(profile),
            "item": choice.item.id if choice else None,
            "label": choice.item.label if choice else None,
            "reasons": list(choice.reasons) if choice else [],
            "candidates": {alias.word: str(alias.kind) for alias in words},
            "picked_by": picked_by,
        },
        problems,
    )


def _look_up(
    profile: TeamProfile, encyclopedia: Encyclopedia, problems: list[str]
) -> tuple[EntityChoice | None, TeamFacts]:
    seen: dict[str, WikiItem] = {}
    linked: dict[str, WikiItem] = {}
    for phrase in phrasings(profile):
        found = encyclopedia.search(phrase)
        problems += [f"wikidata: {reason}" for reason in found.unreadable]
        fresh = [h.id for h in found.hits if h.id not in seen and possible(h, profile)]
        if not fresh:
            continue
        items = encyclopedia.items(fresh[:LOOKED_AT_PER_SEARCH])
        problems += [f"wikidata: {reason}" for reason in items.unreadable]
        seen |= {id_: items.items[id_] for id_ in fresh if id_ in items.items}
        places = {
            place for item in seen.values() for name in PLACES for place in item.links.get(name, ())
        } - linked.keys()
        if places:
            linked |= encyclopedia.names(sorted(places)).items
        choice = choose(profile, list(seen.values()), linked)
        if choice is not None:
            return choice, _facts(profile, choice.item, linked, encyclopedia)
    return None, TeamFacts(profile)


def _facts(
    profile: TeamProfile,
    item: WikiItem,
    linked: Mapping[str, WikiItem],
    encyclopedia: Encyclopedia,
) -> TeamFacts:
    venues = (linked[id_] for id_ in item.links.get(VENUE, ()) if id_ in linked)
    countries = (encyclopedia.country(id_) for id_ in item.links.get(COUNTRY, ()))
    return TeamFacts(profile, item, next(venues, None), next(countries, None))


def _pick(
    profile: TeamProfile,
    words: tuple[AliasWord, ...],
    picker: AliasPicker | None,
    problems: list[str],
) -> tuple[tuple[AliasWord, ...], str]:
    """The model's choice; without one, or when it talks nonsense, the ranking's."""
    ranked = best(words)
    if picker is None or len(words) < 2:
        return ranked, "ranking"
    try:
        choice = picked(words, picker.pick(profile, [alias.word for alias in words]))
    except PickerError as error:
        problems.append(f"picker: {error}")
        return ranked, "ranking"
    if choice is None:
        problems.append("picker: it chose what was not offered")
        return ranked, "ranking"
    return choice, picker.model


def _told(profile: TeamProfile) -> dict[str, Any]:
    return {name: getattr(profile, name) for name in profile.__slots__ if name != "id"}
