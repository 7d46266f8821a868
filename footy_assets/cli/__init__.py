"""`footy`: the one command."""

from footy_assets.cli.app import main

__all__ = ["main"]
