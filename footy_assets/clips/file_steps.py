"""What is done with one downloaded file: it is judged, and an MP4 is made of it (D4, D6)."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from footy_assets.clip_limits import ClipRules
from footy_assets.clips.batch import StoredFile, StoredRendition, failure_text, is_own_outage
from footy_assets.clips.rules.rendition import is_better_rendition
from footy_assets.errors import Stalled, is_retryable
from footy_assets.media import UnreadableReason, VideoUnreadable
from footy_assets.media.examine import Examination, Examiner
from footy_assets.media.goal_facts import GoalFacts
from footy_assets.media.playable import PlayableMaker, PlayableMethod
from footy_assets.progress import Watchdog, heartbeat
from footy_assets.retries import RETRIES

# P3, P4: a vision model may take 90 s to answer, so this step may be silent for longer than others.
EXAMINE_SILENCE = (RETRIES["validation"].timeout or 0.0) + 10.0

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class FileSteps:
    examiner: Examiner
    playable: PlayableMaker
    rules: ClipRules
    new_watchdog: Callable[[], Watchdog]

    def examine(self, facts: GoalFacts, path: Path) -> Examination | VideoUnreadable | Stalled:
        """P3: a vision model may be silent for longer than others."""
        return self._watch(
            "validation",
            path,
            lambda: self.examiner.examine(path, facts),
            EXAMINE_SILENCE,
        )

    def make_playable(self, path: Path) -> StoredFile | VideoUnreadable | Stalled:
        """D4: beside the file, in its batch's folder."""
        output = path.with_suffix(".playable.mp4")
        made = self._watch(
            "making an MP4",
            path,
            lambda: StoredFile.of(self.playable.make_playable(path, output, lambda _: heartbeat())),
        )
        if isinstance(made, StoredFile) and made.method is PlayableMethod.TRANSCODED:
            return replace(made, renditions=self._make_renditions(path, made))
        return made

    def _make_renditions(self, path: Path, made: StoredFile) -> tuple[StoredRendition, ...]:
        """D6: the original pictures, where they are better. A clip does without where there is no
        MP4 of them."""
        output = path.with_suffix(".original.mp4")
        original = self._watch(
            "keeping the original",
            path,
            lambda: StoredRendition.of(
                self.playable.make_rendition(path, output, lambda _: heartbeat())
            ),
        )
        if not isinstance(original, StoredRendition):
            return ()
        is_better = is_better_rendition(original.probe, made.probe, self.rules.max_size)
        return (original,) if is_better else ()

    def _watch(
        self, name: str, path: Path, step: Callable[[], T], silence: float = 0.0
    ) -> T | VideoUnreadable | Stalled:
        """P3: stopped for lack of progress, not for being slow.

        Whatever else is raised refuses this file and no other, except an outage of our own stores.
        """
        watchdog = self.new_watchdog()
        watchdog.silence = max(watchdog.silence, silence)
        try:
            return watchdog.run(name, step)
        except (VideoUnreadable, Stalled) as failure:
            return failure
        except Exception as error:
            if is_own_outage(error):
                raise
            if is_retryable(error):
                return Stalled(f"{name}: {error}")
            return VideoUnreadable(path, UnreadableReason.FAILED, failure_text(error))
