"""One Dagster run of searching in its own process: a sweep, or one attempt for one goal.

Prints the CPU seconds that loading its code took, which a forked worker does not spend.
"""

import sys
import time

import dagster as dg

from footy_assets.definitions import defs
from footy_assets.matchday.partitions import goals
from footy_assets.search.assets import discovered_videos
from footy_assets.search.jobs import search_job


def main(event_id: str | None) -> int:
    loaded = time.process_time()
    resources = defs().resources or {}
    with dg.DagsterInstance.get() as instance:
        if event_id is None:
            result = search_job.execute_in_process(instance=instance, resources=resources)
        else:
            instance.add_dynamic_partitions(goals.name or "goals", [event_id])
            result = dg.materialize(
                [discovered_videos],
                partition_key=event_id,
                instance=instance,
                resources=resources,
            )
    sys.stdout.write(f"{loaded}\n")
    return 0 if result.success else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1] if len(sys.argv) > 1 else None))
