// The page of an organization: sends images with their progress, and follows the server.
// What is shown of an image always comes from the server's page, one fetch at a time, so it never goes back in time.

import { schedule as scheduleFetch, useLocalTime } from "./live.js";
import { become } from "./morph.js";
import { keepStream } from "./stream.js";

const AT_ONCE = 3;
const SPREAD_MS = 250;
const SEND_AGAIN_MS = 2000;
const SEND_TRIES = 5;

const page = document.getElementById("page");
const shown = () => document.getElementById("shown");
const { api, csrf, events } = page.dataset;
const address = (name) => `${api}/${encodeURIComponent(name)}`;
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

// --- Following the server ---

let close = () => {};

async function refresh() {
  const answer = await fetch(location.href, { headers: { Accept: "text/html" }, cache: "no-store" });
  if (answer.status === 401) return leave();
  if (answer.status === 404 || answer.status === 410) return location.assign(page.dataset.events.replace(/\/events$/, ""));
  if (!answer.ok) throw new Error(`${answer.status}`);
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("shown");
  if (fresh) become(shown(), fresh);
}

function leave() {
  close();
  location.reload(); // the server shows the form to sign in
}

const schedule = () => scheduleFetch("uploads", refresh, SPREAD_MS);

// --- Retry and delete ---

async function act(form) {
  const { action, name } = form.dataset;
  if (action === "delete" && !confirm(`Delete ${name}?`)) return;
  const button = form.querySelector("button");
  button.disabled = true;
  const request = action === "delete" ? [address(name), "DELETE"] : [`${address(name)}/retry`, "POST"];
  try {
    const answer = await fetch(request[0], { method: request[1], headers: { "X-CSRF-Token": csrf } });
    if (!answer.ok && answer.status !== 404) say(await problem(answer));
    else say(action === "delete" ? `${name} is deleted` : `${name} is classified again`);
  } catch {
    say("The server does not answer. Please try again.");
  }
  button.disabled = false;
  schedule();
}

function say(text) {
  const news = document.getElementById("news");
  news.textContent = text;
}

async function problem(answer) {
  try {
    return (await answer.json()).detail;
  } catch {
    return `The server answered ${answer.status}.`;
  }
}

// --- Uploading ---

const waiting = [];
let sending = 0;

function add(files) {
  for (const file of files) {
    const entry = makeEntry(file);
    waiting.push(entry);
  }
  pump();
}

function makeEntry(file) {
  const row = document.createElement("li");
  row.dataset.state = "waiting";
  const title = document.createElement("span");
  title.className = "file";
  title.textContent = file.name;
  const bar = document.createElement("progress");
  bar.max = 1;
  bar.value = 0;
  bar.setAttribute("aria-label", file.name);
  const text = document.createElement("span");
  text.className = "outcome";
  text.textContent = "Waiting";
  const button = document.createElement("button");
  button.type = "button";
  button.className = "small";
  button.hidden = true;
  button.textContent = "Try again";
  row.append(title, bar, text, button);
  document.getElementById("tray-list").append(row);
  document.getElementById("tray").hidden = false;
  const entry = { file, row, bar, text, tries: 0 };
  button.addEventListener("click", () => {
    button.hidden = true;
    mark(entry, "waiting", "Waiting");
    waiting.push(entry);
    pump();
  });
  entry.button = button;
  return entry;
}

function mark(entry, state, text) {
  entry.row.dataset.state = state;
  entry.text.textContent = text;
  summarize();
}

function summarize() {
  const rows = [...document.querySelectorAll("#tray-list li")];
  const count = (state) => rows.filter((row) => row.dataset.state === state).length;
  const open = count("waiting") + count("sending");
  const failed = count("failed");
  document.getElementById("tray-title").textContent = open
    ? `Uploading ${rows.length - open} of ${rows.length}`
    : `${count("done")} uploaded${failed ? `, ${failed} failed` : ""}`;
}

function pump() {
  while (sending < AT_ONCE && waiting.length) {
    sending += 1;
    const entry = waiting.shift();
    deliver(entry).finally(() => {
      sending -= 1;
      pump();
    });
  }
  summarize();
}

