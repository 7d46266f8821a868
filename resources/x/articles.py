"""From X's page to posts, when no JSON came: less is known, but the same things count."""

from datetime import UTC
from typing import Any

from playwright.sync_api import Page
from pydantic import ValidationError

from footy_assets.discovery.popularity import popularity
from footy_assets.discovery.posts import Post
from resources.x.models import Article
from resources.x.timeline import SOURCE, Gathered

# A quoted post sits in a card of its own (`div[role=link]`): what is in there is not ours.
# An ad is known by its structure: the article sits in a tracked placement, or carries an
# impression pixel. A tracked placement around the player alone is an ordinary video.
READ_ARTICLES = """() => [...document.querySelectorAll('article[data-testid="tweet"]')].map(a => {
  const own = selector => [...a.querySelectorAll(selector)].find(e => {
    const card = e.closest('div[role="link"]')
    return !card || !a.contains(card)
  })
  const count = selector => {
    const e = own(selector)
    const label = e ? (e.getAttribute('aria-label') || '') : ''
    return parseInt((label.match(/[0-9][0-9.,\\u00a0\\u202f ]*/) || ['0'])[0]
      .replace(/[^0-9]/g, '') || '0')
  }
  const time = own('a[href*="/status/"] time')
  const text = own('[data-testid="tweetText"]')
  return {
    href: time ? time.closest('a').getAttribute('href') : '',
    posted_at: time ? time.getAttribute('datetime') : null,
    text: text ? text.textContent : '',
    has_video: !!own('[data-testid="videoPlayer"], [data-testid="videoComponent"], video'),
    is_ad: !!a.closest('[data-testid="placementTracking"]') ||
      !!(a.closest('[data-testid="cellInnerDiv"]') || a)
        .querySelector('[data-testid$="impression-pixel"]'),
    likes: count('[data-testid="like"], [data-testid="unlike"]'),
    reposts: count('[data-testid="retweet"], [data-testid="unretweet"]'),
    views: count('a[href$="/analytics"]'),
  }
})"""


def read_articles(page: Page, base_url: str, gathered: Gathered, seen: set[str]) -> int:
    """Add what the page shows now; how many articles are new. `seen` also knows the unreadable."""
    new = 0
    for raw in page.evaluate(READ_ARTICLES):
        mark = str(raw.get("href") or raw.get("text"))
        if mark in seen:
            continue
        seen.add(mark)
        new += 1
        _add(raw, base_url, gathered)
    return new


def _add(raw: dict[str, Any], base_url: str, gathered: Gathered) -> None:
    try:
        article = Article.model_validate(raw)
    except ValidationError:
        gathered.unreadable["no_time" if not raw.get("posted_at") else "unknown_form"] += 1
        return
    at = article.posted_at
    url = f"{base_url}/{article.author}/status/{article.post_id}"
    gathered.add(
        Post(
            source=SOURCE,
            post_id=article.post_id,
            url=url,
            posted_at=at if at.tzinfo else at.replace(tzinfo=UTC),
            text=article.text,
            author=article.author,
            # The page plays from memory: the file's address is for the downloader to find.
            video_url=url if article.has_video else None,
            popularity=popularity(article.likes, article.reposts, article.views),
            is_ad=article.is_ad,
        )
    )
