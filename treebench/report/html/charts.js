"use strict";
// Charts from their specs, drawn when they come near the window or when there is time for it.
const LOOKS = read("looks");
const LIGHT = Object.fromEntries(Object.entries(LOOKS.dark).map(([light, dark]) => [dark, light]));
const DARK_QUERY = window.matchMedia("(prefers-color-scheme: dark)");
const drawn = new Map();

function read(id) {
  const held = document.getElementById(id);
  return held === null ? null : JSON.parse(held.textContent);
}

function isDark() {
  const chosen = document.querySelector("input[name=theme]:checked").value;
  return chosen === "auto" ? DARK_QUERY.matches : chosen === "dark";
}

// A spec in the colours of a dark page. The colours of a scale stay what the text calls them, save
// those that a dark page would swallow.
function recoloured(node, within = "") {
  if (typeof node === "string") {
    if (within === "range" && !["#000000", "#8C7B00"].includes(node)) return node;
    return LOOKS.dark[node] ?? node;
  }
  if (Array.isArray(node)) return node.map((each) => recoloured(each, within));
  if (node === null || typeof node !== "object") return node;
  return Object.fromEntries(
    Object.entries(node).map(([name, each]) => [
      name, name === "values" || name === "datasets" ? each : recoloured(each, name),
    ]),
  );
}

async function embed(holder, spec) {
  const before = drawn.get(holder);
  const result = await vegaEmbed(holder, isDark() ? recoloured(spec) : spec, {
    actions: false,
    ast: true,
    defaultStyle: false,
    mode: "vega-lite",
    renderer: "svg",
    tooltip: { disableDefaultStyle: true },
  });
  before?.finalize();
  drawn.set(holder, result);
  holder.dataset.drawn = "yes";
}

async function draw(holder) {
  if (holder.dataset.drawn) return;
  holder.dataset.drawn = "begun";
  await embed(holder, read(holder.dataset.spec));
}

const holders = [...document.querySelectorAll(".chart[data-spec]")];
const near = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) if (isIntersecting) draw(target);
}, { rootMargin: "600px" });
holders.forEach((holder) => near.observe(holder));

// Those further down too, one at a time, so that they are there when the page is printed.
const whenIdle = window.requestIdleCallback ?? ((call) => setTimeout(call, 200));
function drawNext() {
  const next = holders.find((holder) => !holder.dataset.drawn);
  if (next !== undefined) draw(next).then(() => whenIdle(drawNext));
}
window.addEventListener("load", () => whenIdle(drawNext));

function redrawAll() {
  for (const holder of holders) {
    if (holder.dataset.drawn) {
      delete holder.dataset.drawn;
      draw(holder);
    }
  }
  document.dispatchEvent(new Event("recoloured"));
}

function setTheme() {
  const chosen = document.querySelector("input[name=theme]:checked").value;
  if (chosen === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
  redrawAll();
}
document.querySelectorAll("input[name=theme]").forEach((each) => each.addEventListener("change", setTheme));
DARK_QUERY.addEventListener("change", redrawAll);

// Paper is white. Drawing anew would come too late, so the colours are changed where they stand.
window.addEventListener("beforeprint", () => {
  if (isDark()) {
    document.querySelectorAll(".chart svg").forEach((each) => { each.style.backgroundColor = "white"; });
    document.querySelectorAll(".chart svg *").forEach((mark) => {
      for (const name of ["fill", "stroke"]) {
        const light = LIGHT[mark.getAttribute(name)];
        if (light !== undefined) mark.setAttribute(name, light);
      }
    });
  }
  document.querySelectorAll("details").forEach((each) => {
    each.dataset.was = each.open ? "open" : "";
    each.open = true;
  });
});
window.addEventListener("afterprint", () => {
  document.querySelectorAll("details").forEach((each) => { each.open = each.dataset.was === "open"; });
  if (isDark()) redrawAll();
});
