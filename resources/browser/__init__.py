"""Chromium: where its binary is, how it is started, kept going and ended."""
