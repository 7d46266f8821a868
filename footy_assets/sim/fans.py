"""The fans of a simulated matchday: what they post, and the films of their videos."""

import os
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread

from footy_assets.sim.fan_posts import BLUESKY, OF_A_GOAL, X, fan_posts, pipeline_ids
from footy_assets.sim.footage import FanVideo, Kind, Library, aired_goals, catalogue
from footy_assets.sim.social.media import Film, Refusal
from footy_assets.sim.social.posts import SimPost
from footy_assets.sim.world import World

REFUSALS: dict[Kind, Refusal] = {
    Kind.GEO_BLOCKED: "geo_blocked",
    Kind.REMOVED: "removed",
    Kind.PRIVATE: "private",
}
RENDERING_NICENESS = 15


class Fans:
    """Posts on some sites, and their films, for one world."""

    def __init__(self, world: World, folder: Path, sites: Sequence[str] = (X, BLUESKY)) -> None:
        self.videos = catalogue(world)
        self.library = Library(folder)
        self._by_id = {video.video_id: video for video in self.videos}
        aired = {goal.key: goal for goal in aired_goals(world)}
        self.goal_keys = tuple(aired)
        self._posts = fan_posts(world, self.videos, aired, sites)

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
            video_id: self._by_id[post.video]
            for video_id, post in pipeline_ids(self._posts)
            if post.video in self._by_id
        }

    def sites_with_clips(self, goal_keys: Collection[str]) -> set[str]:
        """The sites where somebody posted a right video of one of these goals."""
        return {
            video_id.partition(":")[0]
            for video_id, video in self.videos_by_post().items()
            if video.shows in goal_keys and video.expected in OF_A_GOAL
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
