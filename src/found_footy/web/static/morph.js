// Makes a piece of the page equal to a fresh one from the server, keeping every node that is still wanted.
// Nodes with a data-key are the same thing wherever they stand, so a clip that plays goes on playing when its match
// moves; everything else is matched by position.

const KEPT = new Set(["open", "data-new", "data-revealed"]); // a visitor's own doing, which the server does not know

export function become(place, fresh, onChange = () => {}) {
  const known = new Map();
  for (const node of document.querySelectorAll("[data-key]")) known.set(node.dataset.key, node);
  settle(place, fresh, known, onChange);
}

function settle(node, fresh, known, onChange) {
  if (node.hasAttribute("data-player")) {
    onChange("player", node, fresh);
    return;
  }
  copyAttributes(node, fresh);
  let cursor = node.firstChild;
  for (const wanted of [...fresh.childNodes]) {
    const match = counterpart(wanted, cursor, known);
    if (match === null) {
      node.insertBefore(grown(wanted, known, onChange), cursor);
    } else {
      if (match === cursor) cursor = cursor.nextSibling;
      else node.insertBefore(match, cursor);
      if (match.nodeType === Node.ELEMENT_NODE) settle(match, wanted, known, onChange);
      else if (match.data !== wanted.data) match.data = wanted.data;
    }
  }
  while (cursor !== null) {
    const next = cursor.nextSibling;
    cursor.remove();
    cursor = next;
  }
}

function counterpart(wanted, cursor, known) {
  const key = wanted.dataset?.key;
  if (key !== undefined) {
    const match = known.get(key);
    known.delete(key);
    return match !== undefined && match.nodeName === wanted.nodeName ? match : null;
  }
  const same = cursor !== null && cursor.nodeName === wanted.nodeName && cursor.dataset?.key === undefined;
  return same ? cursor : null;
}

// A new node, into which known ones may move.
function grown(wanted, known, onChange) {
  const deep = wanted.nodeType !== Node.ELEMENT_NODE || wanted.hasAttribute("data-player");
  const node = document.importNode(wanted, deep);
  if (!deep) {
    settle(node, wanted, known, onChange);
    if (wanted.dataset.news !== undefined) onChange("news", node, wanted);
  }
  return node;
}

function copyAttributes(node, fresh) {
  for (const { name } of [...node.attributes]) {
    if (!fresh.hasAttribute(name) && !KEPT.has(name)) node.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (node.getAttribute(name) !== value && !KEPT.has(name)) node.setAttribute(name, value);
  }
}
