(onPhone) => {
  // Finds what is wrong with the page as it is shown; on a phone, targets must be 44 pixels high.
  const problems = [];
  const visible = (node) => {
    const box = node.getBoundingClientRect();
    const style = getComputedStyle(node);
    return box.width > 1 && box.height > 1 && style.visibility !== "hidden" && node.checkVisibility();
  };
  const describe = (node) => `${node.nodeName.toLowerCase()}.${node.className?.baseVal ?? node.className} "${(node.textContent || "").trim().slice(0, 40)}"`;
  const nameOf = (node) => {
    const labelled = (node.getAttribute("aria-labelledby") || "").split(" ").map((id) => document.getElementById(id)?.textContent ?? "").join("");
    const label = node.id ? document.querySelector(`label[for="${node.id}"]`)?.textContent : "";
    const alt = [...node.querySelectorAll("img[alt]")].map((image) => image.alt).join("");
    return (node.getAttribute("aria-label") || labelled || label || node.closest("label")?.textContent || node.textContent + alt || node.title || "").trim();
  };
  if (document.documentElement.scrollWidth > window.innerWidth) problems.push(`wider than the screen: ${document.documentElement.scrollWidth}`);
  if (!document.documentElement.lang) problems.push("no language");
  if (!document.title) problems.push("no title");
  if (document.querySelectorAll("h1").length !== 1) problems.push(`${document.querySelectorAll("h1").length} first headings`);
  let level = 0;
  for (const heading of document.querySelectorAll("main :is(h1, h2, h3, h4)")) {
    const now = Number(heading.nodeName[1]);
    if (level && now > level + 1) problems.push(`heading ${describe(heading)} skips a level`);
    level = now;
  }
  const ids = [...document.querySelectorAll("[id]")].map((node) => node.id);
  for (const id of new Set(ids.filter((id, place) => ids.indexOf(id) !== place))) problems.push(`id ${id} twice`);
  for (const image of document.querySelectorAll("img")) if (!image.hasAttribute("alt")) problems.push(`no alt: ${image.src}`);
  for (const node of document.querySelectorAll("a[href], button, input, select, video, summary, textarea")) {
    if (!visible(node) || node.getAttribute("aria-hidden") === "true" || node.matches(".skip:not(:focus)")) continue;
    if (!nameOf(node)) problems.push(`no name: ${describe(node)}`);
    if (node.tabIndex > 0) problems.push(`own focus order: ${describe(node)}`);
    // A box to tick is chosen by its label too.
    const target = node.matches("input[type=checkbox]") ? node.closest("label") ?? node : node;
    const box = target.getBoundingClientRect();
    // Links in running text are as high as their line; they are exempt.
    const isInText = node.nodeName === "A" && getComputedStyle(node).display === "inline";
    if (onPhone && !isInText && box.height < 43.5) problems.push(`target ${Math.round(box.height)} high: ${describe(node)}`);
  }

  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
  const backgroundOf = (node) => {
    const layers = [];
    for (let at = node; at; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (style.backgroundImage !== "none" || at.matches(".player, .thumb, .stage")) return null;
      layers.push(rgba(style.backgroundColor));
      if (layers.at(-1)[3] === 1) break;
    }
    return layers.reduceRight((below, layer) => over(layer, below), rgba(getComputedStyle(document.body).backgroundColor));
  };
  const luminance = ([r, g, b]) => {
    const linear = [r, g, b].map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  };
  for (const node of document.querySelectorAll("body *")) {
    const hasText = [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim());
    if (!hasText || !visible(node) || node.closest(".unseen, [aria-hidden=true], option")) continue;
    const background = backgroundOf(node);
    if (!background) continue;
    const style = getComputedStyle(node);
    const [one, other] = [luminance(over(rgba(style.color), background)), luminance(background)].sort((a, b) => b - a);
    const size = parseFloat(style.fontSize);
    const wanted = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
    const contrast = (one + 0.05) / (other + 0.05);
    if (contrast < wanted) problems.push(`contrast ${contrast.toFixed(2)}: ${describe(node)}`);
  }
  for (const fact of document.querySelectorAll(".clip .fact")) {
    const beyond = fact.getBoundingClientRect().right - fact.closest(".clip").getBoundingClientRect().right;
    if (visible(fact) && beyond > 1) problems.push(`${beyond.toFixed()} pixels outside of its clip: ${describe(fact)}`);
  }
  return [...new Set(problems)];
}
