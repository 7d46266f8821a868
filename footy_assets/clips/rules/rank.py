"""H6: the order in which a goal's clips are shown."""

from collections.abc import Sequence

from footy_assets.clips.rules.clip import Clip
from footy_assets.media.evidence import VerifiedBy


def ranked(clips: Sequence[Clip]) -> list[Clip]:
    """H6: by evidence, then how often it was discovered, then popularity, then quality, then id."""
    return sorted(
        clips,
        key=lambda clip: (
            _evidence_level(clip),
            -clip.discovered,
            -clip.popularity,
            -clip.quality.pixels,
            -clip.quality.bitrate,
            -clip.quality.size,
            clip.id,
        ),
    )


def _evidence_level(clip: Clip) -> int:
    """V7: 0 is the strongest, match and clock."""
    if not clip.verified:
        return 2
    return 0 if clip.verified_by is VerifiedBy.MATCH else 1


def ranks(clips: Sequence[Clip]) -> dict[str, int]:
    """The rank of each clip by its id, from 1."""
    return {clip.id: place for place, clip in enumerate(ranked(clips), 1)}
