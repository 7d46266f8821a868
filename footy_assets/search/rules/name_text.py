"""Words of names that a search leaves out."""

# Particles of names, which identify nobody.
PARTICLES = frozenset(
    {
        "van", "von", "der", "den", "dem", "dos", "das", "del", "della", "delle", "dal", "da",
        "de", "di", "do", "du", "la", "le", "las", "los", "el", "al", "bin", "ibn", "abu", "ben",
        "mac", "ter", "ten", "zur", "vom", "zum", "und", "and", "the", "of", "e", "y", "i",
    }
)  # fmt: skip


def is_latin(word: str) -> bool:
    return word.isascii() and any(c.isalpha() for c in word)
