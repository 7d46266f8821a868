from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from footy_assets.clips.rules.clip import Clip
from footy_assets.clips.rules.rank import ranked, ranks
from footy_assets.media import Quality
from footy_assets.media.evidence import VerifiedBy
from footy_assets_tests.clips.rules.test_dedup import clip

CLIP = clip(1)


def clip_with(
    id_: str, verified: bool = True, popularity: int = 5, pixels: int = 100, posts: int = 1
) -> Clip:
    quality = Quality(20.0, pixels, 1000, 5000)
    by = {f"x:{number}": popularity if number == 0 else 0 for number in range(posts)}
    return replace(CLIP, id=id_, verified=verified, quality=quality, popularity_by=by)


def test_h6_verified_then_discovered_then_popularity_then_quality() -> None:
    clips = [
        clip_with("unverified", verified=False, popularity=900, posts=20),
        clip_with("reposted", popularity=0, posts=10),
        clip_with("quiet", popularity=1),
        clip_with("small", popularity=50, pixels=10),
        clip_with("large", popularity=50, pixels=99),
    ]
    assert [c.id for c in ranked(clips)] == [*("reposted", "large", "small", "quiet", "unverified")]


def test_v7_the_match_ranks_before_the_clock_alone() -> None:
    clips = [
        clip_with("old clock", popularity=900),
        replace(clip_with("clock", popularity=800), verified_by=VerifiedBy.CLOCK),
        replace(clip_with("match", popularity=1), verified_by=VerifiedBy.MATCH),
        clip_with("unverified", verified=False, popularity=999),
    ]
    assert [c.id for c in ranked(clips)] == ["match", "old clock", "clock", "unverified"]


@given(st.permutations([clip_with(id_) for id_ in "abcde"]))
def test_h6_ties_are_stable(clips: list[Clip]) -> None:
    assert ranks(clips) == {"a": 1, "b": 2, "c": 3, "d": 4, "e": 5}
