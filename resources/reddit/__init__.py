"""r/soccer: its Atom feed, whose posts link to clips."""
