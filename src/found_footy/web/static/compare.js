// Angles of one goal in step: a common time, from which each video's own follows by its offset.

const DRIFT_SECONDS = 0.12; // more than this and a video is set right
const videos = [...document.querySelectorAll("#wall video")];
const byId = (id) => document.getElementById(id);
const offset = (video) => Number(video.dataset.offset);
let playing = false;
let now = 0;
let last = 0;

const begins = () => Math.min(...videos.map(offset));
const ends = () => Math.max(...videos.map((video) => offset(video) + (video.duration || 0)));

function place(video, force) {
  const wanted = now - offset(video);
  const shown = Math.min(Math.max(wanted, 0), video.duration || 0);
  if (force || Math.abs(video.currentTime - shown) > DRIFT_SECONDS) video.currentTime = shown;
  const runs = playing && wanted >= 0 && wanted < (video.duration || 0);
  if (runs && video.paused) video.play().catch(() => {});
  if (!runs && !video.paused) video.pause();
}

function settle(force = false) {
  for (const video of videos) place(video, force);
  byId("position").value = String(now);
  byId("time").textContent = `${(now - begins()).toFixed(1)} s`;
  byId("together").textContent = playing ? "Pause" : "Play";
}

function tick(at) {
  if (!playing) return;
  now += Math.min((at - last) / 1000, 0.25);
  last = at;
  if (now >= ends()) {
    now = begins();
    playing = false;
  }
  settle();
  requestAnimationFrame(tick);
}

function toggle() {
  playing = !playing;
  last = performance.now();
  settle(true);
  if (playing) requestAnimationFrame(tick);
}

function prepare() {
  const bar = byId("position");
  bar.min = String(begins());
  bar.max = String(ends());
  now = Math.max(now, begins());
  byId("transport").hidden = false;
  settle(true);
}

if (videos.length) {
  const ready = (video) => video.readyState > 0 ? Promise.resolve() : new Promise((done) => {
    video.addEventListener("loadedmetadata", done, { once: true });
    video.addEventListener("error", done, { once: true });
  });
  Promise.all(videos.map(ready)).then(prepare);
  byId("together").addEventListener("click", toggle);
  byId("position").addEventListener("input", (event) => { now = Number(event.target.value); settle(true); });
}
