"""The small program inside a flame graph: click to zoom, a box to search. It fetches nothing."""

STYLE = """
#boxes g { cursor: pointer }
#boxes g:hover rect { stroke: #333333 }
#boxes g.found rect { fill: #D55E00; fill-opacity: 0.9 }
#boxes text { pointer-events: none }
"""

# Runs in the browser that shows the picture. All it needs of a box stands in the box's data:
# where it starts (s), its weight (w), its name (n). Names are only ever set as text.
SCRIPT = r"""
(function () {
  var boxes = document.getElementById("boxes"), all = Array.from(boxes.children);
  var data = boxes.dataset, left = +data.left, width = +data.width, letter = +data.letter;
  var total = +data.total, tools = document.getElementById("tools");

  function fitted(name, room) {
    var letters = Math.floor((room - 6) / letter);
    if (letters >= name.length) return name;
    return letters >= 3 ? name.slice(0, letters - 1) + "\u2026" : "";
  }

  function place(box, start, weight) {
    var from = Math.max(+box.dataset.s, start);
    var to = Math.min(+box.dataset.s + +box.dataset.w, start + weight);
    box.style.display = to > from ? "" : "none";
    if (to <= from) return;
    var rect = box.querySelector("rect"), text = box.querySelector("text");
    var x = left + (from - start) / weight * width, room = (to - from) / weight * width;
    rect.setAttribute("x", x);
    rect.setAttribute("width", room);
    text.setAttribute("x", x + 3);
    text.textContent = fitted(box.dataset.n, room);
  }

  function zoom(start, weight) {
    all.forEach(function (box) { place(box, start, weight); });
  }

  function search(words, said) {
    var found = [];
    all.forEach(function (box) {
      var here = words !== "" && box.dataset.n.toLowerCase().includes(words.toLowerCase());
      box.classList.toggle("found", here);
      if (here) found.push([+box.dataset.s, +box.dataset.s + +box.dataset.w]);
    });
    // A function that calls itself stands on itself: what is covered counts once.
    found.sort(function (a, b) { return a[0] - b[0]; });
    var covered = 0, end = 0;
    found.forEach(function (span) {
      covered += Math.max(0, span[1] - Math.max(span[0], end));
      end = Math.max(end, span[1]);
    });
    said.textContent = words === "" ? "" : (100 * covered / total).toFixed(1) + " %";
  }

  boxes.addEventListener("click", function (event) {
    var box = event.target.closest("#boxes > g");
    if (box) zoom(+box.dataset.s, +box.dataset.w);
  });

  if (tools) {
    var page = "http://www.w3.org/1999/xhtml";
    var field = document.createElementNS(page, "input");
    var said = document.createElementNS(page, "span");
    field.setAttribute("placeholder", "search");
    field.setAttribute("aria-label", "search functions");
    field.setAttribute("style", "font: 12px monospace; width: 180px");
    said.setAttribute("style", "font: 12px monospace; margin-left: 8px");
    field.addEventListener("input", function () { search(field.value, said); });
    tools.appendChild(field);
    tools.appendChild(said);
    tools.setAttribute("visibility", "visible");
  }
})();
"""
