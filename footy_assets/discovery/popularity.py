"""How much a post was noticed, on one scale for all sources."""

# Where views are told they are some hundred times as many as likes.
VIEWS_PER_LIKE = 100
REPOST_WEIGHT = 2


def popularity(likes: int, reposts: int, views: int = 0) -> int:
    """A source that counts no views must not rank behind one that does."""
    return likes + REPOST_WEIGHT * reposts + views // VIEWS_PER_LIKE
