"""From a football feed to stable goals and their clips, as Dagster assets."""

__version__ = "0.1.0"
