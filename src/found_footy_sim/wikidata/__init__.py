"""A simulated Wikidata: search, items and the query service, with their limits and failures."""

from found_footy_sim.wikidata.items import ItemStatement, WikidataItem
from found_footy_sim.wikidata.site import WikidataFault, WikidataSite

__all__ = ["ItemStatement", "WikidataFault", "WikidataItem", "WikidataSite"]
