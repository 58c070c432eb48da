"""One HTML page with the drawing in it: pan, zoom and find; no request leaves the page.

The drawing is Graphviz's SVG, whose texts are escaped already; the page adds the title only.
"""

from __future__ import annotations

import html
import re

_PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>@TITLE@</title>
<style>
  html, body { margin: 0; height: 100%; font: 14px Helvetica, Arial, sans-serif; }
  body { display: flex; flex-direction: column; color: #111827; }
  header { display: flex; gap: .8em; align-items: center; padding: .4em .8em;
           border-bottom: 1px solid #d1d5db; flex-wrap: wrap; }
  header b { flex: 1; }
  #view { flex: 1; overflow: hidden; cursor: grab; touch-action: none; }
  #view.drag { cursor: grabbing; }
  #view svg { width: 100%; height: 100%; display: block; }
  .node.hit > :is(polygon, path, ellipse) { stroke: #dc2626; stroke-width: 4; }
  .edge.hit > path { stroke: #dc2626; stroke-width: 2.5; }
  .faded { opacity: .25; }
</style>
</head>
<body>
<header>
  <b>@TITLE@</b>
  <label>find <input id="find" type="search" size="18"></label>
  <span id="count"></span>
  <button id="in">+</button><button id="out">−</button><button id="fit">fit</button>
  <small>drag to move, wheel to zoom, click a node for its neighbours</small>
</header>
<div id="view">
@SVG@
</div>
<script>
"use strict";
const view = document.getElementById("view"), svg = view.querySelector("svg");
const whole = svg.viewBox.baseVal;
const home = { x: whole.x, y: whole.y, w: whole.width, h: whole.height };
let box = { ...home };
const show = () => svg.setAttribute("viewBox", `${box.x} ${box.y} ${box.w} ${box.h}`);
const scale = () => Math.max(box.w / svg.clientWidth, box.h / svg.clientHeight);
function zoom(factor, px, py) {
  const r = svg.getBoundingClientRect(), s = scale();
  // The drawing is centred in the window, so the point under the mouse is found from the middle.
  const x = box.x + box.w / 2 + (px - r.left - r.width / 2) * s;
  const y = box.y + box.h / 2 + (py - r.top - r.height / 2) * s;
  box = { x: x + (box.x - x) * factor, y: y + (box.y - y) * factor,
          w: box.w * factor, h: box.h * factor };
  show();
}
const middle = (factor) => {
  const r = svg.getBoundingClientRect();
  zoom(factor, r.left + r.width / 2, r.top + r.height / 2);
};
view.addEventListener("wheel", (e) => {
  e.preventDefault(); zoom(Math.exp(e.deltaY * 0.0015), e.clientX, e.clientY);
}, { passive: false });
let from = null, moved = false;
view.addEventListener("pointerdown", (e) => { from = e; moved = false; });
window.addEventListener("pointermove", (e) => {
  if (!from) return;
  if (!moved && Math.abs(e.clientX - from.clientX) + Math.abs(e.clientY - from.clientY) < 3) return;
  moved = true; view.classList.add("drag");
  const s = scale();
  box.x -= (e.clientX - from.clientX) * s; box.y -= (e.clientY - from.clientY) * s;
  from = e; show();
});
window.addEventListener("pointerup", () => { from = null; view.classList.remove("drag"); });
document.getElementById("in").onclick = () => middle(0.7);
document.getElementById("out").onclick = () => middle(1 / 0.7);
document.getElementById("fit").onclick = () => { box = { ...home }; show(); };
const nodes = [...svg.querySelectorAll(".node")], edges = [...svg.querySelectorAll(".edge")];
const name = (g) => g.querySelector("title").textContent;
function clear() {
  for (const g of [...nodes, ...edges]) g.classList.remove("hit", "faded");
}
view.addEventListener("click", (e) => {
  if (moved) return;
  clear();
  const node = e.target.closest(".node");
  if (!node) return;
  const near = new Set([name(node)]);
  for (const g of edges) {
    const ends = name(g).split("->");
    if (ends.includes(name(node))) { g.classList.add("hit"); ends.forEach((n) => near.add(n)); }
    else g.classList.add("faded");
  }
  for (const g of nodes) if (!near.has(name(g))) g.classList.add("faded");
  node.classList.add("hit");
});
document.getElementById("find").addEventListener("input", (e) => {
  clear();
  const text = e.target.value.trim().toLowerCase();
  let hits = 0;
  if (text) for (const g of nodes) {
    if (g.textContent.toLowerCase().includes(text)) { g.classList.add("hit"); hits++; }
  }
  document.getElementById("count").textContent = text ? `${hits} found` : "";
});
</script>
</body>
</html>
"""


def page(title: str, svg: str) -> str:
    """The page for one drawing."""
    drawing = re.sub(r"\A.*?(?=<svg\b)", "", svg, count=1, flags=re.DOTALL)
    drawing = re.sub(r'(<svg\b[^>]*?) width="[^"]*" height="[^"]*"', r"\1", drawing, count=1)
    parts = {"@TITLE@": html.escape(title), "@SVG@": drawing}
    return re.sub("@TITLE@|@SVG@", lambda found: parts[found[0]], _PAGE)
