"""Plots the time from each goal to its first clip, as SVG."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from footy_assets.clips.store.figures import Latency
from footy_assets.gallery import labels

WIDTH, HEIGHT = 960, 300
LEFT, RIGHT, TOP, BOTTOM = 96, 14, 16, 42
STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 240, 480, 1440)
LINES = 5


@dataclass(frozen=True, slots=True)
class _Scale:
    start: float
    end: float
    top_minutes: float

    def x(self, at: float) -> float:
        span = self.end - self.start
        share = (at - self.start) / span if span else 0.5
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def y(self, minutes: float) -> float:
        return HEIGHT - BOTTOM - minutes / self.top_minutes * (HEIGHT - TOP - BOTTOM)


def draw(latencies: Sequence[Latency]) -> Markup:
    """A dot for each goal: when it was seen, and the minutes until its first clip."""
    minutes = [max(0.0, one.took.total_seconds() / 60) for one in latencies]
    times = [one.goal_at.timestamp() for one in latencies]
    step = next((s for s in STEPS if s * LINES >= max(minutes)), max(minutes) / LINES)
    top = step * max(1, -(-max(minutes) // step))
    scale = _Scale(min(times), max(times), top)
    parts = [
        f'<svg class="plot" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="Minutes from goal to first clip for {len(latencies)} goals">'
    ]
    for line in range(round(top / step) + 1):
        y = scale.y(line * step)
        parts.append(
            f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        )
        parts.append(_text(LEFT - 8, y, "end", f"{line * step:g} min"))
    for x, anchor, one in ((LEFT, "start", latencies[0]), (WIDTH - RIGHT, "end", latencies[-1])):
        parts.append(_text(x, HEIGHT - 10, anchor, f"{one.goal_at:%d %b %H:%M}"))
    for one, at, took in zip(latencies, times, minutes, strict=True):
        title = escape(f"{one.event_id}: {labels.format_duration(one.took)}")
        parts.append(
            f'<circle cx="{scale.x(at):.1f}" cy="{scale.y(took):.1f}" r="5">'
            f"<title>{title}</title></circle>"
        )
    parts.append("</svg>")
    return Markup("".join(parts))


def _text(x: float, y: float, anchor: str, text: str) -> str:
    return (
        f'<text x="{x}" y="{y:.1f}" text-anchor="{anchor}" dominant-baseline="middle">{text}</text>'
    )
