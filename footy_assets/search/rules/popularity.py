"""A post's popularity, on one scale for all sites."""

# On sites that count views, these are some hundred times as many as likes.
VIEWS_PER_LIKE = 100
REPOST_WEIGHT = 2


def popularity(likes: int, reposts: int, views: int = 0) -> int:
    """A site that counts no views must not rank behind one that does."""
    return likes + REPOST_WEIGHT * reposts + views // VIEWS_PER_LIKE
