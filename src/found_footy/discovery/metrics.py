"""Stage two's figures."""

from prometheus_client import Counter

SEARCHES = Counter("found_footy_searches_total", "Searches by how they ended.", ["state"])
VIDEOS_FOUND = Counter("found_footy_videos_found_total", "Videos that searches returned.")
REFUSED_IDS = Counter("found_footy_refused_tweet_ids_total", "Results dropped because their post id cannot be one.")
