"""Parses posts from X's page, when its JSON is missing."""

from datetime import UTC
from typing import Any

from playwright.sync_api import Page
from pydantic import ValidationError

from footy_assets.search.rules.popularity import popularity
from footy_assets.search.rules.posts import Post
from resources.x.models import Article
from resources.x.timeline import SITE, FoundPosts

# A quoted post is in a card (`div[role=link]`), whose content is not part of the post.
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


def read_articles(page: Page, base_url: str, found: FoundPosts, seen: set[str]) -> int:
    """Collect the posts on the page; how many articles are new. `seen` holds all their links."""
    new = 0
    for raw in page.evaluate(READ_ARTICLES):
        link = str(raw.get("href") or raw.get("text"))
        if link in seen:
            continue
        seen.add(link)
        new += 1
        _add(raw, base_url, found)
    return new


def _add(raw: dict[str, Any], base_url: str, found: FoundPosts) -> None:
    try:
        article = Article.model_validate(raw)
    except ValidationError:
        found.unreadable["no_time" if not raw.get("posted_at") else "unknown_form"] += 1
        return
    at = article.posted_at
    url = f"{base_url}/{article.author}/status/{article.post_id}"
    found.add(
        Post(
            site=SITE,
            post_id=article.post_id,
            url=url,
            posted_at=at if at.tzinfo else at.replace(tzinfo=UTC),
            text=article.text,
            author=article.author,
            # The page does not name the file: the downloader finds it.
            video_url=url if article.has_video else None,
            popularity=popularity(article.likes, article.reposts, article.views),
            is_ad=article.is_ad,
        )
    )
