"""S7: whether we are logged in, told from what X shows."""

from urllib.parse import urlsplit

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Page

LOGIN_PATHS = ("/login", "/i/flow/login", "/i/flow/signup", "/account/access", "/logout")
SESSION_COOKIE = "auth_token"

# What the page shows by now: a login form, our account, posts, or "no results".
LOOK = """() => {
  const has = selector => !!document.querySelector(selector)
  return {
    login: has('input[autocomplete="username"], [data-testid="LoginForm_Login_Button"],' +
      '[data-testid="loginButton"], [data-testid="google_sign_in_container"]'),
    account: has('[data-testid="SideNav_AccountSwitcher_Button"],' +
      '[data-testid="AppTabBar_Profile_Link"]'),
    articles: has('article[data-testid="tweet"]'),
    nothing: has('[data-testid="emptyState"]'),
  }
}"""


class Shown:
    """One look at a page."""

    def __init__(self, page: Page) -> None:
        told = _look(page)
        path = urlsplit(page.url).path.rstrip("/")
        self.account = told.get("account", False)
        self.articles = told.get("articles", False)
        self.nothing = told.get("nothing", False)
        self.wall = path in LOGIN_PATHS or (told.get("login", False) and not self.account)


def _look(page: Page) -> dict[str, bool]:
    try:
        told: dict[str, bool] = page.evaluate(LOOK)
    except PlaywrightError as error:
        # The page is on its way to another address.
        if "context was destroyed" not in error.message:
            raise
        return {}
    return told


def has_session_cookie(page: Page, base_url: str) -> bool:
    """The cookie alone proves nothing: X may have ended the session it names."""
    return any(cookie.get("name") == SESSION_COOKIE for cookie in page.context.cookies(base_url))
