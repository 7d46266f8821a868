"""The broker between `footy up` and `footy worker`: how long its queues are."""
