"""Who posts which video where: fan videos on every site, as each words them, and noise."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from footy_assets.sim.footage import AiredGoal, ExpectedOutcome, FanVideo, Kind
from footy_assets.sim.social.posts import SimPost
from footy_assets.sim.social.soccer_titles import TitledGoal, goal_title, other_titles
from footy_assets.sim.social.telegram_server import numbered_messages
from footy_assets.sim.world import World

X, BLUESKY, REDDIT, TELEGRAM = "x", "bluesky", "reddit", "telegram"
# Public ones, that post goals.
CHANNELS = ("goalsnow", "matchclips")
OF_A_GOAL = (ExpectedOutcome.RIGHT, ExpectedOutcome.DUPLICATE)
STATED = (Kind.TOO_SHORT, Kind.TOO_LONG, Kind.TOO_SMALL, Kind.PORTRAIT)
CHEERS = ("GOAL!", "What a goal by", "GOOOAL", "Scenes!", "Again!")
# Matches of leagues that nobody here follows.
ELSEWHERE = (("Boca Juniors", "River Plate"), ("Celtic", "Rangers"), ("Flamengo", "Santos"))


def fan_posts(
    world: World, videos: Sequence[FanVideo], aired: Mapping[str, AiredGoal], sites: Sequence[str]
) -> list[SimPost]:
    """All posts, by time."""
    placed = _placed(videos, list(aired), sites)
    posts = [
        _post(world, video, aired[video.goal_key], number, site)
        for number, (video, site) in enumerate(placed)
    ]
    noise = [post for post in _noise(world, aired) if not post.sites.isdisjoint(sites)]
    return sorted([*posts, *noise], key=lambda post: post.posted_at)


def pipeline_ids(posts: Sequence[SimPost]) -> Iterator[tuple[str, SimPost]]:
    """What the pipeline calls the video of each post, on each of its sites."""
    messages = _message_ids(posts)
    for post in posts:
        ids = {
            BLUESKY: f"did:plc:{post.author}/{post.id}",
            REDDIT: f"t3_{post.id}",
            TELEGRAM: messages.get(post.id, ""),
        }
        for site in post.sites:
            yield f"{site}:{ids.get(site, post.id)}", post


def _message_ids(posts: Sequence[SimPost]) -> dict[str, str]:
    """Of Telegram's messages, by the ids of their posts."""
    of_telegram = [post for post in posts if TELEGRAM in post.sites]
    return {
        post.id: f"{channel}/{number}"
        for channel in CHANNELS
        for number, post in numbered_messages(of_telegram, channel)
    }


def _placed(
    videos: Sequence[FanVideo], goal_keys: Sequence[str], sites: Sequence[str]
) -> Iterator[tuple[FanVideo, str]]:
    """Each video with its site. The right ones of a goal are on different sites, and each goal
    begins with another one; so do those that should be refused. Every other one whose length or
    picture X would state is there."""
    seen: Counter[tuple[str, bool]] = Counter()
    stated = 0
    for video in videos:
        kind = video.goal_key, video.expected in OF_A_GOAL
        number = goal_keys.index(video.goal_key)
        site = sites[(number + number // len(sites) + seen[kind]) % len(sites)]
        seen[kind] += 1
        if video.kind in STATED:
            stated += 1
            site = X if X in sites and stated % 2 else site
        yield video, site


def _post(world: World, video: FanVideo, aired: AiredGoal, number: int, site: str) -> SimPost:
    post = SimPost(
        id=str(1_900_000_000_000_000_000 + number),
        text=_cheer(world, aired, number),
        author=f"fan{number % 97}",
        posted_at=video.posted_at,
        video=video.video_id,
        duration=video.duration or None,
        sites=frozenset({site}),
        likes=video.popularity,
        size=video.size if video.recipe else (1280, 720),
    )
    if site == REDDIT:
        return replace(post, id=f"1k{number:04x}", text=goal_title(_titled(world, aired), number))
    if site == TELEGRAM:
        return replace(post, author=CHANNELS[number % len(CHANNELS)])
    return post


def _cheer(world: World, aired: AiredGoal, number: int) -> str:
    goal, cheer = aired.goal, CHEERS[number % len(CHEERS)]
    return f"{cheer} {goal.player_name} {_minute(aired)}' {world.team_name(goal.team_id)}"


def _titled(world: World, aired: AiredGoal) -> TitledGoal:
    script, film = world.by_id[aired.goal.fixture_id], aired.film
    scorer = aired.goal.player_name or "not yet named"
    return TitledGoal(
        script.home.name, script.away.name, film.score, film.home_scores, scorer, _minute(aired)
    )


def _minute(aired: AiredGoal) -> str:
    goal = aired.goal
    return f"{goal.elapsed}+{goal.extra}" if goal.extra else str(goal.elapsed)


def _noise(world: World, aired: Mapping[str, AiredGoal]) -> Iterator[SimPost]:
    """An advertisement, and around each goal: talk without a video, a film of something else, and
    on r/soccer other titles and a goal of another match."""
    yield SimPost(
        id="1800000000000000001",
        text="Watch every goal live. Ad",
        author="betting",
        posted_at=world.starts_at,
        video="advert",
        duration=30.0,
        is_ad=True,
    )
    for channel in CHANNELS:
        yield SimPost(
            id=f"welcome-{channel}",
            text="Every goal, every night",
            author=channel,
            posted_at=world.starts_at - timedelta(days=1),
            sites=frozenset({TELEGRAM}),
        )
    for number, goal in enumerate(aired.values()):
        team, titled = world.team_name(goal.goal.team_id), _titled(world, goal)
        talk = SimPost(
            id=str(1_850_000_000_000_000_000 + number),
            text=f"{goal.goal.player_name} for {team}, finally",
            author=f"talker{number}",
            posted_at=goal.goal.shown_at + timedelta(seconds=20),
            sites=frozenset({X, BLUESKY}),
        )
        yield talk
        yield replace(
            talk,
            id=f"{talk.id}9",
            text="My cat, for those who need it now",
            video="cat",
            sites=frozenset({BLUESKY}),
        )
        others = other_titles(titled)
        home, away = ELSEWHERE[number % len(ELSEWHERE)]
        elsewhere = replace(titled, home=home, away=away, scorer="Somebody Else")
        for place, text in enumerate((others[number % len(others)], goal_title(elsewhere, number))):
            yield replace(
                talk,
                id=f"1j{number:03x}{place}",
                text=text,
                video="elsewhere" if place or number % 2 else None,
                sites=frozenset({REDDIT}),
            )
