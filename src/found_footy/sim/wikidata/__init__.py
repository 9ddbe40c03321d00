"""A simulated Wikidata: search, items and the query service, with their rules and their failures."""

from found_footy.sim.wikidata.items import Item, Statement
from found_footy.sim.wikidata.site import Breaks, WikidataSite

__all__ = ["Breaks", "Item", "Statement", "WikidataSite"]
