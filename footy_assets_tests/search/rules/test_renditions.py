from hypothesis import given
from hypothesis import strategies as st

from footy_assets.search.rules.renditions import Rendition, RenditionLimits, choose_rendition

# As X offers them: up to 4K with 25 Mbit/s.
X = [
    Rendition("270", 480, 270, 288_000),
    Rendition("360", 640, 360, 832_000),
    Rendition("720", 1280, 720, 2_176_000),
    Rendition("1080", 1920, 1080, 10_368_000),
    Rendition("2160", 3840, 2160, 25_128_000),
]


def url(duration: float | None = 20.0, height: int = 1080, megabytes: float = 100) -> str:
    found = choose_rendition(X, duration, RenditionLimits(height, round(megabytes * 1_000_000)))
    assert found is not None
    return found.url


def test_d5_the_highest_up_to_the_wanted_height_is_fetched_not_the_largest() -> None:
    assert url() == "1080"
    assert url(height=720) == "720"
    assert url(height=2160) == "2160"
    assert url(height=100) == "270", "all are higher: the lowest"


def test_d5_the_size_is_estimated_from_bitrate_and_duration() -> None:
    assert url(duration=60, megabytes=70) == "720", "78 MB in 1080p"
    assert url(duration=60, megabytes=80) == "1080"
    assert url(duration=None, megabytes=1) == "1080", "unknown passes"
    assert url(duration=60, megabytes=0.1) == "270", "none fits: the smallest"


def test_d5_the_height_of_a_portrait_video_is_its_width() -> None:
    tall = [Rendition("720", 720, 1280, 2_176_000), Rendition("1080", 1080, 1920, 10_368_000)]
    assert choose_rendition(tall, 10, RenditionLimits(height=1080)) == tall[1]


def test_d5_without_heights_the_bitrate_decides() -> None:
    bare = [Rendition("a", bitrate=832_000), Rendition("b", bitrate=2_176_000), Rendition("c")]
    assert choose_rendition(bare, 10, RenditionLimits()) == bare[1]
    assert choose_rendition([], 10, RenditionLimits()) is None


EDGES = st.none() | st.integers(1, 5_000)
RENDITIONS = st.lists(
    st.builds(Rendition, st.uuids().map(str), EDGES, EDGES, EDGES, EDGES), min_size=1, max_size=6
)


@given(RENDITIONS, st.none() | st.floats(0, 100), st.integers(1, 5_000), st.integers(1, 10_000))
def test_d5_whatever_fits_is_chosen_before_what_does_not(
    renditions: list[Rendition], duration: float | None, height: int, max_size: int
) -> None:
    limits = RenditionLimits(height, max_size)
    found = choose_rendition(renditions, duration, limits)
    assert found is not None

    def fits(one: Rendition) -> bool:
        return (one.estimated_size(duration) or 0) <= max_size

    assert fits(found) or not any(map(fits, renditions))
    wanted = [one for one in renditions if fits(one) and (one.short_edge or 0) <= height]
    assert not wanted or (found.short_edge or 0) <= height
