// Keeps the static files for a slow line. Pages, clips and the API always come from the server.

const STORE = "static-1";

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  // Only an address that names the content's digest never changes.
  if (event.request.method !== "GET" || url.origin !== self.location.origin) return;
  if (!url.pathname.startsWith("/static/") || !url.searchParams.has("v")) return;
  event.respondWith(serve(event.request));
});

async function serve(request) {
  const store = await caches.open(STORE);
  const kept = await store.match(request);
  if (kept) return kept;
  const answer = await fetch(request);
  if (answer.ok) {
    for (const older of await store.keys()) {
      if (new URL(older.url).pathname === new URL(request.url).pathname) await store.delete(older);
    }
    await store.put(request, answer.clone());
  }
  return answer;
}
