"""H6: the order in which a goal's clips are shown."""

from collections.abc import Sequence

from footy_assets.clips.rules.clip import Clip


def ranked(clips: Sequence[Clip]) -> list[Clip]:
    """H6: verified first, then popularity, then quality, then id."""
    return sorted(
        clips,
        key=lambda clip: (
            not clip.verified,
            -clip.popularity,
            -clip.quality.pixels,
            -clip.quality.bitrate,
            -clip.quality.size,
            clip.id,
        ),
    )


def ranks(clips: Sequence[Clip]) -> dict[str, int]:
    """The rank of each clip by its id, from 1."""
    return {clip.id: place for place, clip in enumerate(ranked(clips), 1)}
