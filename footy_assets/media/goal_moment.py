"""Where in a clip the goal is, as far as the director's cuts say."""

import numpy as np

from footy_assets.media.decode import SAMPLES_PER_SECOND, Gray
from footy_assets.media.motion import cuts_in

# The main camera stays on the goal for about this long before the first reaction is shown.
SECONDS_BEFORE_CUT = 1.0
# A shorter first shot is an opening card or the end of what was before.
FIRST_SHOT_SECONDS = 2.0
# Later than this part of a clip, the first cut says nothing about its goal.
LATEST_PART = 0.8


def goal_moment(samples: Gray) -> float | None:
    """The seconds of the goal: just before the first cut that ends a longer shot, since a director
    leaves the main camera when the ball is in. None without such a cut."""
    shot_start = 0
    for cut in (int(at) + 1 for at in np.flatnonzero(cuts_in(samples))):
        if (cut - shot_start) / SAMPLES_PER_SECOND >= FIRST_SHOT_SECONDS:
            if cut > LATEST_PART * len(samples):
                return None
            return cut / SAMPLES_PER_SECOND - SECONDS_BEFORE_CUT
        shot_start = cut
    return None
