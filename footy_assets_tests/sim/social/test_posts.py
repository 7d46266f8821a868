"""Which posts a search finds, as X reads a query."""

import pytest

from footy_assets.sim.social.posts import Shelf, read_query
from footy_assets_tests.resources.fans import NOW, ago, post, post_series

GOAL = "What a goal by Mohamed Salah! #LFC lead"


@pytest.mark.parametrize(
    ("query", "finds"),
    [
        ("Salah", True),
        ("salah LFC", True),
        ("Sala", False),
        ("(Haaland OR Salah) (Reds OR LFC) filter:videos", True),
        ("(Haaland OR Kane) (Reds OR LFC)", False),
        ('"Mohamed Salah"', True),
        ('("Salah Mohamed" OR Kane)', False),
        (f"Salah since_time:{ago(seconds=90).timestamp():.0f}", True),
        (f"Salah until_time:{ago(seconds=90).timestamp():.0f}", False),
        ("Sälah", True),
        ("", True),
    ],
)
def test_words_and_operators(query: str, finds: bool) -> None:
    assert read_query(query).finds(post(1, 60, text=GOAL)) is finds


def test_accents_in_a_post_do_not_matter() -> None:
    assert read_query("(Odegaard OR Muller)").finds(post(1, text="MÜLLER!!"))


def test_filter_videos_lets_links_and_quotes_through() -> None:
    search = read_query("Salah filter:videos")
    assert not search.finds(post(1, video=None))
    assert search.finds(post(1, video=None, links_a_video=True))
    assert search.finds(post(1, video=None, quotes=post(2)))


def test_a_cursor_is_not_shifted_by_new_posts() -> None:
    posts = post_series(5)
    shelf = Shelf("x", lambda now: posts, page_size=2)
    first = shelf.page(read_query("Salah"), NOW, None)
    posts.insert(0, post(2_000, 0))
    second = shelf.page(read_query("Salah"), NOW, first.cursor)
    assert [p.author for p in (*first.posts, *second.posts)] == [p.author for p in posts[1:5]]
    assert shelf.page(read_query("Salah"), NOW, posts[4].id).cursor is None


def test_future_posts_are_not_found() -> None:
    shelf = Shelf("x", lambda now: [post(1, -10), post(2, 10, sites=frozenset({"bluesky"}))])
    assert shelf.page(read_query("Salah"), NOW, None).posts == ()
    assert shelf.by_id(post(1).id, NOW) is None
