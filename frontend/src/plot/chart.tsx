// Curves over time, drawn by uPlot, which is loaded with the first chart.

import { useSignal, type ReadonlySignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { AlignedData, Options } from "uplot";
import type uPlot from "uplot";

export interface Curve {
  label: string;
  unit?: string;
  values: (number | null)[];
  /** Upper and lower bound; drawn as lines if they are within the plotted range. */
  limit?: number | null;
  dashed?: boolean;
  /** Index of the curve whose colour is used; default: the curve itself. */
  like?: number;
}

interface ChartProps {
  times: number[];
  curves: Curve[];
  dark: boolean;
  /** Title of the vertical axis, with its unit; default: the units of the curves. */
  axis?: string;
  logarithmic?: boolean;
  /** Marked time; a click moves it. */
  marker?: ReadonlySignal<number>;
  onSeek?: (time: number) => void;
  /** Without uPlot's legend, for small charts whose curves are named elsewhere. */
  bare?: boolean;
}

/**
 * Colours that are distinguishable in light and dark themes and by colour-blind readers (Okabe and Ito, 2008, without
 * yellow).
 */
const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#7f7f7f", "#8c6bb1"];

/** Type of the numbers of small charts relative to that of the text around them. */
const SMALL = 10 / 12;

export function Chart(props: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<{ made: uPlot; shape: string } | null>(null);
  const library = useSignal<typeof uPlot | null>(null);
  const type = useSignal(0);
  const latest = useRef(props);
  latest.current = props;
  const logarithmic = props.logarithmic ?? false;
  const shape = `${props.axis ?? ""} ${props.curves.map(({ label, limit }) => `${label} ${limit ?? ""}`).join()} ${props.dark} ${logarithmic}`;
  const data = useMemo(() => aligned(props.times, props.curves, logarithmic), [props.times, props.curves, logarithmic]);
  const newest = useRef(data);
  newest.current = data;

  useEffect(() => {
    let wanted = true;
    void loaded().then((module) => wanted && (library.value = module));
    return () => {
      wanted = false;
    };
  }, []);

  useEffect(() => {
    const Chart = library.value;
    if (!Chart) return;
    const element = box.current!;
    const made = new Chart(settings(element, latest, logarithmic), newest.current, element);
    chart.current = { made, shape };
    type.value = typeOf(element);
    const watch = new ResizeObserver(() => {
      made.setSize(room(element, latest.current.bare));
      // A chart has the size of type with which it was made.
      type.value = typeOf(element);
    });
    watch.observe(element);
    const unmark = props.marker?.subscribe(() => made.redraw(false));
    return () => {
      unmark?.();
      watch.disconnect();
      made.destroy();
      chart.current = null;
    };
  }, [library.value, shape, props.marker, type.value]);

  useEffect(() => {
    if (chart.current?.shape === shape) chart.current.made.setData(data);
  }, [data]);

  return <div ref={box} class="md-chart" />;
}

async function loaded(): Promise<typeof uPlot> {
  const [{ default: made }] = await Promise.all([import("uplot"), import("uplot/dist/uPlot.min.css")]);
  return made;
}

/** Return null for values that are not finite, and on a logarithmic axis for values that are not positive. */
function aligned(times: number[], curves: Curve[], logarithmic: boolean): AlignedData {
  const shown = (value: number | null): number | null =>
    value !== null && Number.isFinite(value) && !(logarithmic && value <= 0) ? value : null;
  return [times, ...curves.map(({ values }) => values.map(shown))];
}

/** Return the magnification of an element by the CSS property zoom, as in the lecture mode; charts themselves are not magnified. */
function zoomOf(element: HTMLElement): number {
  return element.getBoundingClientRect().width / element.offsetWidth || 1;
}

/** Return the size of the type of an element in pixels of the page. */
function typeOf(element: HTMLElement): number {
  return (Number.parseFloat(getComputedStyle(element).fontSize) || 12) * zoomOf(element);
}

/** Height of two lines of uPlot's legend relative to the size of the type. */
const LEGEND = 44 / 12;

function room(element: HTMLElement, bare = false): { width: number; height: number } {
  const zoom = zoomOf(element);
  const legend = bare ? 0 : LEGEND * typeOf(element);
  const { paddingLeft, paddingRight } = getComputedStyle(element);
  const padding = (Number.parseFloat(paddingLeft) || 0) + (Number.parseFloat(paddingRight) || 0);
  return { width: zoom * (element.clientWidth - padding), height: Math.max(60, zoom * element.clientHeight - legend) };
}

/** Return a number of an axis in few characters; the browser's own format has three decimals. */
export function tickText(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e6 || (size < 1e-3 && size > 0)) return String(Number(value.toPrecision(6)).toExponential()).replace("e+", "e");
  return String(Number(value.toPrecision(6)));
}

