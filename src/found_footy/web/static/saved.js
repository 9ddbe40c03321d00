// Searches that the visitor keeps, in this browser: their conditions stand in the address, so that is all that is kept.

import { read, write } from "./storage.js";

const MOST = 20;
const place = document.getElementById("views");
const list = document.getElementById("saved-views");
const button = document.getElementById("save-view");
const here = place.dataset.conditions;

function load() {
  try {
    const kept = JSON.parse(read("views") ?? "[]");
    return Array.isArray(kept) ? kept.filter((one) => typeof one === "string").slice(0, MOST) : [];
  } catch {
    return []; // not written by this page
  }
}

function nameOf(conditions) {
  return [...new URLSearchParams(conditions)].map(([name, value]) => labelOf(name, value)).join(", ");
}

// What the form calls a value: the league's name rather than its number.
function labelOf(name, value) {
  const options = [...document.querySelectorAll(`.filters select[name="${CSS.escape(name)}"] option`)];
  const words = options.find((option) => option.value === value)?.textContent;
  return words ?? (name === "q" ? value : `${name} ${value}`);
}

function remove(conditions) {
  write("views", JSON.stringify(load().filter((one) => one !== conditions)));
  show();
  (list.querySelector("a") ?? button ?? document.getElementById("query")).focus();
}

function buildItem(conditions) {
  const item = document.createElement("li");
  const link = Object.assign(document.createElement("a"), { href: `/search?${conditions}`, textContent: nameOf(conditions) });
  const drop = Object.assign(document.createElement("button"), { type: "button", className: "drop-view", textContent: "×" });
  if (conditions === here) link.setAttribute("aria-current", "page");
  drop.setAttribute("aria-label", `Forget the search ${link.textContent}`);
  drop.addEventListener("click", () => remove(conditions));
  item.append(link, drop);
  return item;
}

function show() {
  const kept = load();
  list.replaceChildren(...kept.map(buildItem));
  list.hidden = kept.length === 0;
  if (button) button.hidden = kept.includes(here);
}

button?.addEventListener("click", () => {
  write("views", JSON.stringify([here, ...load()].slice(0, MOST)));
  show();
  list.querySelector("a")?.focus();
});
show();
