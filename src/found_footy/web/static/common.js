// What every page has: theme, spoiler-free mode, keyboard shortcuts, previews of clips, the installed app.

import { read, write } from "./storage.js";

const root = document.documentElement;
const byId = (id) => document.getElementById(id);

function isDark() {
  return root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function changeTheme() {
  root.dataset.theme = isDark() ? "light" : "dark";
  write("theme", root.dataset.theme);
}

function showSpoilerState() {
  const hidden = root.dataset.spoilers === "hidden";
  const button = byId("spoilers");
  button.setAttribute("aria-pressed", String(hidden));
  button.textContent = hidden ? "Show scores" : "Hide scores";
}

function changeSpoilers() {
  const hidden = root.dataset.spoilers !== "hidden";
  if (hidden) root.dataset.spoilers = "hidden";
  else delete root.dataset.spoilers;
  for (const match of document.querySelectorAll("[data-revealed]")) delete match.dataset.revealed;
  write("spoilers", hidden ? "hidden" : "shown");
  showSpoilerState();
}

// The video that keys act on: the one that plays, else the only one that is large.
function currentVideo() {
  const all = [...document.querySelectorAll("[data-player] video")];
  return all.find((video) => !video.paused) ?? byId("video");
}

const FRAME_SECONDS = 1 / 25;

function seek(seconds) {
  const video = currentVideo();
  if (video) video.currentTime = Math.max(0, video.currentTime + seconds);
}

function step(seconds) {
  currentVideo()?.pause();
  seek(seconds);
}

function toggle() {
  const video = currentVideo();
  if (!video) return false;
  if (video.paused) video.play().catch(() => {});
  else video.pause();
  return true;
}

// The goals of a list one after the other; elsewhere the links to the next and previous one.
function move(direction) {
  const link = document.querySelector(`a[rel="${direction > 0 ? "next" : "prev"}"][data-goal-link], .goal-page a[rel="${direction > 0 ? "next" : "prev"}"]`);
  if (link) return link.click();
  const goals = [...document.querySelectorAll(".goal")].filter((goal) => goal.offsetParent !== null);
  if (goals.length === 0) return undefined;
  const here = goals.findIndex((goal) => goal.contains(document.activeElement));
  const next = goals[Math.min(Math.max(here + direction, 0), goals.length - 1)];
  const target = next.querySelector(".scorer a") ?? next.querySelector("a, button");
  target?.focus({ preventScroll: true });
  next.scrollIntoView({ block: "center", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  return undefined;
}

// The angle before or after the one that is shown.
function moveAngle(direction) {
  const angles = [...document.querySelectorAll("[data-angle]")];
  const here = angles.findIndex((angle) => angle.hasAttribute("aria-current"));
  angles[here + direction]?.click();
}

const press = (selector) => document.querySelector(selector)?.click();
const PLACES = { h: "/", m: "/", r: "/reel", s: "/stats", e: "/operator/errors" };
const GO_MS = 1500;
let goUntil = 0;

const SHORTCUTS = {
  "?": () => byId("keys-dialog").showModal(),
  "/": () => (byId("query") ? byId("query").focus() : location.assign("/search")),
  j: () => move(1),
  k: () => move(-1),
  l: () => moveAngle(1),
  h: () => moveAngle(-1),
  d: () => press("a[data-download]"),
  s: () => press("#share:not([hidden])"),
  p: () => press("button[data-pin]"),
  x: () => press("button[data-wrong-goal]"),
  z: changeSpoilers,
  g: () => { goUntil = Date.now() + GO_MS; },
  m: () => { const video = currentVideo(); if (video) video.muted = !video.muted; },
  f: () => { const video = currentVideo(); if (document.fullscreenElement) document.exitFullscreen(); else video?.requestFullscreen?.(); },
  ArrowLeft: () => seek(-5),
  ArrowRight: () => seek(5),
  ",": () => step(-FRAME_SECONDS),
  ".": () => step(FRAME_SECONDS),
};

function onKey(event) {
  const target = event.target;
  const typing = target.isContentEditable || target.matches?.("input, select, textarea");
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || typing) return;
  if (document.querySelector("dialog[open]")) return;
  if (event.key === " ") {
    // Space on a button or a native player is theirs.
    if (!target.matches?.("button, a, summary, video") && toggle()) event.preventDefault();
    return;
  }
  if (event.key.startsWith("Arrow") && (target.matches?.("video") || !currentVideo())) return;
  if (/^[1-9]$/.test(event.key)) {
    document.querySelector(`[data-angle="${event.key}"]`)?.click();
    return;
  }
  // `g` and then a letter goes to a page.
  const place = Date.now() < goUntil ? PLACES[event.key] : undefined;
  goUntil = 0;
  const act = place ? () => location.assign(place) : SHORTCUTS[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

// A short silent loop over the picture of a clip, for a pointer that rests on it.
function showPreview(event) {
  const place = event.target.closest?.("[data-preview]");
  if (!place || place.querySelector(".preview") || event.pointerType === "touch") return;
  if (matchMedia("(prefers-reduced-motion: reduce)").matches || navigator.connection?.saveData) return;
  if (place.dataset.state && place.dataset.state !== "idle") return;
  const loop = document.createElement("video");
  Object.assign(loop, { className: "preview", src: place.dataset.preview, muted: true, loop: true, playsInline: true });
  loop.setAttribute("aria-hidden", "true");
  loop.tabIndex = -1;
  loop.addEventListener("error", () => loop.remove());
  place.append(loop);
  loop.play().catch(() => loop.remove());
  place.addEventListener("pointerleave", () => loop.remove(), { once: true });
  place.addEventListener("click", () => loop.remove(), { once: true });
}

for (const id of ["spoilers", "theme", "keys"]) byId(id).hidden = false;
byId("theme").addEventListener("click", changeTheme);
byId("spoilers").addEventListener("click", changeSpoilers);
byId("keys").addEventListener("click", () => byId("keys-dialog").showModal());
document.addEventListener("keydown", onKey);
document.addEventListener("pointerover", showPreview);
document.addEventListener("click", (event) => {
  const reveal = event.target.closest?.("[data-reveal]");
  if (reveal) reveal.closest("[data-spoiler]").dataset.revealed = "";
});
showSpoilerState();
if (navigator.serviceWorker && read("worker") !== "off") navigator.serviceWorker.register("/worker.js").catch(() => {});
