// The visitor's choices. Without storage (a private window, a full disk) they last until the page is left.

export function read(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

export function write(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {
    // Nothing depends on it.
  }
}
