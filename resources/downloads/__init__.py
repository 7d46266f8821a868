"""Video downloads with yt-dlp."""
