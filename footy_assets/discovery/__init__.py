"""Finding what fans post about a goal: aliases, queries, attempts, and which posts to take.

Rules only: no network, no database, no clock of its own.
"""
