"""The text of post titles: typography made plain, and the words that tell goals from other news."""

import html
import re
import unicodedata

from footy_assets.names import APOSTROPHES

INVISIBLE = ("Cf", "Cc")
# Asks for the picture of a character.
VARIATION = "\ufe0f"
DASHES = re.compile(r"[‐‑‒–—―−﹘﹣－]")
# Those of names, and what is typed for the mark of minutes.
MINUTE_MARKS = re.compile(r"[′ʹʼ＇‛ˈ]")
DOUBLE_QUOTES = re.compile(r"[“”„‟″«»]")
BRACKETS = str.maketrans("【】［］（）｛｝{}〔〕", "[][]()[][][]")

# In front of a score these belong to a thread, a report or a preview.
NOT_A_TEAM = re.compile(
    r"\b(?:threads?|highlights?|post[ -]?match|pre[ -]?match|match[ -]?day|ft|ht|aet|full[ -]?time"
    r"|half[ -]?time|final|result|preview|report|official|vs?|versus|against|line[ -]?ups?|ratings?"
    r"|interview|statistics|stats|predictions?|today|breaking|video|live)\b",
    re.IGNORECASE,
)
# What is shown instead of a goal: named with the player, or first after the minute.
INCIDENT = (
    r"(?:(?:straight|second|2nd|double) (?:red|yellow)|(?:red|yellow)[ -]cards?|(?:red|yellow)\W*$"
    r"|sent off|sending[ -]off|booked|miss(?:es|ed)?\b|saves?\b|saved\b|denie[sd]|disallow"
    r"|ruled (?:out|off)|chalked|cancel+ed|overturn|no goal|not given|offside"
    r"|hits? |hit the |off the |cross ?bar|woodwork|post\b|chances?\b|injur|substitut|subbed"
    r"|stretcher|fouls?\b|fouled"
    r"|tackles?\b|challenges?\b|hand ?ball|dives?\b|diving|elbow|headbutt|scuffle|brawl"
    r"|altercation|celebrat|reaction|reacts"
    r"|(?:penalty|pen) (?:shout|call|claim|appeal|incident|decision|check"
    r"|awarded|won|not|given|review)|no penalty|shoot[ -]?out|penalties\b|clearance|blocks?\b"
    r"|blocked|nutmeg|dribbl|skills?\b|highlights?|all goals|shots?\b|near[ -]miss|close call"
    r"|full[ -]?(?:time|match)|half[ -]?time|(?:first|second) half|pitch invader|tifo|thread"
    r"|fans?\b|interview|press conference|controvers)"
)
# Also goes with a goal, where the score shows that one was scored.
IN_DOUBT = re.compile(
    rf"\b(?:{INCIDENT}|var\b|replay|check\b|review|angle|assist\b|build[ -]?up)", re.IGNORECASE
)
ANY_INCIDENT = re.compile(rf"\b{INCIDENT}", re.IGNORECASE)
FIRST_INCIDENT = re.compile(rf"[\s(\[|,:;!.-]*(?:\w+ )?{INCIDENT}", re.IGNORECASE)
# The goal does not count, wherever that is written.
DISALLOWED = re.compile(
    r"\bdisallow|\bruled (?:out|off)|\bchalked|\bno goal\b|\bgoal (?:is )?(?:cancel|overturn)"
    r"|\b(?:cancel+ed|overturned) (?:by|for|after|goal)|\bnot given\b"
    r"|\bdoes ?n[o']t (?:stand|count)",
    re.IGNORECASE,
)
# Other things after the goal in the same film.
ADDITION = re.compile(r"[\s(\[|,:;-]*(?:\+|&|and\b|then\b|after\b|following\b)", re.IGNORECASE)

OWN_GOAL = re.compile(r"\b(?:o\.? ?g\b\.?|own[ -]?goal|autogol|eigentor)", re.IGNORECASE)
PENALTY = re.compile(r"\b(?:penalty|pen|pk|spot[ -]kick)\b\.?|\(p\.?\)", re.IGNORECASE)
# Stand beside the name of a scorer.
DESCRIPTION = re.compile(
    r"\b(?:(?:great|nice|good|amazing|beautiful|brilliant|stunning|wonder|super|fantastic|first"
    r"|second|third|fourth|1st|2nd|3rd|4th|late|early|winning|solo|long[ -]range|golden)[ -]?)*"
    r"(?:goals?|golazo|strikes?|hat[ -]?trick|brace|free[ -]?kick|fk|header|headed|volley|tap[ -]in"
    r"|winner|equali[sz]er|screamer|banger|bicycle(?: kick)?|overhead(?: kick)?|chip|lob|panenka"
    r"|back ?heel|back[ -]?heel|olimpico|rebound|curler|finish|great|amazing|deflected)\b",
    re.IGNORECASE,
)
# Words of names that are written small.
PARTICLES = frozenset(
    {
        "de", "da", "do", "dos", "das", "del", "della", "di", "du", "des", "der", "den", "van",
        "von", "vom", "zu", "ter", "ten", "la", "le", "el", "al", "bin", "ibn", "ben", "mac", "y",
        "e", "i", "und", "and", "et", "of", "the", "jr", "sr", "st", "ii", "iii", "fc", "cf", "sc",
        "ac", "af", "o", "san", "as", "utd", "d", "s",
    }
)  # fmt: skip


def plain_marks(title: str) -> str:
    """One kind of dash, apostrophe, quote and bracket; no invisible marks, single spaces.

    Combining accents become part of their letter, so that names stay as they are.
    """
    text = unicodedata.normalize("NFC", html.unescape(title)).translate(BRACKETS)
    text = "".join(c if unicodedata.category(c) not in INVISIBLE else _space(c) for c in text)
    text = text.replace(VARIATION, "")
    text = MINUTE_MARKS.sub("'", APOSTROPHES.sub("'", text))
    return " ".join(DOUBLE_QUOTES.sub('"', DASHES.sub("-", text)).split())


def _space(character: str) -> str:
    return " " if character.isspace() else ""


def is_name(text: str, *, any_case: bool = False, most_words: int = 5) -> bool:
    """A few words with capitals, except particles: no sentence. `any_case` where a title has no
    capitals at all."""
    letters = [word for word in text.split() if any(c.isalpha() for c in word)]
    if not letters or len(letters) > most_words or re.search(r'["?!;:=]', text):
        return False
    return any_case or all(_is_part_of_name(word) for word in letters)


def _is_part_of_name(word: str) -> bool:
    letters = re.sub(r"[^\w]", "", word)
    if letters.casefold() in PARTICLES:
        return True
    first = next(c for c in word if c.isalpha())
    # Scripts without capitals have no small letters either; d'Ambrosio and iOS have them inside.
    return not first.islower() or any(c.isupper() for c in word)


def leading_name(text: str) -> str:
    """The name at the start of a text, before the first word that is none."""
    kept: list[str] = []
    for word in text.split():
        if not any(c.isalpha() for c in word) or not _is_part_of_name(word):
            break
        kept.append(word)
    return " ".join(kept).strip(" ,.-")
