"""The queues of the broker: where a run waits for a worker, if there is a broker."""

CLIPS_QUEUE = "footy-clips"
BROWSER_QUEUE = "footy-browser"
QUEUES = (CLIPS_QUEUE, BROWSER_QUEUE)
