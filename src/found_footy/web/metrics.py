"""Metrics of the web process."""

from prometheus_client import Counter, Gauge, Histogram

REQUESTS = Counter("found_footy_web_requests_total", "Responses by route and status.", ["route", "method", "status"])
REQUEST_SECONDS = Histogram("found_footy_web_request_seconds", "Time until a response was complete.", ["route"])
RENDER_SECONDS = Histogram("found_footy_web_render_seconds", "Time to render a page for the page cache.")
CONNECTIONS = Gauge("found_footy_web_connections", "Open connections.")
CONNECTIONS_CLOSED = Counter(
    "found_footy_web_connections_closed_total", "Connections closed by the server, by reason.", ["cause"]
)
LIVE_CLIENTS = Gauge("found_footy_web_live_clients", "Open connections of the live stream.")
LIVE_MESSAGES = Counter("found_footy_web_live_messages_total", "Messages to the live stream.", ["kind"])
CHANGE_STREAM_BREAKS = Counter(
    "found_footy_web_change_stream_breaks_total", "Times the change stream was lost.", ["cause"]
)
MEDIA_BYTES = Counter("found_footy_web_media_bytes_total", "Bytes of clips and thumbnails served.")
