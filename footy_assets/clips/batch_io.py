"""Batches between the ops of `clips`, also in a re-execution from failure."""

import dagster as dg
from pydantic import PrivateAttr

from footy_assets.clips.batch import ClipBatch
from footy_assets.clips.resource import ClipWorkResource
from footy_assets.dagster_internals import run_of_input

# The op that needs no video.
SETTLE = "settle_videos"
STARTS_OVER = (
    "The failed run left no files behind (H8), so this run downloads and validates the videos "
    "again before it continues with %s."
)


class BatchIOManager(dg.ConfigurableIOManager):
    """A batch lives in one process, and its folder is removed when an op fails. A re-execution from
    failure begins another batch, with the videos that are left, and repeats the earlier steps."""

    clip_work: ClipWorkResource

    _batches: dict[tuple[str, ...], ClipBatch] = PrivateAttr(default_factory=dict)
    # The batch that a re-execution has begun, and whether its videos are loaded.
    _again: ClipBatch | None = PrivateAttr(default=None)

    def handle_output(self, context: dg.OutputContext, obj: ClipBatch) -> None:
        self._batches[tuple(context.get_identifier())] = obj

    def load_input(self, context: dg.InputContext) -> ClipBatch:
        upstream = context.upstream_output
        assert upstream is not None
        key = tuple(upstream.get_identifier())
        if key not in self._batches:
            is_part = context.op_def.name != SETTLE
            whole = self._batch_again(context, load=is_part)
            self._batches[key] = whole
            if upstream.op_def.name in self.clip_work.work.steps:
                with self.clip_work.work.cleaning_up_on_failure(whole):
                    self._batches[key] = self.clip_work.work.finish_one(
                        whole, context.log.info, until=upstream.op_def.name
                    )
        return self._batches[key]

    def _batch_again(self, context: dg.InputContext, *, load: bool) -> ClipBatch:
        """With its videos, or without for the end of a batch whose videos are all done."""
        work = self.clip_work.work
        if self._again is None:
            context.log.warning(STARTS_OVER, context.op_def.name)
            goal = work.documents.goals.require(context.partition_key)
            self._again = work.begin(goal, run_of_input(context).run_id)
            if load:
                with work.cleaning_up_on_failure(self._again):
                    work.load_videos(self._again, context.log.info)
        return self._again
