"""SE3: the words that fans use for a team, best first."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from footy_assets.search.rules.team_facts import TeamFacts, Text, WikiItem
from footy_assets.search.rules.team_names import (
    ARTICLES,
    CLUB_MARKERS,
    COLOURS,
    VENUE_WORDS,
    distinctive_words,
    is_distinctive,
    tokens,
)

NICKNAME, SHORT_NAME = "P1449", "P1813"
DEMONYM, NATIVE_LABEL = "P1549", "P1705"
MOST_PICKED = 10
LONGEST_ABBREVIATION = 5

Languages = tuple[str, ...]


class AliasKind(StrEnum):
    """Where a word comes from, best kind first."""

    ABBREVIATION = "abbreviation"
    SHORT_FORM = "short_form"
    NICKNAME = "nickname"
    VENUE = "venue"
    NAME = "name"
    ADJECTIVE = "adjective"
    NATIVE = "native"


# How many words of each kind a search uses.
MOST_OF = {
    AliasKind.ABBREVIATION: 2,
    AliasKind.SHORT_FORM: 2,
    AliasKind.NICKNAME: 2,
    AliasKind.VENUE: 1,
    AliasKind.NAME: 4,
    AliasKind.ADJECTIVE: 2,
    AliasKind.NATIVE: 2,
}


@dataclass(frozen=True, slots=True)
class AliasWord:
    word: str
    kind: AliasKind


def alias_candidates(facts: TeamFacts) -> tuple[AliasWord, ...]:
    """SE3: every usable word, ranked. The same facts give the same words in the same order."""
    name = distinctive_words(facts.profile.name)
    spoken = _languages_of(facts.country)
    known = _lower([*name, *(tokens(facts.item.label) if facts.item else ())])
    words_by_kind: dict[AliasKind, Iterable[str]] = {
        AliasKind.ABBREVIATION: _abbreviations(facts, spoken),
        AliasKind.SHORT_FORM: _short_forms(facts.item, known, spoken),
        AliasKind.NICKNAME: _nicknames(facts.item, known, spoken),
        AliasKind.VENUE: () if facts.profile.national else _venue(facts, known),
        AliasKind.NAME: name,
        AliasKind.ADJECTIVE: _adjectives(facts.country, spoken) if facts.profile.national else (),
        AliasKind.NATIVE: _natives(facts.country) if facts.profile.national else (),
    }
    ranked: dict[str, AliasWord] = {}
    for kind, words in words_by_kind.items():
        for word in words:
            ranked.setdefault(word.lower(), AliasWord(word, kind))
    return tuple(ranked.values())


def best_of_each_kind(words: Sequence[AliasWord]) -> tuple[AliasWord, ...]:
    """SE3: without a language model, the first few of each kind."""
    count: Counter[AliasKind] = Counter()
    kept = []
    for alias in words:
        count[alias.kind] += 1
        if count[alias.kind] <= MOST_OF[alias.kind]:
            kept.append(alias)
    return tuple(kept)


def words_of_name(name: str) -> tuple[AliasWord, ...]:
    """SE3: the words of the team's own name, the last resort."""
    return tuple(AliasWord(word, AliasKind.NAME) for word in distinctive_words(name))


def validate_choice(
    words: Sequence[AliasWord], choice: Sequence[str]
) -> tuple[AliasWord, ...] | None:
    """A language model's choice, or None if it contains a word that was not offered."""
    offered = {alias.word.lower(): alias for alias in words}
    wanted = list(dict.fromkeys(word.strip().lower() for word in choice))
    if not wanted or len(wanted) > MOST_PICKED or not all(word in offered for word in wanted):
        return None
    return tuple(offered[word] for word in wanted)


def _abbreviations(facts: TeamFacts, spoken: Languages) -> list[str]:
    """MUFC, LFC, ATM: a club's initials first. A country's code always counts, a club's only if
    Wikidata lists it."""
    code = facts.profile.code
    of_country = [code] if facts.profile.national and code and is_distinctive(code) else []
    item = facts.item
    if item is None:
        return of_country
    single = [words[0] for words in map(tokens, _short_names(item, spoken)) if len(words) == 1]
    found = list(dict.fromkeys(word for word in single if _is_abbreviation(word)))
    names = [_initials(name) for name in (item.label, facts.profile.name, *item.aliases)]
    fitting = [word for word in found if word in names]
    confirmed = [word for word in found if word == code]
    return list(dict.fromkeys([*of_country, *(fitting or confirmed or found)]))


def _is_abbreviation(word: str) -> bool:
    return is_distinctive(word) and word.isupper() and len(word) <= LONGEST_ABBREVIATION


