"""A place where fans post: an X-like site and a Bluesky-compatible one over the same posts."""

from footy_assets.sim.social.faults import SiteFaults
from footy_assets.sim.social.media import Film, Films
from footy_assets.sim.social.posts import SimPost
from footy_assets.sim.social.server import SocialServer

__all__ = ["Film", "Films", "SimPost", "SiteFaults", "SocialServer"]
