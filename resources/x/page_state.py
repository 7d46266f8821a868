"""SE7: whether X shows a login wall, posts, or no results."""

from urllib.parse import urlsplit

from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Page

LOGIN_PATHS = ("/login", "/i/flow/login", "/i/flow/signup", "/account/access", "/logout")
SESSION_COOKIE = "auth_token"

# What the page shows: a login form, the account, posts, or "no results".
READ_STATE = """() => {
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


class PageState:
    """What a page of X shows at the moment."""

    def __init__(self, page: Page) -> None:
        shown = _read_state(page)
        path = urlsplit(page.url).path.rstrip("/")
        self.account = shown.get("account", False)
        self.articles = shown.get("articles", False)
        self.empty = shown.get("nothing", False)
        self.login_wall = path in LOGIN_PATHS or (shown.get("login", False) and not self.account)


def _read_state(page: Page) -> dict[str, bool]:
    try:
        state: dict[str, bool] = page.evaluate(READ_STATE)
    except PlaywrightError as error:
        # The page is navigating.
        if "context was destroyed" not in error.message:
            raise
        return {}
    return state


def has_session_cookie(page: Page, base_url: str) -> bool:
    """The cookie alone proves no login: X may have ended the session."""
    return any(cookie.get("name") == SESSION_COOKIE for cookie in page.context.cookies(base_url))
