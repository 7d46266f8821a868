"""The site's pages as a browser gets them: marked up as X marks its own."""

import json
from html import escape

from footy_assets.sim.social.posts import Page, SimPost

STYLE = """
body{font:15px system-ui,sans-serif;margin:0 auto;max-width:600px;color:#0f1419}
article{border-bottom:1px solid #eff3f4;padding:12px 16px;min-height:180px}
[data-testid=videoPlayer]{height:120px;background:#111;border-radius:12px}
time,[role=group]{color:#536471}nav{padding:12px 16px;border-bottom:1px solid #eff3f4}
"""

SHELL = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title} / X</title>
<style>{style}</style></head><body>
<nav><a href="/home" data-testid="AppTabBar_Home_Link">X</a>
{account}</nav>
<div data-testid="primaryColumn">{body}</div>{script}</body></html>"""

ACCOUNT = (
    '<button data-testid="SideNav_AccountSwitcher_Button" aria-label="Account menu">@fan</button>'
)

LOGIN = """<form method="post" action="/login"><h1>Sign in to X</h1>
<input name="text" autocomplete="username" placeholder="Phone, email, or username">
<input name="password" type="password" autocomplete="current-password">
<button data-testid="LoginForm_Login_Button">Log in</button></form>"""

EMPTY = '<div data-testid="emptyState"><h2>No results for this search</h2></div>'

# Fetches the timeline page by page and draws it; what has scrolled away is taken out, as X does.
APP = """<script>
const first = JSON.parse(document.getElementById('first').textContent)
const feed = document.getElementById('feed')
const shown = new Set()
let cursor = null, busy = false, over = false
const esc = t => { const d = document.createElement('div'); d.textContent = t; return d.innerHTML }
const video = m => `<div data-testid="placementTracking"><div data-testid="videoPlayer">` +
  `<video poster="${m.media_url_https}" src="${m.video_info.variants[1].url}" autoplay muted>` +
  `</video></div></div>`
