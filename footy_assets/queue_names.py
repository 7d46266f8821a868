"""The queues of the broker: where a run waits for a worker, if there is a broker."""

CLIPS_QUEUE = "footy-clips"
BROWSER_QUEUE = "footy-browser"
QUEUES = (CLIPS_QUEUE, BROWSER_QUEUE)


def presence_queue(worker: str) -> str:
    """A queue that nothing is sent to: a worker takes from it as long as it is connected."""
    return f"footy-worker-{worker}"
