"""The hosts of clips that posts link to, as the setting FOOTY_CLIP_HOSTS names them."""

from enum import StrEnum


class ClipHostName(StrEnum):
    STREAMIN = "streamin"
    STREAMFF = "streamff"
    STREAMAIN = "streamain"
    DUBZ = "dubz"
    STREAMABLE = "streamable"
    # A host of no known kind: its page names the file.
    OTHER = "other"
