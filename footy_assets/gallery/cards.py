"""What the pages show of matchdays, matches, goals and clips."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from footy_assets.clips.explain import scorebug_row
from footy_assets.clips.rules.keys import poster_and_thumbnail_keys, public_path, watch_path
from footy_assets.clips.rules.rendition import rendition_type
from footy_assets.gallery import labels
from footy_assets.matchday.rules.fixture import Fixture
from footy_assets.matchday.rules.goal import GoalEvent
from footy_assets.matchday.rules.line_up import LineUp, MatchRosters
from footy_assets.matchday.rules.statuses import FixtureState
from footy_assets.media.evidence import VerifiedBy
from footy_assets.site_name import SiteName
from footy_assets.store.collections import Document

LATEST_CLIPS = 12
SITE_NAMES: Mapping[str, str] = {
    SiteName.X: "X",
    SiteName.BLUESKY: "Bluesky",
    SiteName.REDDIT: "Reddit",
    SiteName.TELEGRAM: "Telegram",
}


@dataclass(frozen=True, slots=True)
class VideoSource:
    """A file that a player may take, by its content type."""

    url: str
    type: str


@dataclass(frozen=True, slots=True)
class ClipCard:
    id: str
    path: str
    video: str
    poster: str
    thumbnail: str
    rank: int
    verified: bool
    verified_by: VerifiedBy
    # V6: what the scorebug in the picture says, as far as it is certain.
    scorebug: str
    # V5: the part of the picture in which clock and scorebug were read; empty if nothing was.
    scorebug_picture: str
    clock_minutes: tuple[int, ...]
    discovered: int
    popularity: int
    seconds: float
    width: int
    height: int
    size: int
    site: str
    post_url: str
    stored_at: datetime
    run_id: str | None
    better_copies: int
    # D6: better than `video`, for players that know their codecs.
    renditions: tuple[VideoSource, ...] = ()

    @property
    def length(self) -> str:
        minutes, seconds = divmod(round(self.seconds), 60)
        return f"{minutes}:{seconds:02}"

    @property
    def short_popularity(self) -> str:
        return labels.short_number(self.popularity)

    @property
    def resolution(self) -> str:
        return f"{min(self.width, self.height)}p"


@dataclass(frozen=True, slots=True)
class GoalCard:
    goal: GoalEvent
    scorer: str
    team: str
    minute: str
    score: str
    detail: str
    assist: str | None
    state: str
    explanation: str
    tone: str
    clips: tuple[ClipCard, ...]

    @property
    def removed(self) -> bool:
        return not self.goal.live

    @property
    def path(self) -> str:
        return f"/goals/{self.goal.event_id}"

    @property
    def best(self) -> ClipCard | None:
        return self.clips[0] if self.clips else None


@dataclass(frozen=True, slots=True)
class LineUpCard:
    team: str
    line_up: LineUp


@dataclass(frozen=True, slots=True)
class MatchCard:
    fixture: Fixture
    status: str
    playing: bool
    goals: tuple[GoalCard, ...]
    # On the page of the match only.
    line_ups: tuple[LineUpCard, ...] = ()

    @property
    def line_ups_are_out(self) -> bool:
        """False while there are only squads."""
        return any(one.line_up.starters for one in self.line_ups)

    @property
    def path(self) -> str:
        return f"/matches/{self.fixture.id}"

    @property
    def score(self) -> tuple[str, str]:
        home, away = self.fixture.goals
        return ("", "") if home is None or away is None else (str(home), str(away))

    @property
    def clips(self) -> list[tuple[GoalCard, ClipCard]]:
        return [(goal, clip) for goal in self.goals for clip in goal.clips]

    @property
    def announcement(self) -> str:
        """For screen readers, when the match changes."""
        home, away = self.score
        text = f"{self.fixture.home.name} {home}, {self.fixture.away.name} {away}."
        if self.goals:
            last = self.goals[-1]
            text += f" {last.minute} {last.scorer}: {last.state}."
        return text


@dataclass(frozen=True, slots=True)
class LeagueOfDay:
    name: str
    matches: tuple[MatchCard, ...]


@dataclass(frozen=True, slots=True)
class Matchday:
    day: date
    competitions: tuple[LeagueOfDay, ...]
    before: date | None
    after: date | None

    @property
    def matches(self) -> list[MatchCard]:
        return [match for one in self.competitions for match in one.matches]

    @property
    def playing(self) -> int:
        return sum(match.playing for match in self.matches)

    @property
    def goals(self) -> int:
        return sum(not goal.removed for match in self.matches for goal in match.goals)

    @property
    def clips(self) -> int:
        return sum(len(goal.clips) for match in self.matches for goal in match.goals)

    @property
    def latest_clips(self) -> list[tuple[MatchCard, GoalCard, ClipCard]]:
        """The best clip of each goal, the latest first."""
        best = [
            (match, goal, goal.clips[0])
            for match in self.matches
            for goal in match.goals
            if goal.clips and not goal.removed
        ]
        return sorted(best, key=lambda found: found[2].stored_at, reverse=True)[:LATEST_CLIPS]


@dataclass(frozen=True, slots=True)
class ClipWithNeighbours:
    """A clip on its page, with its neighbours in the match."""

    match: MatchCard
    goal: GoalCard
    clip: ClipCard
    before: ClipCard | None
    after: ClipCard | None


def line_up_cards(fixture: Fixture, rosters: MatchRosters) -> tuple[LineUpCard, ...]:
    """The home side first. Until a team names its players, its squad; none of a match that is over:
    a squad is that of today."""
    over = fixture.state is FixtureState.COMPLETED
    squads = () if over else (LineUp(team, tuple(all_)) for team, all_ in rosters.squads.items())
    named = (one for one in rosters.line_ups if one.players)
    listed = {one.team_id: one for one in (*squads, *named)}
    return tuple(
        LineUpCard(team.name, listed[team.id])
        for team in (fixture.home, fixture.away)
        if team.id in listed and listed[team.id].players
    )


def goal_card(goal: GoalEvent, fixture: Fixture, clips: Sequence[ClipCard]) -> GoalCard:
    score = goal.score_after
    return GoalCard(
        goal=goal,
        scorer=labels.scorer(goal),
        team=fixture.side_of(goal.team_id).name,
        minute=str(goal.minute),
        score=f"{score[0]}–{score[1]}" if score and goal.live else "",
        detail=labels.detail_label(goal),
        assist=goal.assist.name if goal.assist.known else None,
        state=labels.state_label(goal, len(clips)),
        explanation=labels.state_explanation(goal, len(clips)),
        tone="clips" if clips and goal.live else str(goal.state),
        clips=tuple(clips),
    )


def clip_card(document: Document, bucket: str) -> ClipCard:
    poster, thumbnail = poster_and_thumbnail_keys(document["key"])
    read = scorebug_row(document, bucket)
    return ClipCard(
        id=document["_id"],
        path=watch_path(document["public_key"]),
        video=public_path(bucket, document["public_key"]),
        poster=public_path(bucket, poster),
        thumbnail=public_path(bucket, thumbnail),
        rank=document["rank"] or 0,
        verified=bool(document["verified"]),
        verified_by=VerifiedBy(document["verified_by"]),
        scorebug=read["scorebug"] or "",
        scorebug_picture=read["scorebug_picture"] or "",
        clock_minutes=tuple(read["clock_minutes"]),
        discovered=len(document["popularity_by"]),
        popularity=document["popularity"],
        seconds=document["duration"],
        width=document["width"],
        height=document["height"],
        size=document["size"],
        site=SITE_NAMES.get(document["source"], str(document["source"])),
        post_url=safe_link(document["source_url"]),
        stored_at=document["stored_at"],
        run_id=document.get("run_id"),
        better_copies=len(document["replaced"]),
        renditions=tuple(
            VideoSource(public_path(bucket, one["key"]), rendition_type(one["codecs"]))
            for one in document["renditions"]
        ),
    )


def safe_link(url: str) -> str:
    """Posts come from strangers: only http and https addresses become links."""
    return url if url.startswith(("https://", "http://")) else ""
