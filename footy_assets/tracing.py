"""Traces from the poll to the clip, across processes, with OpenTelemetry; off unless configured.

A goal that is first seen begins a trace, whose context is stored with it, and with its attempts,
videos and clips: each process continues it from there. Off, a span costs one look at `_tracer`.
"""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import structlog

log = structlog.get_logger()

ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
EXPORT_EVERY_MS, EXPORT_WITHIN_MS = 1_000, 5_000
FLUSH_WITHIN_MS = 2_000

_tracer: Any = None
_provider: Any = None
_OFF: AbstractContextManager[None] = nullcontext()


def start_tracing(service: str) -> None:
    """For a root. Does nothing without an endpoint, or when it was called before."""
    global _tracer, _provider
    if _tracer is not None or not os.environ.get(ENDPOINT):
        return
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        log.warning("no_traces", reason=f"{ENDPOINT} needs: pip install 'footy-assets[traces]'")
        return
    # OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES have the last word.
    resource = Resource.create({"service.name": os.environ.get("OTEL_SERVICE_NAME", service)})
    _provider = TracerProvider(resource=resource)
    _provider.add_span_processor(
        BatchSpanProcessor(
            OTLPSpanExporter(timeout=EXPORT_WITHIN_MS // 1_000),
            schedule_delay_millis=EXPORT_EVERY_MS,
            export_timeout_millis=EXPORT_WITHIN_MS,
        )
    )
    _tracer = _provider.get_tracer("footy_assets")


def stop_tracing() -> None:
    """Sends what is left."""
    global _tracer, _provider
    if _provider is not None:
        _provider.shutdown()
    _tracer = _provider = None


def flush_traces() -> None:
    """At the end of a run: its process may end without another chance."""
    if _provider is not None:
        _provider.force_flush(FLUSH_WITHIN_MS)


def span(
    name: str, parent: str | None = None, **attributes: str | int | bool
) -> AbstractContextManager[None]:
    """Around a piece of work. `parent` is a stored context; without one, the span is part of the
    span around it, or begins a trace."""
    return _OFF if _tracer is None else _record(name, parent, attributes)


def traceparent() -> str | None:
    """The context of the span around this, to be stored (W3C Trace Context)."""
    if _tracer is None:
        return None
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    carrier: dict[str, str] = {}
    TraceContextTextMapPropagator().inject(carrier)
    return carrier.get("traceparent")


@contextmanager
def _record(
    name: str, parent: str | None, attributes: dict[str, str | int | bool]
) -> Iterator[None]:
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    carrier = {"traceparent": parent}
    context = TraceContextTextMapPropagator().extract(carrier) if parent else None
    with _tracer.start_as_current_span(name, context=context, attributes=attributes):
        yield
