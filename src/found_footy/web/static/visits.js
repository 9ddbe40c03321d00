// Marks what came since the last visit. A visit ends when the page has been away for a while.

import { read, write } from "./storage.js";

const VISIT_MS = 30 * 60 * 1000;
const now = Date.now();
const last = Number(read("visit-last")) || 0;
const isSameVisit = now - last < VISIT_MS;
const since = Number(read(isSameVisit ? "visit-since" : "visit-last")) || 0;

if (!isSameVisit && since) write("visit-since", String(since));
write("visit-last", String(now));

export function markNews() {
  if (!since) return;
  const fresh = [...document.querySelectorAll(".goal[data-seen]")].filter(
    (goal) => Date.parse(goal.dataset.seen) > since && goal.dataset.status !== "removed",
  );
  for (const goal of fresh) goal.dataset.new = "";
  const note = document.getElementById("since-last-visit");
  if (!note) return;
  note.hidden = fresh.length === 0;
  note.textContent = fresh.length === 1 ? "1 new goal since your last visit" : `${fresh.length} new goals since your last visit`;
  if (fresh.length) note.href = `#${fresh[0].id}`;
}
