"use strict";
// The page's own client: asks for the timeline, keeps only what is in view in the document, asks for more at the bottom.
const ROW = 280, AHEAD = 3;
const meta = (name) => document.querySelector(`meta[name="${name}"]`).content;
const asked = new URLSearchParams(location.search);
const query = asked.get("q") ?? "";
const product = { live: "Latest", media: "Media" }[asked.get("f")] ?? "Top";
const list = document.getElementById("timeline");
document.getElementById("query").textContent = query;

const posts = [];
let cursor = null, busy = false, over = false;

const cookie = (name) => document.cookie.split("; ").find((c) => c.startsWith(name + "="))?.slice(name.length + 1) ?? "";

function headers(path) {
  return {
    "content-type": "application/json",
    "x-csrf-token": cookie("ct0"),
    "x-twitter-auth-type": "OAuth2Session",
    "x-twitter-active-user": "yes",
    "x-client-transaction-id": btoa(`${meta("page-key")} ${path}`),
  };
}

function call() {
  const path = `/i/api/graphql/${meta("query-id")}/SearchTimeline`;
  const variables = { rawQuery: query, count: 20, querySource: "typed_query", product };
  if (cursor) variables.cursor = cursor;
  if (meta("method") === "POST") {
    return fetch(path, { method: "POST", headers: headers(path), body: JSON.stringify({ variables, features: {} }) });
  }
  return fetch(`${path}?variables=${encodeURIComponent(JSON.stringify(variables))}`, { headers: headers(path) });
}

function tweets(instructions) {
  const entries = instructions.flatMap((i) => i.entries ?? (i.entry ? [i.entry] : []));
  const grid = instructions.flatMap((i) => i.moduleItems ?? []);
  const next = entries.find((e) => e.entryId.startsWith("cursor-bottom-"))?.content.value ?? null;
  const cells = entries.flatMap((e) => e.content.items ?? [{ item: { itemContent: e.content.itemContent } }]).concat(grid);
  const results = cells.map((c) => c.item.itemContent?.tweet_results?.result).filter(Boolean);
  return { next, found: results.map((r) => r.tweet ?? r).filter((r) => r.rest_id) };
}

async function more() {
  if (busy || over) return;
  busy = true;
  try {
    const response = await call();
    if (response.status === 401) { location.href = "/i/flow/login?redirect_after_login=" + encodeURIComponent(location.pathname + location.search); return; }
    const body = await response.json();
    const { next, found } = tweets(body.data.search_by_raw_query.search_timeline.timeline.instructions);
    posts.push(...found);
    over = !found.length || next === cursor;
    cursor = next;
    if (!posts.length) say("emptyState", `No results for “${query}”`);
  } catch (error) {
    over = true;
    if (!posts.length) say("error-detail", "Something went wrong. Try reloading.");
  } finally { busy = false; }
  draw();
}

function say(id, text) {
  const box = document.createElement("div");
  box.dataset.testid = id;
  box.textContent = text;
  list.replaceChildren(box);
}

function draw() {
  if (!posts.length) return;
  const first = Math.max(0, Math.floor(scrollY / ROW) - AHEAD);
  const last = Math.ceil((scrollY + innerHeight) / ROW) + AHEAD;
  list.style.height = posts.length * ROW + "px";
  list.replaceChildren(...posts.slice(first, last).map((post, i) => article(post, first + i)));
  if (last >= posts.length) more();
}

function element(tag, attributes, ...children) {
  const made = Object.assign(document.createElement(tag), attributes);
  made.append(...children);
  return made;
}

function article(post, row) {
  const fields = post.legacy ?? post, author = post.core.user_results.result.core.screen_name;
  const time = element("time", { dateTime: fields.created_at }, fields.created_at.slice(4, 16));
  const head = element("header", {}, element("img", { src: "/img/avatar.png", alt: "" }),
    element("a", { href: `/${author}/status/${post.rest_id}` }, "@" + author), time);
  const box = element("article", {}, head, element("p", {}, fields.full_text));
  box.dataset.testid = "tweet";
  box.style.top = row * ROW + "px";
  const media = fields.extended_entities?.media?.[0];
  if (media) {
    const player = element("video", { src: media.video_info.variants.at(-1)?.url, muted: true, autoplay: true, loop: true, poster: media.media_url_https });
    player.dataset.testid = "videoPlayer";
    box.append(player);
  }
  return box;
}

addEventListener("scroll", draw, { passive: true });
setInterval(() => fetch("/i/api/2/badge_count/badge_count.json"), 1000);
more();
