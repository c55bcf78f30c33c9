// Torques, energy, singular values and outputs along the motion, computed in the page.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { AlignedData, Options } from "uplot";

import type { View } from "../back/view";
import type { Store } from "../store/store";
import { csv } from "./csv";
import { save } from "./download";
import type { Program } from "./evaluate";
import { closed, differentiated, swing, type Sampled } from "./motion";
import { ProblemPanel, Segments, useAnswer, Waiting } from "./parts";
import { curvesAlong, heldInputs, KINDS, type Curve, type Kind } from "./plotted";
import { sampleValues } from "./prefill";
import { problemOf, type Session } from "./session";
import { remembered } from "./memory";

const chosen = remembered("plot", "torques");
/** Colours that stay apart in light and dark, also for the colour-blind (Okabe and Ito, 2008, without yellow). */
const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#7f7f7f", "#8c6bb1"];

export function Plots({ session }: { session: Session }) {
  const { store } = session;
  const view = store.view.value!;
  const shown = session.shown.value;
  const logarithmic = useSignal(false);
  const kinds = KINDS.filter(({ model }) => model !== null || shown !== null);
  const kind = kinds.find(({ id }) => id === chosen.value) ?? kinds[0]!;
  const model = kind.model ?? shown!.asked.model;
  const options = kind.model ? {} : shown!.asked.options;
  const { value, problem } = useAnswer(() => programs(session, view, model, options), [view, model, JSON.stringify(options)]);
  const bar = (
    <>
      <Segments
        label="What is plotted"
        value={kind.id}
        choices={kinds.map(({ id, title }) => [id, title] as const)}
        onChoose={(id) => (chosen.value = id)}
      />
      {kind.id === "singular" && (
        <label class="md-flag">
          <input
            type="checkbox"
            checked={logarithmic.value}
            onChange={(event) => (logarithmic.value = event.currentTarget.checked)}
          />
          <span>logarithmic</span>
        </label>
      )}
      <span class="md-note">
        {store.motion.value ? "along the motion of the scene" : "each joint swings about the posture for 4 s"}
      </span>
    </>
  );
  if (value) {
    const log = logarithmic.value && kind.id === "singular";
    return <Plotted session={session} kind={kind} {...value} bar={bar} logarithmic={log} />;
  }
  return (
    <div class="md-column">
      <div class="md-bar">{bar}</div>
      {problem ? <ProblemPanel problem={problem} /> : <Waiting>loading the model …</Waiting>}
    </div>
  );
}

interface Programs {
  program: Program;
  loops: Program | null;
}

async function programs(session: Session, view: View, model: string, options: Record<string, unknown>): Promise<Programs> {
  const [program, loops] = await Promise.all([
    session.program(view, model, options),
    view.loops.length > 0 ? session.program(view, "loop-geometry") : null,
  ]);
  return { program, loops };
}

/** The motion to plot along, loops closed. */
export function motionOf(store: Store, loops: Program | null): Sampled {
  const view = store.view.peek()!;
  const given = store.motion.peek();
  const motion = given ?? swing(view.joints, store.q.peek());
  if (loops) return differentiated(closed(motion, view, loops, store.parameters.peek()));
  return given ? differentiated(given) : (motion as Sampled);
}

interface PlottedProps extends Programs {
  session: Session;
  kind: Kind;
  bar: ComponentChildren;
  logarithmic: boolean;
}

