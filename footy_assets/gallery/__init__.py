"""The web app: pages for people, an API for programs, and a live feed for both."""
