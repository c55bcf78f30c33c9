// Charts as SVG, for documents: axes with units, one line per curve, and their names.

import { colourOf, isDashed, tickText, type Curve } from "./chart";

export interface Plot {
  /** Quantity, for example "positions". */
  title: string;
  unit: string;
  curves: Curve[];
  logarithmic?: boolean;
}

const WIDTH = 480;
const HEIGHT = 300;
const MARGIN = { left: 62, right: 12, top: 14, bottom: 40 };
const NAMES_LINE = 15;
/** Approximate width of a character of the names. */
const CHARACTER = 6.2;
const TICKS = 6;

/** Return round numbers between two bounds, about `TICKS` of them. */
export function ticks(low: number, high: number): number[] {
  if (!(high > low)) return [low];
  const raw = (high - low) / TICKS;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= raw) ?? 10);
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.floor(high / step + 1e-9) - first + 1;
  return Array.from({ length: count }, (_, k) => Number(((first + k) * step).toPrecision(12)));
}

/** Return the bounds of numbers, at least a little apart so that a constant curve is visible. */
function bounds(values: Iterable<number | null>): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value === null || !Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (low > high) return [0, 1];
  const room = high > low ? 0 : Math.abs(high) || 1;
  return [low - room, high + room];
}

/** Return plots side by side as the text of an SVG file. */
export function svgOf(times: readonly number[], plots: readonly Plot[]): string {
  const names = plots.map(({ curves }) => lines(curves));
  const top = NAMES_LINE * Math.max(1, ...names.map(({ length }) => length));
  const parts = plots.map((plot, k) => `<g transform="translate(${k * WIDTH} ${top})">${chart(times, plot, names[k]!)}</g>`);
  const [width, height] = [plots.length * WIDTH, top + HEIGHT];
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" ` +
    `font-family="sans-serif" font-size="11">\n<rect width="100%" height="100%" fill="white"/>\n${parts.join("\n")}\n</svg>\n`
  );
}

/** A curve with its position among the curves of its plot. */
type Placed = readonly [Curve, number];

/** Divide the names of curves into lines that are as wide as a plot. */
function lines(curves: readonly Curve[]): Placed[][] {
  const all: Placed[][] = [[]];
  let used = 0;
  curves.forEach((curve, at) => {
    const width = CHARACTER * (curve.label.length + 2);
    if (used > 0 && used + width > WIDTH - MARGIN.left - MARGIN.right) {
      all.push([]);
      used = 0;
    }
    all.at(-1)!.push([curve, at]);
    used += width;
  });
  return all;
}

/** Return numbers as they are placed on the axis: their logarithms on a logarithmic axis, null if they have none. */
function placedOn(logarithmic: boolean, values: readonly (number | null)[]): (number | null)[] {
  return logarithmic ? values.map((value) => (value !== null && value > 0 ? Math.log10(value) : null)) : [...values];
}

function chart(times: readonly number[], { title, unit, curves, logarithmic = false }: Plot, named: readonly Placed[][]): string {
  const [t0, t1] = bounds(times);
  const rows = curves.map(({ values }) => placedOn(logarithmic, values));
  const [low, high] = bounds(rows.flat());
  const tickName = (v: number): string => tickText(logarithmic ? Number((10 ** v).toPrecision(3)) : v);
  const x = (t: number): number => MARGIN.left + ((t - t0) / (t1 - t0)) * (WIDTH - MARGIN.left - MARGIN.right);
  const y = (v: number): number => HEIGHT - MARGIN.bottom - ((v - low) / (high - low)) * (HEIGHT - MARGIN.top - MARGIN.bottom);
  const grid = [
    ...ticks(t0, t1).map((t) => line(x(t), y(low), x(t), y(high)) + label(x(t), y(low) + 14, tickText(t), "middle")),
    ...ticks(low, high).map((v) => line(x(t0), y(v), x(t1), y(v)) + label(x(t0) - 6, y(v) + 4, tickName(v), "end")),
  ];
  const paths = curves.map((curve, k) => {
    const dash = isDashed(curve, k) ? ' stroke-dasharray="6 4"' : "";
    return `<path d="${path(times, rows[k]!, x, y)}" fill="none" stroke="${colourOf(curve, k)}" stroke-width="1.5"${dash}/>`;
  });
  const name = ([curve, k]: Placed): string => `<tspan fill="${colourOf(curve, k)}">${isDashed(curve, k) ? "- - " : ""}${escaped(curve.label)}  </tspan>`;
  const first = MARGIN.top - 10 - NAMES_LINE * (named.length - 1);
  const names = named.map((line, k) => `<text x="${MARGIN.left}" y="${first + NAMES_LINE * k}" xml:space="preserve">${line.map(name).join("")}</text>`);
  const middle = (MARGIN.top + HEIGHT - MARGIN.bottom) / 2;
  return [
    ...grid,
    ...paths,
    label((x(t0) + x(t1)) / 2, HEIGHT - 8, "time in s", "middle"),
    `<text transform="translate(14 ${middle}) rotate(-90)" text-anchor="middle">${escaped(axisTitle(title, unit))}</text>`,
    ...names,
  ].join("\n");
}

export const axisTitle = (title: string, unit: string): string => (unit ? `${title} in ${unit}` : title);

function path(times: readonly number[], values: readonly (number | null)[], x: (t: number) => number, y: (v: number) => number): string {
  let drawing = false;
  return times
    .map((t, k) => {
      const value = values[k];
      if (value === null || value === undefined || !Number.isFinite(value)) {
        drawing = false;
        return "";
      }
      const command = drawing ? "L" : "M";
      drawing = true;
      return `${command}${x(t).toFixed(2)} ${y(value).toFixed(2)}`;
    })
    .join("");
}

const line = (x1: number, y1: number, x2: number, y2: number): string =>
  `<path d="M${x1.toFixed(1)} ${y1.toFixed(1)}L${x2.toFixed(1)} ${y2.toFixed(1)}" stroke="#ccc" fill="none"/>`;

const label = (x: number, y: number, text: string, anchor: string): string =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}">${escaped(text)}</text>`;

/** Return a text with the characters that XML reserves as references. */
export const escaped = (text: string): string => text.replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`);
