"""The web app: the page, the JSON API, the live stream and the clip files. It reads only, except for manual clips."""
