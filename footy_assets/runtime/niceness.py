"""Runs yield to sensors, servers and the web app."""

RUN_WORKER_NICENESS = 10
