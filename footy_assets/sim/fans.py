"""What fans post on a simulated matchday: the catalogue's videos, and noise around them."""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread

from footy_assets.sim.footage import AiredGoal, FanVideo, Kind, Library, aired_goals, catalogue
from footy_assets.sim.social.media import Film, Refusal
from footy_assets.sim.social.posts import SimPost
from footy_assets.sim.world import World

REFUSALS: dict[Kind, Refusal] = {
    Kind.GEO_BLOCKED: "geo_blocked",
    Kind.REMOVED: "removed",
    Kind.PRIVATE: "private",
}
# One post in so many is made on Bluesky instead of X.
ON_BLUESKY_EVERY = 4
RENDERING_NICENESS = 15
CHEERS = ("GOAL!", "What a goal by", "GOOOAL", "Scenes!", "Again!")


class Fans:
    """Posts and their films for one world."""

    def __init__(self, world: World, folder: Path) -> None:
        self.videos = catalogue(world)
        self.library = Library(folder)
        self._by_id = {video.video_id: video for video in self.videos}
        aired = {goal.key: goal for goal in aired_goals(world)}
        self.goal_keys = tuple(aired)
        self._posts = _posts(world, self.videos, aired)

    def posts(self, now: datetime) -> list[SimPost]:
        return [post for post in self._posts if post.posted_at <= now]

    def film(self, film_id: str) -> Film | None:
        video = self._by_id.get(film_id)
        if video is None:
            return None
        if video.recipe is None:
            return Film(refusal=REFUSALS[video.kind])
        return Film(self.library.path(video))

    def shown_by(self) -> dict[str, FanVideo]:
        """The fan video behind each post, by the name that the pipeline gives the post's video."""
        return {
            f"{source}:{_post_id(source, post)}": self._by_id[post.video]
            for post in self._posts
            for source in post.sources
            if post.video in self._by_id
        }

    @contextmanager
    def rendering(self, processes: int = 2) -> Iterator["Rendering"]:
        """Meanwhile films are made in the order in which they are posted; one that is asked for
        sooner is made then."""
        wanted = [video for video in self.videos if video.recipe is not None]
        pool = ProcessPoolExecutor(processes, get_context("spawn"), _begin_worker)
        try:
            yield Rendering([pool.submit(self.library.path, video) for video in wanted])
        finally:
            pool.shutdown(cancel_futures=True)


def _begin_worker() -> None:
    """Yield to whoever waits for a film, and end with the parent even if that is killed."""
    os.nice(RENDERING_NICENESS)
    Thread(target=_end_with_the_parent, daemon=True).start()


def _end_with_the_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@dataclass(frozen=True)
class Rendering:
    """How far the films are."""

    films: Sequence[Future[Path]]

    def __str__(self) -> str:
        made = sum(film.done() for film in self.films)
        return f"{made} of {len(self.films)} films" if made < len(self.films) else ""


def _post_id(source: str, post: SimPost) -> str:
    """A Bluesky post is known by its author's account too."""
    return f"did:plc:{post.author}/{post.id}" if source == "bluesky" else post.id


def _posts(world: World, videos: Sequence[FanVideo], aired: dict[str, AiredGoal]) -> list[SimPost]:
    posts = [_post(world, video, aired, number) for number, video in enumerate(videos)]
    return sorted([*posts, *_noise(world, aired)], key=lambda post: post.posted_at)


def _post(world: World, video: FanVideo, aired: dict[str, AiredGoal], number: int) -> SimPost:
    goal = aired[video.goal_key].goal
    cheer = CHEERS[number % len(CHEERS)]
    minute = f"{goal.elapsed}{'+' + str(goal.extra) if goal.extra else ''}'"
    text = f"{cheer} {goal.player_name} {minute} {world.team_name(goal.team_id)}"
    on_bluesky = number % ON_BLUESKY_EVERY == ON_BLUESKY_EVERY - 1
    return SimPost(
        id=str(1_900_000_000_000_000_000 + number),
        text=text,
        author=f"fan{number % 97}",
        posted_at=video.posted_at,
        video=video.video_id,
        duration=video.duration or None,
        sources=frozenset({"bluesky" if on_bluesky else "x"}),
        likes=video.popularity,
        size=video.size if video.recipe else (1280, 720),
    )


def _noise(world: World, aired: dict[str, AiredGoal]) -> list[SimPost]:
    """Talk without a video, an advertisement, and a clip from last season."""
    noise = [
        SimPost(
            id="1800000000000000001",
            text="Watch every goal live. Ad",
            author="betting",
            posted_at=world.starts_at,
            video="advert",
            duration=30.0,
            is_ad=True,
        )
    ]
    for number, goal in enumerate(aired.values()):
        told = f"{goal.goal.player_name} for {world.team_name(goal.goal.team_id)}"
        noise.append(
            SimPost(
                id=str(1_850_000_000_000_000_000 + number),
                text=f"{told}, finally",
                author=f"talker{number}",
                posted_at=goal.goal.shown_at + timedelta(seconds=20),
            )
        )
    return noise
