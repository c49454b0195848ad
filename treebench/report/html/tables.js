"use strict";
// Tables that sort by a click or a key on a column's head, and filter by words.

// Words must all be there; "a|b" is either; "-a" must not be there.
function matcher(words) {
  const terms = words.toLowerCase().split(/\s+/).filter(Boolean).map((term) => {
    const not = term.startsWith("-") && term.length > 1;
    return { not, any: (not ? term.slice(1) : term).split("|").filter(Boolean) };
  });
  return (text) => {
    const lower = text.toLowerCase();
    return terms.every(({ not, any }) => any.length === 0 || any.some((one) => lower.includes(one)) !== not);
  };
}

function keyOf(cell) {
  if (cell.dataset.k !== undefined) return Number(cell.dataset.k);
  const text = cell.textContent;
  return text === DASH || text === "" ? null : text;
}

function compared(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en", { numeric: true });
}

// What is not known comes last, either way.
function sortBy(table, column, descending) {
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row) => ({ row, key: keyOf(row.cells[column]) }));
  rows.sort((a, b) => {
    if (a.key === null || b.key === null) return (a.key === null) - (b.key === null);
    return descending ? compared(b.key, a.key) : compared(a.key, b.key);
  });
  body.append(...rows.map(({ row }) => row));
  [...table.tHead.rows[0].cells].forEach((head, number) => {
    const order = descending ? "descending" : "ascending";
    head.setAttribute("aria-sort", number === column ? order : "none");
  });
}

function filterBy(table, words, shown) {
  const matches = matcher(words);
  let kept = 0;
  for (const row of table.tBodies[0].rows) {
    row.hidden = !matches(row.textContent);
    kept += !row.hidden;
  }
  const all = table.tBodies[0].rows.length;
  shown.value = kept === all ? `${all.toLocaleString("en-US")} rows` : `${kept} of ${all} rows`;
}

function moveSorting(table) {
  table.querySelectorAll("thead button").forEach((button) => {
    const head = button.parentElement;
    button.addEventListener("click", () => {
      sortBy(table, head.cellIndex, head.getAttribute("aria-sort") === "ascending");
    });
  });
}

document.querySelectorAll("table").forEach(moveSorting);
document.querySelectorAll("input.filter").forEach((input) => {
  const tools = input.closest(".tools");
  const table = tools.nextElementSibling.querySelector("table");
  // The words of a row with spaces between its cells, so that none run into one another.
  for (const row of table.tBodies[0].rows) row.append("");
  input.addEventListener("input", () => filterBy(table, input.value, tools.querySelector("output")));
});

// A table wider than the page says so, since not every system shows that a frame scrolls.
const frames = new ResizeObserver((changed) => {
  for (const { target } of changed) {
    const wide = target.scrollWidth > target.clientWidth + 1;
    target.classList.toggle("more", wide);
    const hint = target.nextElementSibling;
    if (hint?.classList.contains("hint")) hint.hidden = !wide;
  }
});
document.querySelectorAll(".wide").forEach((frame) => frames.observe(frame));
