"""Parses Wikidata's answers."""

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError

from footy_assets.search.rules.team_aliases import DEMONYM, NATIVE_LABEL, NICKNAME, SHORT_NAME
from footy_assets.search.rules.team_entity import INSTANCE_OF, PLACES, SPORT
from footy_assets.search.rules.team_facts import Hit, Hits, Items, Text, WikiItem
from resources.wikidata.models import Entity, ItemValue, SearchHit, Statement, Term, TextValue

LINKS = (INSTANCE_OF, SPORT, *PLACES)
TEXTS = (NICKNAME, SHORT_NAME, DEMONYM, NATIVE_LABEL)
DISSOLVED, END_TIME = "P576", "P582"
# `mul` holds names that are the same in every language.
LANGUAGES = ("en", "mul")


def parse_hits(found: Iterable[Any]) -> Hits:
    hits, unreadable = [], []
    for index, raw in enumerate(found):
        try:
            hit = SearchHit.model_validate(raw)
        except ValidationError as error:
            unreadable.append(f"search result {index}: {first_problem(error)}")
        else:
            hits.append(Hit(hit.id, hit.label, hit.description))
    return Hits(tuple(hits), tuple(unreadable))


def parse_items(entities: Mapping[str, Any]) -> Items:
    """Each item on its own; missing ones are left out."""
    items: dict[str, WikiItem] = {}
    unreadable: list[str] = []
    for id_, raw in entities.items():
        try:
            entity = Entity.model_validate(raw)
        except ValidationError as error:
            unreadable.append(f"{id_}: {first_problem(error)}")
            continue
        if entity.missing is None:
            items[id_] = _item(id_, entity, unreadable)
    return Items(items, tuple(unreadable))


def _item(id_: str, entity: Entity, unreadable: list[str]) -> WikiItem:
    links: dict[str, tuple[str, ...]] = {}
    texts: dict[str, tuple[Text, ...]] = {}
    for name in LINKS:
        values = list(_values(id_, entity, name, unreadable))
        links[name] = tuple(value.id for value in values if isinstance(value, ItemValue))
    for name in TEXTS:
        values = list(_values(id_, entity, name, unreadable))
        texts[name] = tuple(
            Text(value.language, value.text) for value in values if isinstance(value, TextValue)
        )
    return WikiItem(
        id=id_,
        label=_in_language(entity.labels),
        description=_in_language(entity.descriptions),
        aliases=tuple(
            dict.fromkeys(
                term.value for language in LANGUAGES for term in entity.aliases.get(language, ())
            )
        ),
        links={name: ids for name, ids in links.items() if ids},
        texts={name: found for name, found in texts.items() if found},
        dissolved=bool(entity.claims.get(DISSOLVED)),
    )


def _values(
    id_: str, entity: Entity, name: str, unreadable: list[str]
) -> Iterable[ItemValue | TextValue]:
    """The current values of a property, preferred ones first."""
    statements = []
    for raw in entity.claims.get(name, ()):
        try:
            statement = Statement.model_validate(raw)
            if _is_current(statement):
                value = _value(statement.mainsnak.datavalue)
                statements.append((statement.rank != "preferred", value))
        except ValidationError as error:
            unreadable.append(f"{id_} {name}: {first_problem(error)}")
    return [value for _, value in sorted(statements, key=lambda pair: pair[0])]


def _is_current(statement: Statement) -> bool:
    return (
        statement.mainsnak.snaktype == "value"
        and statement.rank != "deprecated"
        and END_TIME not in statement.qualifiers
    )


def _value(datavalue: Mapping[str, Any]) -> ItemValue | TextValue:
    if datavalue.get("type") == "monolingualtext":
        return TextValue.model_validate(datavalue.get("value"))
    return ItemValue.model_validate(datavalue.get("value"))


def _in_language(terms: Mapping[str, Term]) -> str:
    found = [terms[language] for language in LANGUAGES if language in terms]
    return (found or [*terms.values(), Term(language="", value="")])[0].value


def first_problem(error: ValidationError) -> str:
    first = error.errors()[0]
    return f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"
