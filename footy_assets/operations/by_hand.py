"""P5: what people do by hand, from the command line, Dagster's Launchpad or an API alike.

Each of them is recorded with who and why, also when it fails.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date

from footy_assets.archive.clip import Clip
from footy_assets.archive.keys import beside
from footy_assets.clock import Clock
from footy_assets.errors import Busy, NotFound, Stalled
from footy_assets.logs import Stage, Tell
from footy_assets.matchday.fixture import Fixture
from footy_assets.matchday.goal import GoalEvent
from footy_assets.matchday.lifecycle import CLOSED_BY_HAND
from footy_assets.matchday.plan import FixturePlan
from footy_assets.matchday.statuses import FixtureState
from footy_assets.media.examine import Examined
from footy_assets.operations.clip_batch import Batch, refusal
from footy_assets.operations.clips import ClipWork
from footy_assets.operations.ingest import Ingest, IngestReport
from footy_assets.operations.searching import Begun, Searched, Searcher
from footy_assets.store.audit import AuditLog
from footy_assets.store.clips import ClipDocuments
from footy_assets.store.matchdays import MatchdayStore
from footy_assets.store.searches import SearchStore

CLOSE_TRIES = 5
# V1's word for a clip that nobody could say anything about: a reason to refuse a new one, and none
# to take a stored one away.
NOT_JUDGED = "could not be judged"


@dataclass(slots=True)
class Entry:
    """What is being recorded. `outcome` is what became of it."""

    outcome: str = "done"


@dataclass(frozen=True, slots=True)
class ByHand:
    """Who asks, and why."""

    audit: AuditLog
    clock: Clock
    who: str
    why: str

    @contextmanager
    def recorded(self, operation: str, target: str) -> Iterator[Entry]:
        entry = Entry()
        entry_id = self.audit.begin(self.clock.now(), self.who, self.why, operation, target)
        try:
            yield entry
        except BaseException as error:
            entry.outcome = f"failed: {str(error) or type(error).__name__}"
            raise
        finally:
            self.audit.end(entry_id, entry.outcome)

    def told(self) -> str:
        return f"{self.who}: {self.why}"


def known_goal(documents: ClipDocuments, event_id: str) -> GoalEvent:
    goal = documents.goal_called(event_id)
    if goal is None:
        raise NotFound(f"no goal is called {event_id}", "`footy events` lists those we know")
    return goal


# -- fixtures ---------------------------------------------------------------------------------


def ingest_day(ingest: Ingest, by: ByHand, day: date) -> IngestReport:
    with by.recorded("ingest", day.isoformat()) as entry:
        today = day == ingest.clock.now().date()
        return _told(entry, ingest.daily(day) if today else ingest.day(day))


def ingest_ids(ingest: Ingest, by: ByHand, ids: Sequence[int]) -> IngestReport:
    with by.recorded("ingest", ",".join(map(str, ids))) as entry:
        return _told(entry, ingest.ids(ids))


def _told(entry: Entry, report: IngestReport) -> IngestReport:
    entry.outcome = (
        f"{report.added} new, {report.updated} updated, {len(report.failures)} parts failed"
    )
    return report


def close_fixture(
    store: MatchdayStore, searches: SearchStore, by: ByHand, fixture_id: int
) -> Fixture:
    """A match is over for us, whatever the provider says; so are the searches for its goals."""
    with by.recorded("close", str(fixture_id)) as entry:
        closed = _closed(store, by, fixture_id)
        ended = searches.close_fixture(fixture_id, by.clock.now(), "the match was closed by hand")
        entry.outcome = f"closed, {len(ended)} searches ended"
        return closed


def _closed(store: MatchdayStore, by: ByHand, fixture_id: int) -> Fixture:
    for _ in range(CLOSE_TRIES):
        fixture = store.known([fixture_id]).get(fixture_id)
        if fixture is None:
            raise NotFound(f"fixture {fixture_id} is not known", "`footy fixtures` lists them")
        if fixture.state is FixtureState.COMPLETED:
            return fixture
        closed = replace(
            fixture,
            state=FixtureState.COMPLETED,
            completed_at=by.clock.now(),
            closed_because=f"{CLOSED_BY_HAND} by {by.told()}",
        )
        if store.apply([FixturePlan(fixture, closed)]).written:
            return closed
    raise Busy(f"fixture {fixture_id} keeps being written by others")


# -- searching --------------------------------------------------------------------------------


def begin_search(searches: SearchStore, searcher: Searcher, by: ByHand, goal: GoalEvent) -> Begun:
    """The goal's next attempt now, whatever is due."""
    _make_due(searches, by, goal)
    begun = searcher.begin(goal.key)
    if begun is None:
        raise _not_searched(goal)
    return begun


def search_soon(searches: SearchStore, by: ByHand, goal: GoalEvent) -> None:
    """The same by the next sweep of searches, for those who cannot wait for it."""
    with by.recorded("search", goal.event_id) as entry:
        _make_due(searches, by, goal)
        entry.outcome = "due for the next sweep"


def _make_due(searches: SearchStore, by: ByHand, goal: GoalEvent) -> None:
    searches.open_searches()
    if not searches.make_due(goal.key, by.clock.now()):
        raise _not_searched(goal)


