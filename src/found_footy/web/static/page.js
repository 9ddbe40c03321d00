// The page follows the server: an event names a match, its fresh piece is fetched and settled into place.

import { become } from "./morph.js";
import { listen, prepare, renew } from "./player.js";

const QUIET_MS = 120; // changes of one match come in bursts
// Many browsers hear of a change at the same moment; they do not all ask at the same moment.
const MATCH_SPREAD_MS = 300;
const LIST_SPREAD_MS = 3000;
const RETRY_MS = 3000;
const LONGEST_RETRY_MS = 60000;
const HIDDEN_MS = 15000; // a browser has few connections to one server; a tab nobody sees gives its own back

const list = () => document.getElementById("matches");
const waiting = new Map();
let source = null;
let hiding = 0;
let refusals = 0;

const after = (least, spread) => least + Math.random() * spread;

function onChange(kind, node, fresh) {
  if (kind === "player") renew(node, fresh);
  else if (kind === "news") document.getElementById("news").textContent = `Goal: ${fresh.dataset.news}`;
}

async function piece(path, selector) {
  // The server keeps pages: the last change that was heard of must be in the one it gives.
  const seen = list().dataset.cursor;
  const answer = await fetch(path, { headers: { Accept: "text/html", "Last-Event-ID": seen } });
  if (!answer.ok) throw Object.assign(new Error(path), { status: answer.status });
  const parsed = new DOMParser().parseFromString(await answer.text(), "text/html");
  return parsed.querySelector(selector);
}

async function refreshAll() {
  const page = list().dataset.page;
  const fresh = await piece(page === "1" ? "/fragments/matches" : `/fragments/matches?page=${page}`, "#matches");
  become(list(), fresh, onChange);
  prepare(list());
}

async function refreshMatch(id) {
  const here = document.getElementById(`match-${id}`);
  if (!here) return schedule("all", refreshAll, LIST_SPREAD_MS); // it may be on another page
  const fresh = await piece(`/fragments/match/${id}`, "article").catch((error) => {
    if (error.status === 404) return null;
    throw error;
  });
  // A match that began, ended or went away stands in another place of the list.
  if (!fresh || fresh.dataset.section !== here.dataset.section) return refreshAll();
  become(here, fresh, onChange);
  prepare(here);
}

// One fetch at a time per key; what changes meanwhile is fetched once more.
function schedule(key, refresh, spread = 0) {
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

function show(state, text) {
  const badge = document.getElementById("live");
  badge.hidden = false;
  badge.dataset.state = state;
  document.getElementById("live-text").textContent = text;
}

function follow() {
  source?.close();
  source = new EventSource(`/events?since=${encodeURIComponent(list().dataset.cursor)}`);
  source.onopen = () => {
    refusals = 0;
    show("on", "Live");
  };
  source.onerror = () => {
    show("off", "Reconnecting");
    if (source.readyState !== EventSource.CLOSED) return;
    const least = Math.min(RETRY_MS * 2 ** refusals, LONGEST_RETRY_MS);
    refusals += 1;
    setTimeout(follow, after(least, least));
  };
  const at = (kind, handle) =>
    source.addEventListener(kind, (event) => {
      list().dataset.cursor = event.lastEventId;
      handle(event);
    });
  at("match", (event) => {
    const { id } = JSON.parse(event.data);
    schedule(`match-${id}`, () => refreshMatch(id), MATCH_SPREAD_MS);
  });
  at("reload", () => schedule("all", refreshAll, LIST_SPREAD_MS));
}

function pauseWhenHidden() {
  clearTimeout(hiding);
  if (document.hidden) hiding = setTimeout(() => { source?.close(); source = null; }, HIDDEN_MS);
  else if (source === null) follow();
}

function useLocalTime() {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!zone || zone === list().dataset.zone || document.cookie.split("; ").includes(`zone=${zone}`)) return;
  document.cookie = `zone=${zone}; Path=/; Max-Age=31536000; SameSite=Lax`;
  schedule("all", refreshAll);
}

listen();
prepare(document);
follow();
useLocalTime();
document.addEventListener("visibilitychange", pauseWhenHidden);
