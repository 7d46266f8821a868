"""T12: the delivery state of a notification."""

from enum import StrEnum


class NotificationState(StrEnum):
    PENDING = "pending"
    DELIVERED = "delivered"
    # A dead letter: every attempt failed.
    DEAD = "dead"
    # Its subscriber has unsubscribed.
    DROPPED = "dropped"
