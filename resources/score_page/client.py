"""A2: a live-score page as a provider; configurable selectors name its parts."""

import re
from collections.abc import Sequence
from datetime import UTC, date, timedelta
from pathlib import Path
from threading import Lock
from typing import Any

from playwright.sync_api import Page
from pydantic import AwareDatetime, BaseModel, ValidationError

from footy_assets.clock import Clock
from footy_assets.errors import ProviderUnavailable, SiteError
from footy_assets.matchday.rules.feed import Unreadable
from footy_assets.matchday.rules.minute import MatchMinute
from footy_assets.matchday.rules.statuses import state_of
from footy_assets.providers.rules.adapter import FetchResult, ProviderMatch
from footy_assets.providers.rules.adapter_settings import PageSettings
from footy_assets.providers.rules.identify import ListedMatch
from footy_assets.providers.rules.match import Score
from footy_assets.providers.rules.recovery import BrowserFigures
from footy_assets.search.rules.site import Progress
from resources.browser.launch import BrowserOptions
from resources.browser.processes import process_tree, resident_megabytes
from resources.browser.session import BrowserSession

JOBS_PER_BROWSER = 1_000_000  # The watcher recycles it instead, with an audit entry.


class PageRow(BaseModel):
    id: str
    start: AwareDatetime
    competition: str = ""
    home: str
    away: str
    score: str
    clock: str


READ_ROWS = """([wanted]) => [...document.querySelectorAll(wanted.match)].map(row =>
  Object.fromEntries(Object.entries(wanted).filter(([k]) => k !== "match" && k !== "ready")
    .map(([name, where]) => [name, where.startsWith("@")
      ? row.getAttribute(where.slice(1))
      : row.querySelector(where)?.textContent ?? null])))"""


class ScorePage:
    """An `Adapter` that keeps one browser, and reads the page one request at a time."""

    def __init__(
        self, settings: PageSettings, clock: Clock, executable: Path | None = None
    ) -> None:
        self._settings, self._clock = settings, clock
        self._session = BrowserSession(
            BrowserOptions(executable=executable), jobs_per_browser=JOBS_PER_BROWSER
        )
        self._one_at_a_time = Lock()
        self._since = clock.now()
        self._tasks = 0
        self._open_pages = 0
        self._closed = False

    def discover(self, day: date, within: float) -> FetchResult:
        return self.fetch((), within).on(day)

    def fetch(self, wanted: Sequence[ListedMatch], within: float) -> FetchResult:
        with self._one_at_a_time:
            self._require_open()
            if self._session.profile is None:
                self._since, self._tasks = self._clock.now(), 0
            self._tasks += 1
            try:
                rows = self._session.run(
                    lambda page, on_progress: self._read_page(page, on_progress, within),
                    _ignore_progress,
                )
            except SiteError as error:
                raise ProviderUnavailable(f"the score page: {error}") from error
        return parse_rows(rows)

    def figures(self) -> BrowserFigures | None:
        profile = self._session.profile
        if profile is None:
            return BrowserFigures()
        family = process_tree(profile)
        return BrowserFigures(
            uptime=max(timedelta(0), self._clock.now() - self._since),
            tasks=self._tasks,
            processes=len(family),
            megabytes=sum(map(resident_megabytes, family)),
            contexts=1,
            pages=self._open_pages,
        )

    def recycle(self) -> None:
        with self._one_at_a_time:
            self._session.close()

    def reset(self) -> None:
        with self._one_at_a_time:
            self._open_pages = self._session.run(_close_others, _ignore_progress)

    def close(self) -> None:
        self._closed = True
        self._session.close()
        with self._one_at_a_time:
            # A request that lost its browser may have started another one meanwhile.
            self._session.close()

    def _require_open(self) -> None:
        """A browser started after `close` would never be stopped."""
        if self._closed:
            raise ProviderUnavailable("the score page is closed")

    def _read_page(self, page: Page, on_progress: Progress, within: float) -> list[Any]:
        self._require_open()
        on_progress("reading the score page")
        selectors = self._settings.selectors
        page.goto(self._settings.url, timeout=within * 1000)
        page.wait_for_selector(selectors.ready, state="attached", timeout=within * 1000)
        rows: list[Any] = page.evaluate(READ_ROWS, [selectors.model_dump()])
        self._open_pages = len(page.context.pages)
        return rows


def _close_others(page: Page, on_progress: Progress) -> int:
    for other in page.context.pages:
        if other is not page:
            other.close()
    return len(page.context.pages)


def parse_rows(rows: list[Any]) -> FetchResult:
    matches: list[ProviderMatch] = []
    unreadable: list[Unreadable] = []
    for raw in rows:
        try:
            matches.append(_to_match(PageRow.model_validate(raw)))
        except (ValidationError, ValueError) as error:
            reason = str(error).splitlines()[0]
            subject = raw.get("id") if isinstance(raw, dict) else None
            unreadable.append(Unreadable(f"row {subject or '?'}", reason))
    return FetchResult(tuple(matches), tuple(unreadable))


def _to_match(row: PageRow) -> ProviderMatch:
    period, minute = _clock(row.clock)
    competition = row.competition.strip() or None
    start = row.start.astimezone(UTC)
    return ProviderMatch(
        listed=ListedMatch(row.id, start, row.home.strip(), row.away.strip(), competition),
        period=period,
        score=_score(row.score),
        minute=minute,
    )


def _clock(text: str) -> tuple[str, MatchMinute | None]:
    """ "67'", "45+2'", or a word: HT, FT."""
    clock = text.strip().upper()
    found = re.fullmatch(r"(\d{1,3})(?:\+(\d{1,2}))?['’]?", clock)
    if found is None:
        if state_of(clock) is None:
            raise ValueError(f"{text!r} is not a match time")
        return clock, None
    minute = MatchMinute(int(found[1]), int(found[2]) if found[2] else None)
    return minute.status, minute


def _score(text: str) -> Score:
    found = re.fullmatch(r"\s*(\d{1,2})\s*[-–:]\s*(\d{1,2})\s*", text)
    return Score(int(found[1]), int(found[2])) if found else Score()


def _ignore_progress(text: str) -> None: ...
