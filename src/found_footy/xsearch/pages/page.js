"use strict";
// Shows the state of the service to who may see it, keeps it current, and sends what they paste.
const STORED = "x-search-token";
const gate = document.getElementById("gate"), told = document.getElementById("told"), main = document.querySelector("main");
let locked = false;

// An address may end in #token=…, which a browser does not send; it is kept for this tab and leaves the address.
const given = new URLSearchParams(location.hash.slice(1)).get("token");
if (given) {
  sessionStorage.setItem(STORED, given);
  history.replaceState(null, "", location.pathname);
}

function headers() {
  const token = sessionStorage.getItem(STORED);
  return { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) };
}

async function refuse(answer) {
  locked = true;
  gate.hidden = answer.status !== 401;
  main.replaceChildren();
  told.textContent = (await answer.json()).detail;
}

async function refresh() {
  if (document.hidden || locked) return;
  try {
    const answer = await fetch("/page", { cache: "no-store", headers: headers() });
    if (!answer.ok) return await refuse(answer);
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    const live = document.getElementById("live");
    if (live) live.replaceWith(fresh.getElementById("live"));
    else show(fresh.querySelector("main"));
    document.title = fresh.title;
  } catch { document.title = "X search – unreachable"; }
}

function show(fresh) {
  gate.hidden = true;
  told.textContent = "";
  main.replaceChildren(...fresh.children);
  const form = document.getElementById("cookies");
  form.addEventListener("submit", (event) => { event.preventDefault(); post("/session", { text: form.text.value }); });
  for (const button of main.querySelectorAll("[data-post]")) {
    button.addEventListener("click", () => post(button.dataset.post, {}));
  }
}

async function post(path, body) {
  const form = document.getElementById("cookies"), said = form.querySelector("output");
  said.textContent = "…";
  try {
    const answer = await fetch(path, { method: "POST", headers: headers(), body: JSON.stringify(body) });
    const state = await answer.json();
    said.textContent = answer.ok ? `Session: ${state.state}${state.detail ? ` (${state.detail})` : ""}` : state.detail;
    if (answer.ok) form.text.value = "";
  } catch { said.textContent = "The service does not answer."; }
  refresh();
}

gate.addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem(STORED, gate.token.value);
  locked = false;
  refresh();
});
refresh();
setInterval(refresh, 3000);
