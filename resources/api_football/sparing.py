"""A poll with few requests, for a plan that refuses `ids`."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from footy_assets.errors import ProviderError
from footy_assets.matchday.rules.feed import Answer, Failure
from footy_assets.matchday.rules.pace import Quota
from resources.api_football.plan import FEW, PlanMemory, only_live_is_affordable
from resources.api_football.translate import parse_fixtures

IDS_REFUSED = (
    "The matches in play are polled with one request for all (live=all) and others one by one, as "
    "often as the day's requests allow: `footy doctor` says how late a goal is noticed. Upgrade "
    "the plan of the key for polls at the full pace"
)


class SparingPoll:
    """The requests of one poll. `fetch` requests `/fixtures` with a query."""

    def __init__(
        self,
        plan: PlanMemory,
        now: datetime,
        fetch: Callable[[Mapping[str, Any]], Awaitable[list[bytes]]],
        quota: Callable[[], Quota | None],
    ) -> None:
        self._plan, self._now = plan, now
        self._fetch, self._quota = fetch, quota
        self.answer = Answer()

    async def run(self, ids: Sequence[int]) -> None:
        """Fills `answer`, which has what came until then if this is cancelled."""
        self.answer.skipped = set(ids)
        if in_play := self._plan.may_be_in_play(ids, self._now):
            await self._live(ids, in_play)
        missing = [id_ for id_ in ids if id_ not in self.answer.sightings]
        if not self.answer.failures and not only_live_is_affordable(self._quota()):
            await self._look_up(missing)
        self.answer.skipped -= set(self.answer.sightings)
        for failure in self.answer.failures:
            self.answer.skipped -= set(failure.fixture_ids)

    async def _live(self, ids: Sequence[int], in_play: Sequence[int]) -> None:
        found = await self._request({"live": "all"}, "the matches in play", in_play)
        if found is not None:
            self._take(found, ids)
            # A match is in play if it is in the answer, readable or not.
            self._plan.see_in_play(self._in_answer(found), self._now)

    async def _look_up(self, missing: Sequence[int]) -> None:
        if unknown := self._plan.unknown(missing, self._now):
            await self._look_up_unknown(unknown)
        elif (id_ := self._plan.next_look(missing, self._now)) is not None:
            await self._one(id_)
        elif (day := self._plan.next_day(missing, self._now)) is not None:
            await self._day(day, missing)

    async def _look_up_unknown(self, unknown: Sequence[int]) -> None:
        """Once for a match, as after a start: then its kickoff is known."""
        for day in self._plan.days_of_unknown(self._now) if len(unknown) > FEW else ():
            if self._plan.unknown(unknown, self._now):
                await self._day(day, unknown)
        for id_ in self._plan.unknown(unknown, self._now)[:FEW]:
            await self._one(id_)

    async def _one(self, id_: int) -> None:
        subject = f"fixture {id_}"
        found = await self._request({"id": id_}, subject, [id_])
        if found is None:
            return
        self._take(found, [id_])
        self._plan.see_looked_up(id_, self._now)
        unread = {piece.subject for piece in found.unreadable}
        if id_ not in found.sightings and subject not in unread:
            self.answer.failures.append(Failure(subject, "requested, but not in the answer"))

    async def _day(self, day: date, ids: Sequence[int]) -> None:
        found = await self._request({"date": day.isoformat()}, f"fixtures of {day}", ())
        self._plan.see_day(day, self._now)
        if found is not None:
            self._take(found, ids)

    async def _request(
        self, query: Mapping[str, Any], subject: str, ids: Sequence[int]
    ) -> Answer | None:
        """None for a request that failed; the others of the poll are still made."""
        try:
            return parse_fixtures(await self._fetch(query))
        except ProviderError as error:
            self.answer.failures.append(Failure(subject, error.sentence(), tuple(ids)))
            return None

    def _take(self, found: Answer, ids: Sequence[int]) -> None:
        """What is in an answer of ours; it has all other matches of the world, too."""
        wanted = set(ids)
        ours = {id_: one for id_, one in found.sightings.items() if id_ in wanted}
        subjects = tuple(f"fixture {id_}" for id_ in ids)
        self._plan.see(ours.values())
        self.answer.sightings |= ours
        self.answer.unreadable += [
            piece
            for piece in found.unreadable
            if any(piece.subject == one or piece.subject.startswith(f"{one} ") for one in subjects)
        ]

    @staticmethod
    def _in_answer(found: Answer) -> set[int]:
        unread = {piece.subject.removeprefix("fixture ") for piece in found.unreadable}
        return set(found.sightings) | {int(text) for text in unread if text.isdecimal()}
