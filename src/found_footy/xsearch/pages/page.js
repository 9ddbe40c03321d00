"use strict";
// Keeps the page current while somebody looks at it, and sends what they paste.
const form = document.getElementById("cookies"), told = form.querySelector("output");

async function refresh() {
  if (document.hidden) return;
  try {
    const text = await (await fetch("/", { cache: "no-store" })).text();
    const fresh = new DOMParser().parseFromString(text, "text/html");
    document.getElementById("live").replaceWith(fresh.getElementById("live"));
    document.title = fresh.title;
  } catch { document.title = "X search – out of reach"; }
}

async function post(path, body) {
  const token = form.token.value;
  told.textContent = "…";
  try {
    const answer = await fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(body),
    });
    const said = await answer.json();
    told.textContent = answer.ok ? `Session: ${said.state}${said.detail ? ` (${said.detail})` : ""}` : said.detail;
    if (answer.ok) form.text.value = "";
  } catch { told.textContent = "The service is out of reach."; }
  refresh();
}

form.addEventListener("submit", (event) => { event.preventDefault(); post("/session", { text: form.text.value }); });
for (const button of document.querySelectorAll("[data-post]")) {
  button.addEventListener("click", () => post(button.dataset.post, {}));
}
setInterval(refresh, 3000);
