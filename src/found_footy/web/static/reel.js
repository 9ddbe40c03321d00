// The reel: when a clip ends the next one plays; keys, buttons and a swipe go there at once.

import { listen } from "./player.js";

const SWIPE_PX = 60;
const byId = (id) => document.getElementById(id);
const items = [...document.querySelectorAll("[data-item]")];
let here = items.findIndex((item) => item.hasAttribute("aria-current"));
let touched = null;

function link(id, item) {
  const target = byId(id);
  target.href = (item ?? items[here]).href;
  if (item) target.removeAttribute("aria-disabled");
  else target.setAttribute("aria-disabled", "true");
}

function show(place) {
  const item = items[place];
  if (!item || place === here) return;
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
  if (!("stays" in byId("reel").dataset)) history.replaceState(null, "", item.href);
}

function onClick(event) {
  if (event.metaKey || event.ctrlKey || event.shiftKey) return;
  const item = event.target.closest("[data-item]");
  const step = event.target.closest("#reel-after") ? 1 : event.target.closest("#reel-before") ? -1 : 0;
  if (!item && !step) return;
  event.preventDefault();
  show(item ? Number(item.dataset.item) : here + step);
}

if (items.length) {
  const stage = document.querySelector(".stage");
  listen();
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) byId("video").pause();
  document.addEventListener("click", onClick);
  byId("video").addEventListener("ended", () => show(here + 1));
  stage.addEventListener("touchstart", (event) => { touched = event.changedTouches[0]; }, { passive: true });
  stage.addEventListener("touchend", (event) => {
    const end = event.changedTouches[0];
    const across = end.clientX - touched.clientX;
    if (Math.abs(across) > SWIPE_PX && Math.abs(across) > 2 * Math.abs(end.clientY - touched.clientY)) show(here + (across < 0 ? 1 : -1));
  }, { passive: true });
}