async function deliver(entry) {
  const most = Number(document.getElementById("drop").dataset.maxBytes);
  if (entry.file.size > most) return fail(entry, `Larger than ${Math.round(most / 1e6)} MB.`, false);
  if (entry.file.size === 0) return fail(entry, "The file is empty.", false);
  for (let tries = 1; ; tries += 1) {
    mark(entry, "sending", "0 %");
    const answer = await send(entry);
    if (answer.status === 200 || answer.status === 201) {
      entry.bar.value = 1;
      mark(entry, "done", answer.status === 201 ? "Stored" : "Replaced");
      schedule();
      return;
    }
    if (answer.status === 401) return leave();
    const busy = answer.status === 429 || answer.status === 503 || answer.status === 0;
    if (!busy || tries === SEND_TRIES) return fail(entry, answer.detail, true);
    mark(entry, "sending", "Busy, trying again");
    await pause(SEND_AGAIN_MS * tries);
  }
}

function fail(entry, detail, repeatable) {
  entry.button.hidden = !repeatable;
  mark(entry, "failed", detail);
}

function send({ file, bar, text }) {
  return new Promise((done) => {
    const request = new XMLHttpRequest(); // fetch does not tell how much was sent
    request.open("PUT", address(file.name));
    request.setRequestHeader("X-CSRF-Token", csrf);
    request.upload.onprogress = (event) => {
      if (!event.lengthComputable) return;
      bar.value = event.loaded / event.total;
      text.textContent = `${Math.floor(bar.value * 100)} %`;
    };
    request.onload = () => done({ status: request.status, detail: detailOf(request) });
    request.onerror = () => done({ status: 0, detail: "The server does not answer." });
    request.send(file);
  });
}

function detailOf(request) {
  try {
    return JSON.parse(request.responseText).detail;
  } catch {
    return `The server answered ${request.status}.`;
  }
}

// Pasted pictures all have the same name; the time tells them apart.
function named(file, number) {
  if (file.name && file.name !== "image.png") return file;
  const stamp = new Date().toISOString().slice(0, 19).replace(/[:T]/g, "-");
  const suffix = (file.type.split("/")[1] || "png").replace(/[^a-z0-9]/g, "");
  return new File([file], `pasted-${stamp}${number ? `-${number + 1}` : ""}.${suffix}`, { type: file.type });
}

function acceptImages() {
  const drop = document.getElementById("drop");
  if (!drop) return;
  const input = document.getElementById("files");
  input.addEventListener("change", () => {
    add([...input.files]);
    input.value = "";
  });
  let depth = 0;
  const over = (change) => {
    depth = Math.max(0, depth + change);
    drop.toggleAttribute("data-over", depth > 0);
  };
  document.addEventListener("dragenter", (event) => { event.preventDefault(); over(1); });
  document.addEventListener("dragleave", () => over(-1));
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    depth = 0;
    over(0);
    add([...event.dataTransfer.files]);
  });
  document.addEventListener("paste", (event) => add([...event.clipboardData.files].map(named)));
  document.getElementById("tray-clear").addEventListener("click", () => {
    for (const row of document.querySelectorAll("#tray-list li:is([data-state='done'], [data-state='failed'])")) row.remove();
    document.getElementById("tray").hidden = !document.querySelector("#tray-list li");
    summarize();
  });
}

document.addEventListener("submit", (event) => {
  if (!event.target.dataset.action) return;
  event.preventDefault();
  act(event.target);
});
window.addEventListener("beforeunload", (event) => { if (sending) event.preventDefault(); });
window.addEventListener("pageshow", (event) => { if (event.persisted) schedule(); });
acceptImages();
close = keepStream({
  address: () => `${events}?since=${encodeURIComponent(shown().dataset.cursor)}`,
  kinds: { uploads: schedule },
  onRefused: schedule, // a session that has ended is noticed by this
});
useLocalTime(page.dataset.zone, refresh);
