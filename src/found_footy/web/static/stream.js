// A live stream of the server: opened again when it ends, and given back while nobody sees the page.

export const RETRY_MS = 3000;
const LONGEST_RETRY_MS = 60000;
const HIDDEN_MS = 15000; // a browser has few connections to one server; a tab nobody sees gives its own back

function show(state, text) {
  const badge = document.getElementById("live");
  badge.hidden = false;
  badge.dataset.state = state;
  document.getElementById("live-text").textContent = text;
}

// `address` gives the stream's address with the last change that the page has; `kinds` handles events by their kind;
// `onRefused` is called when the server does not open the stream. Returns what closes it for good.
export function keepStream({ address, kinds, onRefused }) {
  let source = null;
  let hiding = 0;
  let refusals = 0;
  let isOver = false;

  function open() {
    source?.close();
    if (isOver) return;
    source = new EventSource(address());
    source.onopen = () => {
      refusals = 0;
      show("on", "Live");
    };
    source.onerror = () => {
      show("off", "Reconnecting");
      // A stream that was lost is opened again by the browser; one that was refused is not.
      if (source.readyState !== EventSource.CLOSED) return;
      const least = Math.min(RETRY_MS * 2 ** refusals, LONGEST_RETRY_MS);
      refusals += 1;
      onRefused?.();
      setTimeout(open, least + Math.random() * least);
    };
    for (const [kind, handle] of Object.entries(kinds)) source.addEventListener(kind, handle);
  }

  document.addEventListener("visibilitychange", () => {
    clearTimeout(hiding);
    if (document.hidden) hiding = setTimeout(() => { source?.close(); source = null; }, HIDDEN_MS);
    else if (source === null) open();
  });
  open();
  return () => {
    isOver = true;
    source?.close();
  };
}
