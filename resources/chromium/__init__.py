"""A Chromium that is driven: how it is started, kept going, and ended for good."""
