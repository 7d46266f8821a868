"""A place where fans post: an X-like site and a Bluesky-compatible one over the same posts."""

from footy_assets.sim.social.media import Film, Films
from footy_assets.sim.social.mood import Mood
from footy_assets.sim.social.posts import SimPost
from footy_assets.sim.social.server import SocialServer

__all__ = ["Film", "Films", "Mood", "SimPost", "SocialServer"]
