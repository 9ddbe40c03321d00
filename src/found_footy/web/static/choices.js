// Runs before the first paint: what the visitor chose earlier. A browser without storage keeps the defaults.
(() => {
  const root = document.documentElement;
  const read = (name) => {
    try {
      return localStorage.getItem(name);
    } catch {
      return null;
    }
  };
  const theme = read("theme");
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  if (read("spoilers") === "hidden") root.dataset.spoilers = "hidden";
})();
