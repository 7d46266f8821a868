"""Batches between the ops of `clips`, also in a re-execution from failure."""

import dagster as dg
from pydantic import PrivateAttr

from footy_assets.clips.batch import ClipBatch
from footy_assets.clips.resource import ClipWorkResource
from footy_assets.clips.work import ClipWork
from footy_assets.dagster_internals import run_of_input
from footy_assets.logs import LogSink

STARTS_OVER = (
    "The failed run left no files behind (H8), so this run downloads and validates the videos "
    "again before it continues with %s."
)


class BatchIOManager(dg.ConfigurableIOManager):
    """A batch lives in one process, and its folder is removed when an op fails. A re-execution from
    failure repeats the earlier steps."""

    clip_work: ClipWorkResource

    _batches: dict[tuple[str, ...], ClipBatch] = PrivateAttr(default_factory=dict)

    def handle_output(self, context: dg.OutputContext, obj: ClipBatch) -> None:
        self._batches[tuple(context.get_identifier())] = obj

    def load_input(self, context: dg.InputContext) -> ClipBatch:
        upstream = context.upstream_output
        assert upstream is not None
        key = tuple(upstream.get_identifier())
        if key not in self._batches:
            context.log.warning(STARTS_OVER, context.op_def.name)
            run_id = run_of_input(context).run_id
            self._batches[key] = batch_after(
                upstream.op_def.name,
                self.clip_work.work,
                context.partition_key,
                run_id,
                context.log.info,
            )
        return self._batches[key]


def batch_after(op: str, work: ClipWork, event_id: str, run_id: str, sink: LogSink) -> ClipBatch:
    """A goal's batch, with the steps repeated up to this op of `clips`."""
    batch = work.begin(work.documents.goals.require(event_id), run_id)
    with work.cleaning_up_on_failure(batch):
        for name, step in work.steps(sink).items():
            step(batch)
            if name == op:
                return batch
    raise ValueError(f"{op} makes no batch")