function Plotted(props: PlottedProps) {
  const { store } = props.session;
  const view = store.view.value!;
  const parameters = store.parameters.value;
  const given = store.motion.value;
  // A posture that plays along the motion changes nothing in the curves.
  const motion = useMemo(
    () => motionOf(store, props.loops),
    [view, given, given ? null : store.q.value, props.loops ? parameters : null, props.loops],
  );
  const made = useMemo(() => {
    try {
      return { curves: curvesAlong(props.kind, props.program, motion, view.joints, parameters), problem: null };
    } catch (error) {
      return { curves: [], problem: problemOf(error) };
    }
  }, [props.kind, props.program, motion, parameters]);
  const held = heldInputs(props.program);
  const samples = sampleValues(props.program.module.PARAMETERS ?? [], parameters, view.nominal);
  const broken = made.curves.some(({ values }) => values.some((value) => !Number.isFinite(value)));
  return (
    <div class="md-column">
      <div class="md-bar">
        {props.bar}
        <span class="md-space" />
        <button
          type="button"
          class="md-button"
          onClick={() => save(`${view.name}_${props.kind.id}.csv`, table(motion, made.curves))}
        >
          Download CSV
        </button>
      </div>
      {made.problem && <ProblemPanel problem={made.problem} />}
      {Object.keys(samples).length > 0 && (
        <p class="md-hint">
          {Object.keys(samples).length} parameters are zero.{" "}
          <button
            type="button"
            class="md-button"
            onClick={() => (store.parameters.value = { ...store.parameters.peek(), ...samples })}
          >
            Fill zeros with sample values
          </button>
        </p>
      )}
      {held.length > 0 && <p class="md-hint">{held.join(", ")}: held at rest, the motion of the joints does not tell.</p>}
      {broken && <p class="md-warning">The curves break off where there is no finite number.</p>}
      <Chart times={motion.times} curves={made.curves} dark={store.dark.value} logarithmic={props.logarithmic} />
    </div>
  );
}

function table(motion: Sampled, curves: Curve[]): string {
  return csv(
    ["time", ...curves.map(({ label }) => label)],
    motion.times.map((time, i) => [time, ...curves.map(({ values }) => values[i]!)]),
  );
}

function Chart(props: { times: number[]; curves: Curve[]; dark: boolean; logarithmic: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<{ setData: (data: AlignedData) => void; shape: string } | null>(null);
  const uplot = useAnswer(uPlot, []).value;
  const shape = `${props.curves.map(({ label }) => label).join()} ${props.dark} ${props.logarithmic}`;
  const data = useMemo(() => aligned(props.times, props.curves, props.logarithmic), [props.times, props.curves, props.logarithmic]);
  const latest = useRef(data);
  latest.current = data;

  useEffect(() => {
    if (!uplot) return;
    const element = box.current!;
    const made = new uplot(settings(element, props.curves, props.logarithmic), latest.current, element);
    chart.current = { setData: (next) => made.setData(next), shape };
    const watch = new ResizeObserver(() => made.setSize(room(element)));
    watch.observe(element);
    return () => {
      watch.disconnect();
      made.destroy();
      chart.current = null;
    };
  }, [uplot, shape]);

  useEffect(() => {
    if (chart.current?.shape === shape) chart.current.setData(data);
  }, [data]);

  return <div ref={box} class="md-chart" />;
}

async function uPlot() {
  const [{ default: made }] = await Promise.all([import("uplot"), import("uplot/dist/uPlot.min.css")]);
  return made;
}

/** Gaps where there is no finite number; on a logarithmic axis also where there is nothing above zero. */
function aligned(times: number[], curves: Curve[], logarithmic: boolean): AlignedData {
  const shown = (value: number): number | null => (Number.isFinite(value) && !(logarithmic && value <= 0) ? value : null);
  return [times, ...curves.map(({ values }) => values.map(shown))];
}

function room(element: HTMLElement): { width: number; height: number } {
  return { width: element.clientWidth, height: Math.max(120, element.clientHeight - 34) };
}

function settings(element: HTMLElement, curves: Curve[], logarithmic: boolean): Options {
  const style = getComputedStyle(element);
  const line = style.getPropertyValue("--line") || "#888";
  const axis = { stroke: style.getPropertyValue("--muted") || "#888", grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
  return {
    ...room(element),
    scales: { x: { time: false }, y: logarithmic ? { distr: 3 } : {} },
    axes: [{ ...axis, values: (_, ticks) => ticks.map((tick) => `${tick} s`) }, { ...axis, size: 64 }],
    series: [
      { label: "t", value: (_, value) => (value === null ? "" : `${value.toFixed(2)} s`) },
      ...curves.map(({ label }, i) => ({
        label,
        stroke: COLOURS[i % COLOURS.length]!,
        width: 1.5,
        dash: i >= COLOURS.length ? [6, 4] : undefined,
        value: (_: unknown, value: number | null) => (value === null ? "" : String(Number(value.toPrecision(4)))),
      })),
    ],
  };
}