/** Return the range of the vertical axis: constant curves are in its middle. */
export function rangeOf(_: unknown, low: number | null, high: number | null): [number, number] {
  if (low === null || high === null) return [-1, 1];
  const room = high > low ? 0.1 * (high - low) : Math.abs(high) || 1;
  return [low - room, high + room];
}

export function colourOf({ like }: Curve, at: number): string {
  return COLOURS[(like ?? at) % COLOURS.length]!;
}

/** Whether a curve is dashed: it is asked for, or another curve has its colour. */
export const isDashed = ({ dashed, like }: Curve, at: number): boolean => dashed || (like ?? at) >= COLOURS.length;

function settings(element: HTMLElement, latest: { current: ChartProps }, logarithmic: boolean): Options {
  const style = getComputedStyle(element);
  const line = style.getPropertyValue("--line") || "#888";
  const accent = style.getPropertyValue("--accent") || "#06c";
  const axis = { stroke: style.getPropertyValue("--muted") || "#888", grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
  const { curves, bare } = latest.current;
  const units = [...new Set(curves.flatMap(({ unit }) => (unit ? [unit] : [])))];
  const named = latest.current.axis ?? units.join(", ");
  const [type, small] = [typeOf(element), SMALL * typeOf(element)];
  const font = `${small}px system-ui, sans-serif`;
  const title = named ? { label: named, labelSize: 1.6 * small, labelGap: 0, labelFont: font } : {};
  return {
    ...room(element, bare),
    legend: { show: !bare },
    ...(bare && { padding: [6, 1.5 * type, 0, 0] as [number, number, number, number] }),
    cursor: latest.current.onSeek ? { drag: { x: false, y: false } } : {},
    scales: { x: { time: false }, y: logarithmic ? { distr: 3 } : { range: rangeOf } },
    axes: [
      { ...axis, font, ...(bare && { size: 2.2 * type, gap: 2, ticks: { ...axis.ticks, size: 4 } }), values: (_, ticks) => ticks.map((tick) => `${tickText(tick)} s`) },
      { ...axis, ...title, values: (_, ticks) => ticks.map((tick) => (tick === null ? "" : tickText(tick))), font, ...(bare ? { size: 3.7 * type, gap: 2, space: 1.5 * type, ticks: { ...axis.ticks, size: 4 } } : { size: 5.3 * type }) },
    ],
    series: [
      { label: "t", value: (_, value) => (value === null ? "" : `${value.toFixed(2)} s`) },
      ...curves.map((curve, i) => ({
        label: curve.label,
        stroke: colourOf(curve, i),
        width: 1.5,
        // Coordinates that are rounded to pixels make steps of flat curves.
        pxAlign: 0,
        dash: isDashed(curve, i) ? [6, 4] : undefined,
        value: (_: unknown, value: number | null) => (value === null ? "" : String(Number(value.toPrecision(4)))),
      })),
    ],
    hooks: {
      draw: [(made) => drawLines(made, latest.current, accent)],
      ready: [(made) => seeks(made, latest)],
    },
  };
}

/** Draw limits as dotted lines and the marked time as a vertical line. */
function drawLines(made: uPlot, { curves, marker }: ChartProps, accent: string): void {
  const { ctx, bbox } = made;
  ctx.save();
  ctx.lineWidth = devicePixelRatio;
  curves.forEach((curve, i) => {
    if (curve.limit === undefined || curve.limit === null || made.series[i + 1]?.show === false) return;
    ctx.strokeStyle = colourOf(curve, i);
    ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
    for (const limit of [curve.limit, -curve.limit]) {
      const y = made.valToPos(limit, "y", true);
      if (y >= bbox.top && y <= bbox.top + bbox.height) stroke(ctx, bbox.left, y, bbox.left + bbox.width, y);
    }
  });
  if (marker) {
    const x = made.valToPos(marker.peek(), "x", true);
    ctx.setLineDash([]);
    ctx.strokeStyle = accent;
    ctx.lineWidth = 1.5 * devicePixelRatio;
    if (x >= bbox.left && x <= bbox.left + bbox.width) stroke(ctx, x, bbox.top, x, bbox.top + bbox.height);
  }
  ctx.restore();
}

function stroke(ctx: CanvasRenderingContext2D, x: number, y: number, toX: number, toY: number): void {
  ctx.beginPath();
  ctx.moveTo(x, y);
  ctx.lineTo(toX, toY);
  ctx.stroke();
}

function seeks(made: uPlot, latest: { current: ChartProps }): void {
  made.over.addEventListener("click", (event) => {
    latest.current.onSeek?.(made.posToVal(event.clientX - made.over.getBoundingClientRect().left, "x"));
  });
}