const body = t => {
  const user = t.core.user_results.result.core.screen_name, l = t.legacy
  const media = (l.extended_entities || {media: []}).media.map(video).join('')
  const quoted = t.quoted_status_result ? `<div role="link" tabindex="0">` +
    `${body(t.quoted_status_result.result).replace(/<a /g, '<span ')}</div>` : ''
  const at = new Date(l.created_at)
  return `<div data-testid="User-Name">@${esc(user)} <a href="/${user}/status/${t.rest_id}">` +
    `<time datetime="${isNaN(at) ? '' : at.toISOString()}">now</time></a></div>` +
    `<div data-testid="tweetText">${esc(l.full_text)}</div>${media}${quoted}`
}
const cell = (t, ad) => {
  const l = t.legacy, count = (n, what) => `<button data-testid="${what}" ` +
    `aria-label="${n} ${what}s. ${what}">${n}</button>`
  const inner = `<article data-testid="tweet">${body(t)}<div role="group">` +
    count(l.retweet_count, 'retweet') + count(l.favorite_count, 'like') +
    `<a href="/x/status/${t.rest_id}/analytics" aria-label="${(t.views || {}).count || 0} views">` +
    `</a></div></article>`
  return `<div data-testid="cellInnerDiv">` + (ad ? `<div data-testid="placementTracking">` +
    `<span>Ad</span>${inner}<div data-testid="1a2b-impression-pixel"></div></div>` : inner) +
    `</div>`
}
const draw = entries => {
  for (const e of entries) {
    const item = e.content && e.content.itemContent
    if (!item) { if (e.content && e.content.cursorType === 'Bottom') cursor = e.content.value
                 continue }
    let t = (item.tweet_results || {}).result
    if (t && t.tweet) t = t.tweet
    if (!t || t.__typename !== 'Tweet' || !t.core || shown.has(e.entryId)) continue
    shown.add(e.entryId)
    feed.insertAdjacentHTML('beforeend', cell(t, !!item.promotedMetadata))
  }
  while (feed.children.length > 30) feed.firstElementChild.remove()
}
const atTheEnd = () => innerHeight + scrollY > document.documentElement.scrollHeight - 400
async function more() {
  if (busy || over) return
  busy = true
  try {
    const variables = {rawQuery: first.q, count: 20, querySource: 'typed_query', product: 'Latest'}
    if (cursor) variables.cursor = cursor
    const query = new URLSearchParams({variables: JSON.stringify(variables), features: '{}'})
    const answer = await fetch(`/i/api/graphql/nKAncKPF1fV1xltvF3UUlw/SearchTimeline?${query}`)
    if (!answer.ok) throw new Error(answer.status)
    const timeline = (await answer.json()).data.search_by_raw_query.search_timeline.timeline
    const entries = timeline.instructions.flatMap(i => i.entries || (i.entry ? [i.entry] : []))
    const before = shown.size
    draw(entries)
    if (shown.size === before) {
      over = true
      if (!before) feed.innerHTML = first.empty
    }
  } catch (broken) { await plain() } finally { busy = false }
  if (shown.size && atTheEnd()) more()
}
async function plain() {
  // The call is broken: go on with what the server drew, and ask it to draw the next.
  const last = feed.dataset.cursor
  if (!first.drawn) { over = true; return }
  if (feed.dataset.touched !== 'yes') { feed.dataset.touched = 'yes'; return }
  if (!last) { over = true; return }
  const next = await fetch(`/search/more?${new URLSearchParams({q: first.q, cursor: last})}`)
  feed.insertAdjacentHTML('beforeend', await next.text())
  feed.dataset.cursor = next.headers.get('x-cursor') || ''
  while (feed.children.length > 30) feed.firstElementChild.remove()
}
addEventListener('scroll', () => { if (atTheEnd()) more() })
more()
</script>"""


def search_page(query: str, drawn: Page | None, alive: bool = True) -> str:
    """The app unless it is not `alive`, and with `drawn` the first posts already in the page."""
    first = {"q": query, "empty": EMPTY, "drawn": drawn is not None}
    state = json.dumps(first).replace("<", "\\u003c")
    cells = articles(drawn) if drawn is not None else ""
    if drawn is not None and not drawn.posts:
        cells = EMPTY
    cursor = escape(drawn.cursor or "" if drawn else "", quote=True)
    body = (
        f'<script type="application/json" id="first">{state}</script>'
        f'<section><div id="feed" data-cursor="{cursor}">{cells}</div></section>'
    )
    return SHELL.format(
        title="Search", style=STYLE, account=ACCOUNT, body=body, script=APP if alive else ""
    )


def articles(page: Page) -> str:
    posts = list(page.posts)
    if page.ad is not None and posts:
        posts.insert(min(2, len(posts)), page.ad)
    return "".join(_cell(post) for post in posts)


def login_page(refused: bool = False) -> str:
    body = LOGIN + ('<p role="alert">Wrong password</p>' if refused else "")
    return SHELL.format(title="Log in", style=STYLE, account="", body=body, script="")


def home_page() -> str:
    body = "<h1>Home</h1><p>What is happening?</p>"
    return SHELL.format(title="Home", style=STYLE, account=ACCOUNT, body=body, script="")


def blank_page() -> str:
    return SHELL.format(title="", style=STYLE, account="", body="", script="")


def post_page(post: SimPost) -> str:
    film = f'<video controls src="/video/{post.video}.mp4"></video>' if post.video else ""
    body = f"{_article(post)}{film}"
    return SHELL.format(title="Post", style=STYLE, account=ACCOUNT, body=body, script="")


def _cell(post: SimPost) -> str:
    inner = _article(post)
    if post.is_ad:
        inner = (
            f'<div data-testid="placementTracking"><span>Ad</span>{inner}'
            '<div data-testid="1a2b-impression-pixel"></div></div>'
        )
    return f'<div data-testid="cellInnerDiv">{inner}</div>'


def _article(post: SimPost) -> str:
    if post.shape in ("tombstone", "empty"):
        return '<article tabindex="-1">This Post is unavailable.</article>'
    views = f'<a href="/{post.author}/status/{post.id}/analytics" aria-label="{post.views} views">'
    return (
        f'<article data-testid="tweet">{_body(post, "a")}<div role="group">'
        f'<button data-testid="retweet" aria-label="{post.reposts} reposts. Repost"></button>'
        f'<button data-testid="like" aria-label="{post.likes:,} Likes. Like"></button>'
        f"{views}</a></div></article>"
    )


def _body(post: SimPost, link: str) -> str:
    at = "" if post.shape in ("undated", "malformed") else post.posted_at.isoformat()
    film = (
        '<div data-testid="placementTracking"><div data-testid="videoPlayer">'
        f'<video poster="/thumb/{post.video}.jpg"></video></div></div>'
    )
    quoted = ""
    if post.quotes is not None:
        quoted = f'<div role="link" tabindex="0">{_body(post.quotes, "span")}</div>'
    return (
        f'<div data-testid="User-Name">@{escape(post.author)} '
        f'<{link} href="/{post.author}/status/{post.id}"><time datetime="{at}">now</time></{link}>'
        f'</div><div data-testid="tweetText">{escape(post.text)}</div>'
        f"{film if post.video else ''}{quoted}"
    )
