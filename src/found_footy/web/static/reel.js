// The reel: when a clip ends the next one plays; keys, buttons and a swipe go there at once.

import { listen } from "./player.js";

const SWIPE_PX = 60;
const byId = (id) => document.getElementById(id);
const listItems = () => [...document.querySelectorAll("[data-item]")];
const stays = "stays" in (byId("reel")?.dataset ?? {}); // a part of a page, which keeps its address
let items = listItems();
let here = items.findIndex((item) => item.hasAttribute("aria-current"));
let touched = null;
let arrived = null; // the newest goal, if it came after the page was opened and was not shown yet

function link(id, item) {
  const target = byId(id);
  if (item ?? items[here]) target.href = (item ?? items[here]).href;
  if (item) target.removeAttribute("aria-disabled");
  else target.setAttribute("aria-disabled", "true");
}

function show(place) {
  const item = items[place];
  if (!item || place === here) return;
  if (item.dataset.goal === arrived) announce(null);
  items[here]?.removeAttribute("aria-current");
  here = place;
  item.setAttribute("aria-current", "true");
  item.scrollIntoView({ block: "nearest" });
  const video = byId("video");
  const player = video.closest("[data-player]");
  player.dataset.src = item.dataset.src;
  player.dataset.state = "playing";
  player.querySelector(".trouble").hidden = true;
  video.replaceChildren();
  video.poster = item.dataset.poster ?? "";
  video.src = item.dataset.src;
  video.play().catch(() => {}); // a browser that forbids it shows its own button
  byId("reel-minute").textContent = item.dataset.minute || "–";
  byId("reel-player").textContent = item.dataset.playerName;
  byId("reel-where").textContent = item.dataset.where;
  byId("reel-goal").href = `/goals/${item.dataset.goal}`;
  link("reel-before", items[here - 1]);
  link("reel-after", items[here + 1]);
  // On a page of its own the address names the goal that is shown.
  if (!stays) history.replaceState(null, "", item.href);
}

function announce(item) {
  arrived = item?.dataset.goal ?? null;
  const button = byId("reel-news");
  if (!button) return;
  button.hidden = item === null;
  button.textContent = item ? `New: ${item.dataset.minute} ${item.dataset.playerName}` : "";
}

// A clip has arrived: the list is another one, and what plays goes on.
export function renewItems(fresh) {
  const shown = items[here]?.dataset.goal;
  const newest = items[0]?.dataset.goal;
  const list = byId("newest");
  list.replaceChildren(...[...fresh.children].map((item) => document.importNode(item, true)));
  items = listItems();
  here = items.findIndex((item) => item.dataset.goal === shown);
  for (const [place, item] of items.entries()) {
    if (place === here) item.setAttribute("aria-current", "true");
    else item.removeAttribute("aria-current");
  }
  link("reel-before", items[here - 1]);
  link("reel-after", items[here + 1]);
  if (items[0] && items[0].dataset.goal !== newest && here !== 0) announce(items[0]);
}

function onClick(event) {
  if (event.metaKey || event.ctrlKey || event.shiftKey) return;
  const item = event.target.closest("[data-item]");
  const step = event.target.closest("#reel-after") ? 1 : event.target.closest("#reel-before") ? -1 : 0;
  const toNews = event.target.closest("#reel-news");
  if (!item && !step && !toNews) return;
  event.preventDefault();
  show(toNews ? 0 : item ? Number(item.dataset.item) : here + step);
}

if (items.length) {
  const stage = document.querySelector(".stage");
  listen();
  // Nothing plays by itself for those who asked for calm, or behind hidden scores.
  const isHidden = stays && document.documentElement.dataset.spoilers === "hidden";
  if (isHidden || matchMedia("(prefers-reduced-motion: reduce)").matches) {
    byId("video").autoplay = false;
    byId("video").pause();
  }
  document.addEventListener("click", onClick);
  byId("video").addEventListener("ended", () => show(arrived ? 0 : here + 1));
  stage.addEventListener("touchstart", (event) => { touched = event.changedTouches[0]; }, { passive: true });
  stage.addEventListener("touchend", (event) => {
    const end = event.changedTouches[0];
    const across = end.clientX - touched.clientX;
    if (Math.abs(across) > SWIPE_PX && Math.abs(across) > 2 * Math.abs(end.clientY - touched.clientY)) show(here + (across < 0 ? 1 : -1));
  }, { passive: true });
}
