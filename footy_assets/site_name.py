"""SE5: the names of the sites, as in the settings and as stored with their posts."""

from enum import StrEnum


class SiteName(StrEnum):
    X = "x"
    BLUESKY = "bluesky"
    REDDIT = "reddit"
    TELEGRAM = "telegram"
