"""ESPN's site API: scoreboards, summaries and rosters. Undocumented and unofficial; no key."""
