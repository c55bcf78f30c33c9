// Torques, energy, singular values and outputs along the motion, computed in the page.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";

import type { View } from "../backend/messages";
import { Chart } from "../plot/chart";
import { axisTitle, svgOf, type Plot } from "../plot/svg";
import type { Store } from "../store/store";
import { csv } from "./csv";
import { save } from "../store/download";
import type { Program } from "./evaluate";
import { closed, differentiated, defaultMotion, type SampledMotion } from "./motion";
import { ProblemPanel, Segments, useAnswer, Waiting } from "./parts";
import { curvesAlong, heldInputs, KINDS, plotsOf, type Kind } from "./plotKinds";
import { sampleValues } from "./prefill";
import { problemOf, type Session } from "./session";
import { storedSignal } from "./storedSignal";

const chosen = storedSignal("plot", "torques");

export function Plots({ session }: { session: Session }) {
  const { store } = session;
  const view = store.view.value!;
  const shown = session.shown.value;
  const logarithmic = useSignal(false);
  const kinds = KINDS.filter(({ model }) => model !== null || shown !== null);
  const kind = kinds.find(({ id }) => id === chosen.value) ?? kinds[0]!;
  const model = kind.model ?? shown!.request.model;
  const options = kind.model ? {} : shown!.request.options;
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
        {store.motion.value ? "along the motion of the scene" : "each joint oscillates about the posture for 4 s"}
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

/** Return the motion for the plots, with its loops closed. */
export function motionOf(store: Store, loops: Program | null): SampledMotion {
  const view = store.view.peek()!;
  const given = store.motion.peek();
  const motion = given ?? defaultMotion(view.joints, store.q.peek());
  if (loops) return differentiated(closed(motion, view, loops, store.parameters.peek()));
  return given ? differentiated(given) : (motion as SampledMotion);
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
  // The curves do not depend on the posture while a motion is played.
  const motion = useMemo(
    () => motionOf(store, props.loops),
    [view, given, given ? null : store.q.value, props.loops ? parameters : null, props.loops],
  );
  const typed = props.kind.model ? undefined : props.session.typed.value;
  const made = useMemo(() => {
    try {
      return { curves: curvesAlong(props.kind, props.program, motion, view.joints, parameters, typed), problem: null };
    } catch (error) {
      return { curves: [], problem: problemOf(error) };
    }
  }, [props.kind, props.program, motion, parameters, typed]);
  const constant = heldInputs(props.program);
  const ports = props.session.shown.value?.answer.ports ?? [];
  const plots: Plot[] = useMemo(
    () => plotsOf(props.kind, made.curves, view.joints, ports).map((plot) => ({ ...plot, logarithmic: props.logarithmic })),
    [props.kind, made, view, ports, props.logarithmic],
  );
  const file = `${view.file ?? "robot"}_${props.kind.id}`;
  const samples = sampleValues(props.program.module.PARAMETERS ?? [], parameters, view.nominal);
  const broken = made.curves.some(({ values }) => values.some((value) => !Number.isFinite(value)));
  return (
    <div class="md-column">
      <div class="md-bar">
        {props.bar}
        <span class="md-space" />
        <button type="button" class="md-button" title="Save the plots as SVG" onClick={() => save(`${file}.svg`, svgOf(motion.times, plots))}>
          SVG
        </button>
        <button type="button" class="md-button" title="Save the plotted values as CSV" onClick={() => save(`${file}.csv`, table(motion, plots))}>
          CSV
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
      {constant.length > 0 && (
        <p class="md-hint">{constant.join(", ")}: constant along the motion. Values that are typed in the tab Numbers are used.</p>
      )}
      {broken && <p class="md-warning">The curves have gaps where a value is not finite.</p>}
      <div class="md-charts" tabIndex={0} role="group" aria-label="plots">
        {plots.map((plot) => (
          <Chart
            key={`${plot.title} ${plot.unit}`}
            times={motion.times}
            curves={plot.curves}
            axis={axisTitle(plot.title, plot.unit)}
            dark={store.dark.value}
            logarithmic={props.logarithmic}
          />
        ))}
      </div>
    </div>
  );
}

/** Return the curves as a CSV table: the time, then one column per curve with its unit. */
function table(motion: SampledMotion, plots: readonly Plot[]): string {
  const columns = plots.flatMap(({ unit, curves }) => curves.map((curve) => ({ name: unit ? `${curve.label} [${unit}]` : curve.label, curve })));
  return csv(
    ["time [s]", ...columns.map(({ name }) => name)],
    motion.times.map((time, i) => [time, ...columns.map(({ curve }) => curve.values[i]!)]),
  );
}
