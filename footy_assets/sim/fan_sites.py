"""Every simulated site on loopback, with the posts and films of the same fans."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from footy_assets.clock import Clock
from footy_assets.sim.fan_posts import BLUESKY, REDDIT, TELEGRAM, X
from footy_assets.sim.fans import Fans
from footy_assets.sim.social.clocked_stream import ClockedStream
from footy_assets.sim.social.jetstream import JetstreamServer
from footy_assets.sim.social.server import SocialServer
from footy_assets.sim.social.soccer_server import SoccerServer
from footy_assets.sim.social.telegram_server import TelegramServer

SITES = (X, BLUESKY, REDDIT, TELEGRAM)


@dataclass(frozen=True)
class FanSites:
    """`social` is X, and serves the videos of Bluesky, whose posts are in `stream`; `soccer` is
    r/soccer, and the hosts of clips that it links to; `telegram` has the previews of channels."""

    social: SocialServer
    stream: JetstreamServer
    soccer: SoccerServer
    telegram: TelegramServer


@contextmanager
def open_fan_sites(fans: Fans, clock: Clock, begins_at: datetime) -> Iterator[FanSites]:
    """`begins_at` is when Bluesky's stream begins."""
    posts, film = fans.posts, fans.film
    with (
        SocialServer(posts, clock, films=film) as social,
        JetstreamServer(ClockedStream(posts, clock, begins_at)) as stream,
        SoccerServer(posts, clock, films=film) as soccer,
        TelegramServer(posts, clock, films=film) as telegram,
    ):
        yield FanSites(social, stream, soccer, telegram)
