"""A page of live scores as a provider: which parts of it mean what is told by selectors."""

import re
from collections.abc import Sequence
from datetime import UTC, timedelta
from pathlib import Path
from threading import Lock
from typing import Any

from playwright.sync_api import Page
from pydantic import AwareDatetime, BaseModel, ValidationError

from footy_assets.clock import Clock
from footy_assets.discovery.sources import Progress
from footy_assets.errors import ProviderUnavailable, SourceError
from footy_assets.matchday.feed import Unreadable
from footy_assets.matchday.minute import MatchMinute
from footy_assets.sources.adapter import Fetched, Sheet
from footy_assets.sources.adapter_settings import PageSettings
from footy_assets.sources.identify import Listed
from footy_assets.sources.match import STATUS_OF_PERIOD, Score
from footy_assets.sources.recovery import BrowserFigures
from resources.chromium.launch import BrowserOptions
from resources.chromium.processes import pids_using
from resources.chromium.session import BrowserSession
from resources.score_page.processes import family, resident_megabytes

JOBS_PER_BROWSER = 1_000_000  # Our own limits recycle it, and leave an audit entry.


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
    """An `Adapter`: one browser kept for many looks, one look at a time."""

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

    def fetch(self, wanted: Sequence[Listed], within: float) -> Fetched:
        with self._one_at_a_time:
            self._must_be_open()
            if self._session.profile is None:
                self._since, self._tasks = self._clock.now(), 0
            self._tasks += 1
            try:
                rows = self._session.run(
                    lambda page, say: self._look(page, say, within), _tell_nobody
                )
            except SourceError as error:
                raise ProviderUnavailable(f"the page of scores: {error}") from error
        return read_rows(rows)

    def figures(self) -> BrowserFigures | None:
        profile = self._session.profile
        if profile is None:
            return BrowserFigures()
        pids = family(pids_using(profile))
        return BrowserFigures(
            uptime=max(timedelta(0), self._clock.now() - self._since),
            tasks=self._tasks,
            processes=len(pids),
            megabytes=sum(map(resident_megabytes, pids)),
            contexts=1,
            pages=self._open_pages,
        )

    def recycle(self) -> None:
        with self._one_at_a_time:
            self._session.close()

    def reset(self) -> None:
        with self._one_at_a_time:
            self._open_pages = self._session.run(_close_others, _tell_nobody)

    def close(self) -> None:
        self._closed = True
        self._session.close()
        with self._one_at_a_time:
            # A look that lost its browser may have begun another one meanwhile.
            self._session.close()

    def _must_be_open(self) -> None:
        """A browser that is started after the end belongs to nobody."""
        if self._closed:
            raise ProviderUnavailable("the page of scores is read no more")

    def _look(self, page: Page, say: Progress, within: float) -> list[Any]:
        self._must_be_open()
        say("looking at the page of scores")
        selectors = self._settings.selectors
        page.goto(self._settings.url, timeout=within * 1000)
        page.wait_for_selector(selectors.ready, state="attached", timeout=within * 1000)
        rows: list[Any] = page.evaluate(READ_ROWS, [selectors.model_dump()])
        self._open_pages = len(page.context.pages)
        return rows


def _close_others(page: Page, say: Progress) -> int:
    for other in page.context.pages:
        if other is not page:
            other.close()
    return len(page.context.pages)


def read_rows(rows: list[Any]) -> Fetched:
    sheets: list[Sheet] = []
    unreadable: list[Unreadable] = []
    for raw in rows:
        try:
            sheets.append(_sheet(PageRow.model_validate(raw)))
        except (ValidationError, ValueError) as error:
            reason = str(error).splitlines()[0]
            subject = raw.get("id") if isinstance(raw, dict) else None
            unreadable.append(Unreadable(f"row {subject or '?'}", reason))
    return Fetched(tuple(sheets), tuple(unreadable))


def _sheet(row: PageRow) -> Sheet:
    period, minute = _clock(row.clock)
    competition = row.competition.strip() or None
    start = row.start.astimezone(UTC)
    return Sheet(
        listed=Listed(row.id, start, row.home.strip(), row.away.strip(), competition),
        period=period,
        score=_score(row.score),
        minute=minute,
    )


def _clock(text: str) -> tuple[str, MatchMinute | None]:
    """ "67'", "45+2'", or a word: HT, FT."""
    told = text.strip().upper()
    found = re.fullmatch(r"(\d{1,3})(?:\+(\d{1,2}))?['’]?", told)
    if found is None:
        if told not in STATUS_OF_PERIOD:
            raise ValueError(f"{text!r} is no time of a match")
        return told, None
    minute = MatchMinute(int(found[1]), int(found[2]) if found[2] else None)
    return ("1H", "2H", "ET", "ET")[minute.period], minute


def _score(text: str) -> Score:
    found = re.fullmatch(r"\s*(\d{1,2})\s*[-–:]\s*(\d{1,2})\s*", text)
    return Score(int(found[1]), int(found[2])) if found else Score()


def _tell_nobody(text: str) -> None: ...