def _not_searched(goal: GoalEvent) -> Busy:
    return Busy(f"{goal.event_id} is being searched for, was removed, or is not stable yet")


def search_now(
    searches: SearchStore, searcher: Searcher, by: ByHand, goal: GoalEvent, tell: Tell
) -> Searched:
    with by.recorded("search", goal.event_id) as entry:
        begun = begin_search(searches, searcher, by, goal)
        found = searcher.finish(begun, searcher.look(begun, tell))
        entry.outcome = f"attempt {found.attempt.number}: {len(found.chosen)} videos chosen"
        return found


# -- clips ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Rejudged:
    """What a second look at a stored clip came to. `accepted` is None where it told nothing."""

    clip_id: str
    accepted: bool | None
    verified: bool
    reason: str


def remove_clip(work: ClipWork, by: ByHand, clip_id: str) -> Clip:
    """Its objects and its document go; its footage does not come back by another search."""
    with by.recorded("remove clip", clip_id) as entry:
        clip = work.documents.clip(clip_id)
        goal = work.documents.goal(clip.goal_key) if clip else None
        if clip is None or goal is None:
            raise NotFound(f"no clip is called {clip_id}", "`footy clips --json` lists their ids")
        with work.shelf.held(goal.key):
            work.documents.mark_removed(clip, goal.fixture_id, by.told(), by.clock.now())
            end = {"state": "removed", "reason": "removed by hand", "detail": by.told()}
            _take_away(work, clip, end)
            work.shelf.tidy(goal)
            work.shelf.rank(goal.key)
        entry.outcome = f"{clip.key} removed"
        return clip


def revalidate(
    work: ClipWork, by: ByHand, goal: GoalEvent, run_id: str, tell: Tell
) -> list[Rejudged]:
    """Judge a goal's clips again by what lies in S3. One that is refused now is removed."""
    with by.recorded("revalidate", goal.event_id) as entry:
        clips = {clip.id: clip for clip in work.documents.clips_of(goal.key)}
        with work.batch(goal, run_id) as batch:
            judged = {clip.id: _judged_again(work, batch, clip, tell) for clip in clips.values()}
        with work.shelf.held(goal.key):
            for clip in work.documents.clips_of(goal.key):
                # Only what was judged: a better copy may have taken its place meanwhile.
                if clip.id in clips and clip.md5 == clips[clip.id].md5:
                    _write_down(work, goal, clip, *judged[clip.id])
            work.shelf.rank(goal.key)
        found = [told for told, _ in judged.values()]
        refused = sum(told.accepted is False for told in found)
        open_ = sum(told.accepted is None for told in found)
        entry.outcome = f"{len(found)} judged, {refused} removed, {open_} left as they were"
        return found


def rerank(work: ClipWork, by: ByHand, goal: GoalEvent) -> list[Clip]:
    """H6 anew, for this goal; best first."""
    with by.recorded("rerank", goal.event_id) as entry, work.shelf.held(goal.key):
        work.shelf.rank(goal.key)
        clips = sorted(work.documents.clips_of(goal.key), key=lambda clip: clip.rank or 0)
        entry.outcome = f"{len(clips)} clips ranked"
        return clips


def _judged_again(
    work: ClipWork, batch: Batch, clip: Clip, tell: Tell
) -> tuple[Rejudged, Examined | None]:
    log = batch.log(Stage.VALIDATE, tell).of(clip_id=clip.id, video_id=clip.video_id)
    path = batch.folder / f"{clip.md5}.mp4"
    try:
        path.write_bytes(work.objects.get(clip.key))
    except NotFound as missing:
        log.error("not_judged", reason=str(missing))
        return Rejudged(clip.id, None, clip.verified, str(missing)), None
    looked = work.look(batch.goal, path)
    path.unlink()
    if isinstance(looked, Stalled):
        log.warning("not_judged", reason=str(looked))
        return Rejudged(clip.id, None, clip.verified, str(looked)), None
    refused = refusal(looked)
    if refused is None:
        assert isinstance(looked, Examined)
        assert looked.judged is not None
        log.info("accepted", verified=looked.judged.verified)
        return Rejudged(clip.id, True, looked.judged.verified, ""), looked
    reason = str(refused["reason"])
    if reason.startswith(NOT_JUDGED):
        log.warning("not_judged", reason=reason)
        return Rejudged(clip.id, None, clip.verified, reason), None
    log.info("refused", reason=reason)
    return Rejudged(clip.id, False, False, reason), None


def _write_down(
    work: ClipWork, goal: GoalEvent, clip: Clip, told: Rejudged, looked: Examined | None
) -> None:
    if told.accepted is False:
        end = {"state": "refused", "reason": told.reason, "detail": "when judged again"}
        _take_away(work, clip, end)
    elif looked is not None and looked.judged is not None:
        work.documents.rejudged(clip, told.verified, looked.judged.explanation)


def _take_away(work: ClipWork, clip: Clip, end: dict[str, str]) -> None:
    """What is known about its videos first, objects next, the document last (F9's order)."""
    work.documents.end_videos_of(clip.id, end, work.clock.now())
    for key in (clip.key, *beside(clip.key), *work.documents.leftovers_of_clip(clip.id)):
        work.objects.delete(key)
    work.documents.remove_clip(clip.id)
