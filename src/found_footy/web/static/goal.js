// The page of a goal: the clip plays at once, and what is found later settles into the page without stopping it.

import { become } from "./morph.js";
import { listen, renew } from "./player.js";
import { LIST_SPREAD_MS, MATCH_SPREAD_MS, follow, piece, schedule, useLocalTime } from "./live.js";

const here = () => document.getElementById("goal-page");

async function refresh() {
  const fresh = await piece(location.pathname + location.search, "#goal-page", here().dataset.cursor);
  become(here(), fresh, (kind, node, wanted) => kind === "player" && renew(node, wanted));
  offerSharing();
}

function offerSharing() {
  const button = document.getElementById("share");
  if (button && (navigator.share || navigator.clipboard)) button.hidden = false;
}

async function share(button) {
  const { share: url, title } = button.dataset;
  try {
    if (navigator.share) await navigator.share({ title, url });
    else {
      await navigator.clipboard.writeText(url);
      button.textContent = "Link copied";
    }
  } catch (error) {
    if (error.name !== "AbortError") button.textContent = url; // it can be copied by hand
  }
}

document.addEventListener("click", (event) => {
  const button = event.target.closest?.("#share");
  if (button) share(button);
});
if (matchMedia("(prefers-reduced-motion: reduce)").matches) document.getElementById("video")?.pause();
listen();
offerSharing();
follow({
  root: here,
  onMatch: (id) => String(id) === here().dataset.fixture && schedule("goal", refresh, MATCH_SPREAD_MS),
  onReload: () => schedule("goal", refresh, LIST_SPREAD_MS),
});
useLocalTime(here().dataset.zone, refresh);
