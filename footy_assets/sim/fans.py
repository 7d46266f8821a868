"""The posts of a simulated matchday: the catalogue's videos, and noise around them."""

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
# Every so many posts one is on Bluesky instead of X.
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

    def videos_by_post(self) -> dict[str, FanVideo]:
        """The fan video of each post, by the pipeline's id of the post's video."""
        return {
            f"{site}:{_post_id(site, post)}": self._by_id[post.video]
            for post in self._posts
            for site in post.sites
            if post.video in self._by_id
        }

    @contextmanager
    def rendering(self, processes: int = 2) -> Iterator["Rendering"]:
        """Renders films in the background, in posting order; one that is requested sooner is
        rendered then."""
        wanted = [video for video in self.videos if video.recipe is not None]
        pool = ProcessPoolExecutor(processes, get_context("spawn"), _start_worker)
        try:
            yield Rendering([pool.submit(self.library.path, video) for video in wanted])
        finally:
            pool.shutdown(cancel_futures=True)


def _start_worker() -> None:
    """Run at low priority, and exit with the parent process even if that is killed."""
    os.nice(RENDERING_NICENESS)
    Thread(target=_exit_with_parent, daemon=True).start()


def _exit_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@dataclass(frozen=True)
class Rendering:
    """The progress of rendering."""

    films: Sequence[Future[Path]]

    def __str__(self) -> str:
        made = sum(film.done() for film in self.films)
        return f"{made} of {len(self.films)} films" if made < len(self.films) else ""


def _post_id(site: str, post: SimPost) -> str:
    """The id of a Bluesky post includes its author's account."""
    return f"did:plc:{post.author}/{post.id}" if site == "bluesky" else post.id


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
        sites=frozenset({"bluesky" if on_bluesky else "x"}),
        likes=video.popularity,
        size=video.size if video.recipe else (1280, 720),
    )


def _noise(world: World, aired: dict[str, AiredGoal]) -> list[SimPost]:
    """Posts without a video, and an advertisement."""
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
        summary = f"{goal.goal.player_name} for {world.team_name(goal.goal.team_id)}"
        noise.append(
            SimPost(
                id=str(1_850_000_000_000_000_000 + number),
                text=f"{summary}, finally",
                author=f"talker{number}",
                posted_at=goal.goal.shown_at + timedelta(seconds=20),
            )
        )
    return noise
