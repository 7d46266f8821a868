"""Which clips of a goal are kept: duplicates, better copies, ranks, and where they lie.

Rules only: no network, no database, no clock of its own.
"""
