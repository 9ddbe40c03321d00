// The match day follows the server: an event names a match, its fresh piece is fetched and settled into place.

import { become } from "./morph.js";
import { listen, prepare, renew } from "./player.js";
import { LIST_SPREAD_MS, MATCH_SPREAD_MS, follow, piece, schedule, useLocalTime } from "./live.js";
import { renewItems } from "./reel.js";
import { markNews } from "./visits.js";

const list = () => document.getElementById("matches");

function onChange(kind, node, fresh) {
  if (kind === "player") renew(node, fresh);
  else if (kind === "news" && document.documentElement.dataset.spoilers !== "hidden") document.getElementById("news").textContent = `Goal: ${fresh.dataset.news}`;
}

const listWatchable = () => [...document.querySelectorAll('#matches .goal[data-status="watchable"]')].map((goal) => goal.id);

function settle(place, fresh) {
  const before = new Set(listWatchable());
  become(place, fresh, onChange);
  prepare(place);
  markNews();
  // The home page also plays the newest goals: one that has a clip now belongs to them.
  const hasArrival = listWatchable().some((id) => !before.has(id));
  if (hasArrival && document.getElementById("newest")) schedule("newest", refreshNewest);
}

async function refreshNewest() {
  renewItems(await piece("/fragments/newest", "#newest", list().dataset.cursor));
}

async function refreshAll() {
  settle(list(), await piece(list().dataset.fragment, "#matches", list().dataset.cursor));
}

async function refreshMatch(id) {
  const here = document.getElementById(`match-${id}`);
  if (!here) return schedule("all", refreshAll, LIST_SPREAD_MS); // it may be on another page
  const fresh = await piece(`/fragments/match/${id}`, "article", list().dataset.cursor).catch((error) => {
    if (error.status === 404) return null;
    throw error;
  });
  // A match that began, ended or went away stands in another place of the list.
  if (!fresh || fresh.dataset.section !== here.dataset.section) return refreshAll();
  settle(here, fresh);
}

listen();
prepare(document);
markNews();
follow({
  root: list,
  onMatch: (id) => schedule(`match-${id}`, () => refreshMatch(id), MATCH_SPREAD_MS),
  onReload: () => schedule("all", refreshAll, LIST_SPREAD_MS),
});
useLocalTime(list().dataset.zone, refreshAll);
