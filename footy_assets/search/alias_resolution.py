"""SE3: resolves a team's aliases from the provider, Wikidata and an optional language model."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from footy_assets.errors import PickerError, WikidataError, WikidataUnavailable
from footy_assets.search.rules.team_aliases import (
    AliasWord,
    alias_candidates,
    best_of_each_kind,
    validate_choice,
    words_of_name,
)
from footy_assets.search.rules.team_entity import (
    COUNTRY,
    PLACES,
    VENUE,
    EntityChoice,
    choose_item,
    may_be_team,
    search_phrases,
)
from footy_assets.search.rules.team_facts import (
    AliasPicker,
    Encyclopedia,
    Hits,
    Items,
    TeamFacts,
    TeamProfile,
    WikiItem,
)
from footy_assets.search.store.team_aliases import AliasProvenance

ITEMS_PER_SEARCH = 12


@dataclass(frozen=True, slots=True)
class EncyclopediaWithDeadline:
    """Raises `WikidataUnavailable` instead of a request after the deadline."""

    encyclopedia: Encyclopedia
    is_over: Callable[[], bool]

    def search(self, phrase: str) -> Hits:
        return self._in_time().search(phrase)

    def items(self, ids: Collection[str]) -> Items:
        return self._in_time().items(ids)

    def names(self, ids: Collection[str]) -> Items:
        return self._in_time().names(ids)

    def country(self, id: str) -> WikiItem | None:
        return self._in_time().country(id)

    def _in_time(self) -> Encyclopedia:
        if self.is_over():
            raise WikidataUnavailable("too slow: the time for this team is up")
        return self.encyclopedia


@dataclass(slots=True)
class Resolution:
    """A team's words, where they come from, and what went wrong.

    `answered` is False if Wikidata did not answer.
    """

    words: tuple[AliasWord, ...]
    provenance: AliasProvenance
    answered: bool = True
    facts: dict[str, Any] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def resolve(
    profile: TeamProfile,
    encyclopedia: Encyclopedia,
    picker: AliasPicker | None,
    provider_failure: str | None = None,
) -> Resolution:
    """SE3: a team's words. Never fails: the words of the name are the last resort.

    `provider_failure` is why the provider has no profile of the team, only its name.
    """
    problems = [f"provider: {provider_failure}"] if provider_failure else []
    try:
        choice, facts = _find_item(profile, encyclopedia, problems)
    except WikidataError as error:
        problems.append(f"wikidata: {error}")
        known_facts = {"profile": _profile_facts(profile)}
        words = words_of_name(profile.name)
        return Resolution(words, AliasProvenance.FALLBACK, False, known_facts, problems)
    words = alias_candidates(facts)
    chosen, picked_by = _pick(profile, words, picker, problems)
    known = AliasProvenance.WIKIDATA if choice else AliasProvenance.NAME
    return Resolution(
        chosen or words_of_name(profile.name),
        # Only the provider knows whether the team is national or a club.
        AliasProvenance.FALLBACK if provider_failure else known,
        True,
        {
            "profile": _profile_facts(profile),
            "item": choice.item.id if choice else None,
            "label": choice.item.label if choice else None,
            "reasons": list(choice.reasons) if choice else [],
            "candidates": {alias.word: str(alias.kind) for alias in words},
            "picked_by": picked_by,
        },
        problems,
    )


def _find_item(
    profile: TeamProfile, encyclopedia: Encyclopedia, problems: list[str]
) -> tuple[EntityChoice | None, TeamFacts]:
    seen: dict[str, WikiItem] = {}
    linked: dict[str, WikiItem] = {}
    for phrase in search_phrases(profile):
        found = encyclopedia.search(phrase)
        problems += [f"wikidata: {reason}" for reason in found.unreadable]
        fresh = [h.id for h in found.hits if h.id not in seen and may_be_team(h, profile)]
        if not fresh:
            continue
        items = encyclopedia.items(fresh[:ITEMS_PER_SEARCH])
        problems += [f"wikidata: {reason}" for reason in items.unreadable]
        seen |= {id_: items.items[id_] for id_ in fresh if id_ in items.items}
        places = {
            place for item in seen.values() for name in PLACES for place in item.links.get(name, ())
        } - linked.keys()
        if places:
            linked |= encyclopedia.names(sorted(places)).items
        choice = choose_item(profile, list(seen.values()), linked)
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
    """The model's choice; without a model or a valid choice, the best of the ranking."""
    ranked = best_of_each_kind(words)
    if picker is None or len(words) < 2:
        return ranked, "ranking"
    try:
        choice = validate_choice(words, picker.pick(profile, [alias.word for alias in words]))
    except PickerError as error:
        problems.append(f"picker: {error}")
        return ranked, "ranking"
    if choice is None:
        problems.append("picker: it chose words that were not offered")
        return ranked, "ranking"
    return choice, picker.model


def _profile_facts(profile: TeamProfile) -> dict[str, Any]:
    return {name: getattr(profile, name) for name in profile.__slots__ if name != "id"}