def _initials(name: str) -> str:
    """`Manchester United F.C.` as MUFC; `Manchester United Football Club` too."""
    return "".join(
        word if word.isupper() and word.lower() in CLUB_MARKERS else word[0].upper()
        for word in tokens(name)
    )


def _short_forms(item: WikiItem | None, name: frozenset[str], spoken: Languages) -> Iterator[str]:
    """Utd for United, Atleti for Atletico: a word of the name with letters left out."""
    for alias in _short_names(item, spoken) if item else ():
        for word in tokens(alias):
            if is_distinctive(word) and not word.isupper() and _is_short_for(word, name):
                yield word


def _is_short_for(word: str, name: frozenset[str]) -> bool:
    low = word.lower()
    return low not in name and any(
        full[0] == low[0] and len(low) < len(full) and _within(low, full) for full in name
    )


def _within(letters: str, word: str) -> bool:
    rest = iter(word)
    return all(letter in rest for letter in letters)


def _nicknames(item: WikiItem | None, name: frozenset[str], spoken: Languages) -> list[str]:
    """Devils of `The Red Devils`, Reds, Colchoneros: the most frequent first.

    Only English and the country's own languages count: Liverpool are `Die Roten` in German only.
    """
    if item is None:
        return []
    nicknames = [text.text for text in _in_languages(spoken, item.texts.get(NICKNAME, ()))]
    nicknames += [alias for alias in item.aliases if _reads_like_a_nickname(alias)]
    heads = [head for nickname in nicknames if (head := _nickname_word(nickname, name))]
    counted = Counter(head.lower() for head in heads)
    unique = {head.lower(): head for head in reversed(heads)}
    ordered = dict.fromkeys(head.lower() for head in heads)
    return [_capitalise(unique[low]) for low in sorted(ordered, key=lambda low: -counted[low])]


def _reads_like_a_nickname(alias: str) -> bool:
    """One word, or several with an article or a colour: `Newton Heath` is a former name."""
    words = [word.lower() for word in tokens(alias)]
    if any(word in CLUB_MARKERS for word in words):
        return False
    return len(words) == 1 or any(word in ARTICLES | COLOURS for word in words)


def _nickname_word(nickname: str, name: frozenset[str]) -> str | None:
    words = tokens(nickname)
    low = _lower(words)
    if low & name or any(_is_short_for(word, name) for word in words if len(word) > 2):
        return None
    distinctive = [word for word in words if is_distinctive(word) and not word.isupper()]
    return distinctive[-1] if distinctive else None


def _venue(facts: TeamFacts, name: frozenset[str]) -> Iterator[str]:
    """Anfield, Emirates: a ground with a one-word name that is not the club's."""
    for venue_name in (facts.venue.label if facts.venue else None, facts.profile.venue):
        words = [w for w in tokens(venue_name or "") if w.lower() not in VENUE_WORDS]
        places = name | _lower(tokens(facts.profile.city or ""))
        if len(words) == 1 and is_distinctive(words[0]) and not _lower(words) & places:
            yield words[0]


def _adjectives(country: WikiItem | None, spoken: Languages) -> Iterator[str]:
    """Belgian, then what Belgians call themselves in their languages."""
    for text in _in_languages(spoken, country.texts.get(DEMONYM, ())) if country else ():
        words = tokens(text.text)
        if len(words) == 1 and is_distinctive(words[0]):
            yield _capitalise(words[0])


def _natives(country: WikiItem | None) -> Iterator[str]:
    """Belgique, Belgie, Belgien."""
    for text in country.texts.get(NATIVE_LABEL, ()) if country else ():
        words = [word for word in tokens(text.text) if is_distinctive(word)]
        if len(words) == 1:
            yield _capitalise(words[0])


def _languages_of(country: WikiItem | None) -> Languages:
    """English, then the languages in which a country names itself."""
    own = country.texts.get(NATIVE_LABEL, ()) if country else ()
    return tuple(dict.fromkeys(["en", "mul", *(text.language for text in own)]))


def _in_languages(languages: Languages, texts: Iterable[Text]) -> list[Text]:
    known = [text for text in texts if text.language in languages]
    return sorted(known, key=lambda text: languages.index(text.language))


def _short_names(item: WikiItem, spoken: Languages) -> list[str]:
    return [
        *item.aliases,
        *(text.text for text in _in_languages(spoken, item.texts.get(SHORT_NAME, ()))),
    ]


def _capitalise(word: str) -> str:
    return word[0].upper() + word[1:]


def _lower(words: Iterable[str]) -> frozenset[str]:
    return frozenset(word.lower() for word in words)
