// Clips: one click plays in place, one clip plays at a time, and one that fails says so.

const playerOf = (node) => node.closest?.("[data-player]");
const videoOf = (player) => player.querySelector("video");

function start(player) {
  const video = videoOf(player);
  video.controls = true;
  player.dataset.state = "playing";
  video.focus({ preventScroll: true });
  video.play().catch((error) => {
    // A pause that comes before the first frame comes from the visitor and is not a failure.
    if (error.name !== "AbortError") fail(player);
  });
}

function fail(player) {
  player.dataset.state = "failed";
  player.querySelector(".trouble").hidden = false;
}

function retry(player) {
  player.querySelector(".trouble").hidden = true;
  videoOf(player).load();
  start(player);
}

// Before its first play a clip shows our own button; the native controls come with it.
export function prepare(root) {
  for (const player of root.querySelectorAll('[data-player][data-state="idle"]')) videoOf(player).controls = false;
}

function isBusy(player) {
  const video = videoOf(player);
  return player.dataset.state === "playing" && !video.ended;
}

// The server has news of a clip that is on the page already.
export function renew(player, fresh) {
  if (player.dataset.src === fresh.dataset.src) return;
  if (isBusy(player)) {
    player.successor = fresh;
    return;
  }
  player.replaceChildren(...[...fresh.childNodes].map((node) => document.importNode(node, true)));
  player.dataset.src = fresh.dataset.src;
  player.dataset.state = "idle";
  player.successor = undefined;
  videoOf(player).controls = false;
}

let isListening = false;

export function listen() {
  if (isListening) return; // two scripts of a page may ask for it
  isListening = true;
  document.addEventListener("click", (event) => {
    const player = playerOf(event.target);
    if (!player) return;
    if (event.target.closest(".retry")) retry(player);
    else if (player.dataset.state === "idle") start(player);
  });
  const onMedia = (kind, handle) =>
    document.addEventListener(kind, (event) => playerOf(event.target) && handle(playerOf(event.target), event), true);
  onMedia("play", (player) => {
    player.dataset.state = "playing";
    for (const video of document.querySelectorAll("[data-player] video")) {
      if (playerOf(video) !== player && !video.paused) video.pause();
    }
  });
  onMedia("ended", (player) => player.successor && renew(player, player.successor));
  onMedia("error", (player, event) => {
    const isLastSource = event.target.nodeName === "VIDEO" || event.target.matches("source:last-of-type");
    if (isLastSource) fail(player);
  });
}
