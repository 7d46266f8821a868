"""One Dagster run of searching, as a process of its own: `sweep`, or one attempt for a goal.

Prints the CPU seconds it had used when its code was loaded: a forked worker has that for nothing.
"""

import sys
import time

import dagster as dg

from footy_assets.definitions import defs
from footy_assets.matchday.partitions import goals
from footy_assets.search.assets import discovered_videos, search_job


def main(event_id: str | None) -> int:
    loaded = time.process_time()
    resources = defs().resources or {}
    with dg.DagsterInstance.get() as instance:
        if event_id is None:
            done = search_job.execute_in_process(instance=instance, resources=resources)
        else:
            instance.add_dynamic_partitions(goals.name or "goals", [event_id])
            done = dg.materialize(
                [discovered_videos],
                partition_key=event_id,
                instance=instance,
                resources=resources,
            )
    sys.stdout.write(f"{loaded}\n")
    return 0 if done.success else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1] if len(sys.argv) > 1 else None))
