"use strict";
// Numbers as text, for values that the page computes with. The same rules as treebench/report/units.py,
// to which a test holds them.
const DASH = "\u2013", MINUS = "\u2212";

function digits(value) {
  const decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return value.toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

function scaled(value, units) {
  for (const [scale, unit, limit] of units) {
    const whole = scale === 1 && Number.isInteger(value);
    const text = whole ? value.toLocaleString("en-US") : digits(value / scale);
    if (Number(text.replaceAll(",", "")) < limit) return `${text} ${unit}`;
  }
  const [scale, unit] = units[units.length - 1];
  return `${digits(value / scale)} ${unit}`;
}

const SIZES = ["B", "KiB", "MiB", "GiB", "TiB"].map((name, power) => [1024 ** power, name, 1024]);
const TIMES = [[1, "ns", 1000], [1e3, "\u00b5s", 1000], [1e6, "ms", 1000], [1e9, "s", 60]];

function duration(ns) {
  if (ns === 0) return "0 s";
  if (ns < 59.95e9) return scaled(ns, TIMES);
  const seconds = Math.round(ns / 1e9);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, "0")} s`;
  const minutes = Math.round(ns / 60e9);
  const hours = Math.floor(minutes / 60).toLocaleString("en-US");
  return `${hours} h ${String(minutes % 60).padStart(2, "0")} min`;
}

function plain(value) {
  if (value !== 0 && value < 0.0995) return value.toFixed(1 - Math.floor(Math.log10(value)));
  if (value < 99.95) return digits(value);
  return Number(value.toPrecision(3)).toLocaleString("en-US");
}

function score(value) {
  if (value < 1) return value.toFixed(4);
  const decimals = Math.max(0, 3 - Math.floor(Math.log10(value)));
  return value.toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

const FORMATS = {
  ns: duration,
  bytes: (value) => scaled(value, SIZES),
  count: plain,
  score,
  share: (value) => `${(100 * value).toFixed(1)} %`,
};

function format(unit, value) {
  if (value === null || value === undefined) return DASH;
  return value < 0 ? MINUS + FORMATS[unit](-value) : FORMATS[unit](value);
}

function short(value) {
  for (const [scale, letter] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (value >= scale && (value * 100) % scale === 0) return `${value / scale}${letter}`;
  }
  return value === Math.trunc(value) ? value.toLocaleString("en-US") : String(Number(value.toPrecision(4)));
}
