// Keeps the static files for a slow line, and shows news about goals. Pages, clips and the API always come from the server.

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

// News about a goal takes the place of what was shown about it before.
self.addEventListener("push", (event) => {
  const news = event.data?.json() ?? {};
  const shown = { body: news.body, tag: news.tag, data: news.url, icon: "/static/ball.svg" };
  event.waitUntil(self.registration.showNotification(news.title ?? "Found Footy", shown));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const wanted = new URL(event.notification.data ?? "/", self.location.origin);
  // The address comes from the server, under the name that it has for others; the page is opened here in any case.
  event.waitUntil(self.clients.openWindow(wanted.pathname + wanted.search));
});
