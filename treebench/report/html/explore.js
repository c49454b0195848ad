"use strict";
// The curves of any figure against any axis, from the values that the page holds.
function explore() {
  const held = read("explored");
  if (held === null) return;
  const template = JSON.stringify(read("spec-curves"));
  const at = (name) => document.getElementById(`explore-${name}`);
  const [figures, axes, places, scale, filter, all] = ["figure", "axis", "place", "scale", "filter", "all"].map(at);

  const words = (figure) => figure.meaning.split(":")[0];
  const option = (value, text) => Object.assign(document.createElement("option"), { value, textContent: text });
  figures.append(...held.figures.map((figure, number) => option(number, `${figure.name}: ${words(figure)}`)));
  axes.append(...held.axes.map((axis, number) => option(number, axis.title)));

  function fillPlaces() {
    const names = [...new Set(held.axes[axes.value].series.map((series) => series.place))];
    const before = places.value;
    places.replaceChildren(...names.map((name) => option(name, name)));
    if (names.includes(before)) places.value = before;
    all.parentElement.hidden = held.axes[axes.value].series.every((series) => series.usual);
  }

  // The points of a series: where the cell stands on the axis, and the figure's median and interval.
  function pointsOf(series, figure, axis) {
    const points = [];
    for (const [place, cell] of series.at) {
      const value = figure.cells[cell];
      const x = figure.at?.[axis.name]?.[cell] ?? place;
      if (value === null || x === null) continue;
      const [median, low = median, high = median] = value;
      const interval = value.length > 1 ? `, ${format(figure.unit, low)} to ${format(figure.unit, high)}` : "";
      points.push({
        x, value: median, low, high, series: series.label, layout: series.layout,
        text: `${series.label}, ${series.layout}: ${format(figure.unit, median)}${interval} at ${short(x)}`,
      });
    }
    return points.sort((a, b) => a.x - b.x);
  }

  function chosen() {
    const axis = held.axes[axes.value], figure = held.figures[figures.value];
    const matches = matcher(filter.value);
    const listed = axis.series.filter((series) => series.place === places.value
      && (all.checked || series.usual) && matches(`${series.label} ${series.layout}`));
    const drawnSeries = listed.map((series) => ({ series, points: pointsOf(series, figure, axis) }))
      .filter(({ points }) => points.length > 0);
    return { axis, figure, drawnSeries };
  }

  function fitsOf(series, figure) {
    return (series.curves[figure.name] ?? []).flatMap((segment, number) => segment.points.map(
      ([x, value, low, high]) => ({ x, value, low, high, series: series.label, segment: `${series.label} ${number}` }),
    ));
  }

  const TICKS = {
    ns: "datum.value >= 1e9 ? format(datum.value / 1e9, '~g') + ' s' : datum.value >= 1e6 ? format(datum.value / 1e6, '~g') + ' ms' : format(datum.value / 1e3, '~g') + ' \u00b5s'",
    bytes: "datum.value >= 1073741824 ? format(datum.value / 1073741824, '.3~r') + ' GiB' : datum.value >= 1048576 ? format(datum.value / 1048576, '.3~r') + ' MiB' : format(datum.value / 1024, '.3~r') + ' KiB'",
    count: "format(datum.value, '~s')",
    score: "format(datum.value, '~g')",
    share: "format(datum.value, '.0%')",
  };

  // Round numbers for a log axis: powers of two for bytes; 1, 2 and 5 of each power of ten, or
  // those powers alone where they are many; and what lies between where they are few.
  function logTicks(unit, low, high) {
    const base = unit === "bytes" ? 2 : 10;
    const usual = base === 2 ? [1] : high / low < 500 ? [1, 2, 5] : [1];
    const finer = base === 2 ? [1, 1.25, 1.5, 1.75] : [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9];
    const ticks = ticksBy(usual, base, low, high);
    const within = ticks.filter((tick) => low <= tick && tick <= high);
    return within.length < 3 ? ticksBy(finer, base, low, high) : ticks;
  }

  function ticksBy(steps, base, low, high) {
    const ticks = [];
    for (let power = Math.floor(Math.log(low) / Math.log(base)) - 1; base ** power <= high * base; power++) {
      ticks.push(...steps.map((step) => step * base ** power));
    }
    return ticks;
  }

  // Where points stand: those of several series at one size a little beside one another, where they
  // have intervals, which would hide one another. Whether any was moved.
  function standApart(drawnSeries, sizes, logX) {
    const points = drawnSeries.flatMap((each) => each.points);
    const crowded = points.length > sizes.length && points.some((point) => point.low < point.high);
    const share = crowded ? Math.min(0.009, 0.06 / drawnSeries.length) : 0;
    const [low, high] = [sizes[0], sizes[sizes.length - 1]];
    drawnSeries.forEach((each, number) => {
      const part = (number - (drawnSeries.length - 1) / 2) * share;
      for (const point of each.points) {
        point.at = logX ? point.x * (high / low) ** part : point.x + (high - low) * part;
      }
    });
    return crowded;
  }

  // What the y axis shows: the figure in words with the units of its labels, in lines no longer
  // than the axis.
  function axisTitle(figure, values) {
    const ends = [Math.min(...values), Math.max(...values)];
    const units = new Set(ends.map((value) => format(figure.unit, value).split(" ").pop()));
    const isNamed = ["ns", "bytes", "share"].includes(figure.unit);
    const said = isNamed ? `${words(figure)}, ${[...units].join(" to ")}` : words(figure);
    const lines = said.match(/\S{57,}|.{1,56}(?: |$)/g).map((line) => line.trim());
    return lines.length > 1 ? lines : said;
  }

  function filled({ axis, figure, drawnSeries }) {
    const points = drawnSeries.flatMap((each) => each.points);
    const fits = drawnSeries.flatMap(({ series }) => fitsOf(series, figure));
    const labels = [...new Set(drawnSeries.map(({ series }) => series.label))];
    const values = points.flatMap((point) => [point.low, point.high]);
    const sizes = [...new Set(points.map((point) => point.x))].sort((a, b) => a - b);
    const log = scale.value === "log" && Math.min(...values) > 0;
    const every = [...new Set(axis.series.map((series) => series.label))];
    const look = (names) => labels.map((label) => names[every.indexOf(label) % names.length]);
    const logX = sizes[0] > 0 && sizes[sizes.length - 1] / sizes[0] >= 4 && axis.name !== "max_depth";
    const apart = standApart(drawnSeries, sizes, logX);
    const yTitle = axisTitle(figure, values);
    const texts = Object.fromEntries(sizes.map((size) => [String(size), short(size)]));
    const put = {
      "@title": `${words(figure)} against ${axis.title}`,
      "@x": axis.title,
      "@y": yTitle,
      "@x-labels": `${JSON.stringify(texts)}[toString(datum.value)]`,
      "@y-labels": TICKS[figure.unit],
    };
    const scales = { pow: logX ? "log" : "linear", sqrt: log ? "log" : "linear" };
    const lists = {
      "@series": labels, "@colours": look(LOOKS.colours), "@shapes": look(LOOKS.shapes),
      "@values": sizes.filter((size, number) => spaced(sizes, number, logX)),
      "@subtitle": [`${places.value}; point: median; bar: its interval`
        + (fits.length ? "; thin line and shade: a + b x^c and its band" : ""),
        ...(apart ? ["series stand a little beside one another, so that none hides another's interval"] : [])],
    };
    const spec = JSON.parse(template, (key, value) => {
      if (value?.type in scales) return scaleOf(scales[value.type], value);
      if (Array.isArray(value) && value.length === 1 && typeof value[0] === "string") return lists[value[0]] ?? value;
      return typeof value === "string" && value.startsWith("@") ? put[value] ?? value : value;
    });
    // A band may reach to 0, which is nowhere on a log axis.
    const least = Math.min(...values) / (log ? 1.5 : 1);
    const bounded = fits.map((fit) => (log ? { ...fit, low: Math.max(fit.low, least) } : fit));
    spec.datasets = { points, fits: bounded };
    if (fits.length === 0) {
      const [chart] = spec.concat;
      chart.layer = chart.layer.filter((layer) => layer.data.name !== "fits");
    }
    if (log) tickAt(spec, yTitle, logTicks(figure.unit, least, Math.max(...values)));
    return spec;
  }

  // On a log axis there is no zero to begin at or not, and Vega-Lite says so on every drawing.
  function scaleOf(type, { zero, ...rest }) {
    return type === "log" ? { ...rest, type } : { ...rest, zero, type };
  }

  // Sizes that crowd are left without a label, the largest kept.
  function spaced(sizes, number, logX) {
    const place = (value) => (logX ? Math.log(value) : value);
    const room = (place(sizes[sizes.length - 1]) - place(sizes[0])) / 12;
    const next = sizes[number + 1];
    return next === undefined || place(next) - place(sizes[number]) >= room;
  }

  function tickAt(node, title, values) {
    if (node === null || typeof node !== "object") return;
    if (node.title === title) node.values = values;
    Object.entries(node).forEach(([name, each]) => {
      if (name !== "datasets") tickAt(each, title, values);
    });
  }

  function table({ axis, figure, drawnSeries }) {
    const made = document.createElement("table");
    const heads = ["series", "layout", axis.title, "median", "low", "high", "exponent"];
    const head = made.createTHead().insertRow();
    heads.forEach((title, number) => {
      const cell = document.createElement("th");
      const button = Object.assign(document.createElement("button"), { type: "button", textContent: title });
      cell.append(button);
      cell.scope = "col";
      cell.className = number > 1 && number < 6 ? "n" : "";
      cell.setAttribute("aria-sort", "none");
      head.append(cell);
    });
    const body = made.createTBody();
    for (const { series, points } of drawnSeries) {
      const exponents = (series.curves[figure.name] ?? []).map((segment) => segment.exponent).join("; ");
      for (const point of points) {
        const row = body.insertRow();
        row.insertCell().textContent = series.label;
        row.insertCell().textContent = series.layout;
        const numbers = [[point.x, short(point.x)],
          ...[point.value, point.low, point.high].map((value) => [value, format(figure.unit, value)])];
        for (const [key, text] of numbers) {
          const cell = row.insertCell();
          cell.className = "n";
          cell.dataset.k = key;
          cell.textContent = text;
        }
        row.insertCell().textContent = exponents || DASH;
      }
    }
    moveSorting(made);
    return made;
  }

  let latest = Promise.resolve();
  function update() {
    const now = chosen();
    const count = now.drawnSeries.length;
    at("said").textContent = count ? `${count} series` : "No series has this figure here.";
    at("table").replaceChildren(table(now));
    at("chart").hidden = count === 0;
    // One after another, so that the last choice is what is drawn in the end.
    if (count) latest = latest.then(() => embed(at("chart"), filled(now)));
  }

  axes.addEventListener("change", () => { fillPlaces(); update(); });
  [figures, places, scale, all].forEach((each) => each.addEventListener("change", update));
  filter.addEventListener("input", update);
  document.addEventListener("recoloured", update);
  fillPlaces();
  update();
}

explore();
