"""From a stable goal to posts: team aliases, queries, search attempts, and which posts to take."""
