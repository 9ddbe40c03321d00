// Follows the server's changes. A page says what to fetch again when a match changed, and when anything may have.

import { RETRY_MS, keepStream } from "./stream.js";

const QUIET_MS = 40; // changes of one match come in bursts
// Many browsers hear of a change at the same moment; they do not all ask at the same moment.
export const MATCH_SPREAD_MS = 200;
export const LIST_SPREAD_MS = 3000;

const waiting = new Map();
const after = (least, spread) => least + Math.random() * spread;

// One fetch at a time per key; what changes meanwhile is fetched once more.
export function schedule(key, refresh, spread = 0) {
  const job = waiting.get(key);
  if (job) {
    job.again = true;
    return;
  }
  const mine = { again: false };
  waiting.set(key, mine);
  setTimeout(async () => {
    let failed = false;
    mine.again = false;
    try {
      await refresh();
    } catch {
      failed = true; // the server is away for the moment: what changed is still unknown here
    }
    waiting.delete(key);
    if (failed) setTimeout(() => schedule(key, refresh, spread), after(RETRY_MS, RETRY_MS));
    else if (mine.again) schedule(key, refresh, spread);
  }, after(QUIET_MS, spread));
}

export async function piece(path, selector, cursor) {
  // The server keeps pages: the last change that was heard of must be in the one it gives.
  const answer = await fetch(path, { headers: { Accept: "text/html", "Last-Event-ID": cursor } });
  if (!answer.ok) throw Object.assign(new Error(path), { status: answer.status });
  const parsed = new DOMParser().parseFromString(await answer.text(), "text/html");
  return parsed.querySelector(selector);
}

// `root` gives the element whose data-cursor is the last change in the page.
export function follow({ root, onMatch, onReload }) {
  const at = (handle) => (event) => {
    root().dataset.cursor = event.lastEventId;
    handle(event);
  };
  keepStream({
    address: () => `/events?since=${encodeURIComponent(root().dataset.cursor)}`,
    kinds: { match: at((event) => onMatch(JSON.parse(event.data).id)), reload: at(() => onReload()) },
  });
}

export function useLocalTime(shownZone, refresh) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!zone || zone === shownZone || document.cookie.split("; ").includes(`zone=${zone}`)) return;
  document.cookie = `zone=${zone}; Path=/; Max-Age=31536000; SameSite=Lax`;
  schedule("all", refresh);
}
