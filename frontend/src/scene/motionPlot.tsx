// Positions, velocities, torques, powers and energies under the picture, side by side, with the displayed time marked.

import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";

import type { View } from "../backend/messages";
import { csv } from "../models/csv";
import { differentiated } from "../models/motion";
import { Chart, colourOf, type Curve } from "../plot/chart";
import { svgOf, type Plot } from "../plot/svg";
import { save } from "../store/download";
import type { Store } from "../store/store";
import type { Control } from "./control";
import type { MotionEfforts, Motion } from "./scene";

const KINDS = ["positions", "velocities", "torques", "power", "energy"] as const;
type Kind = (typeof KINDS)[number];

/** Return the kinds of curves that a motion has. */
export function kindsOf({ efforts }: Motion): Kind[] {
  const there: Record<Kind, boolean> = {
    torques: efforts !== undefined,
    power: efforts?.power !== undefined,
    energy: Boolean(efforts?.kinetic && efforts.potential),
    positions: true,
    velocities: true,
  };
  return KINDS.filter((kind) => there[kind]);
}

export function curvesOf(kind: Kind, motion: Motion, view: Pick<View, "joints">): Curve[] {
  const { efforts } = motion;
  if (kind === "positions" || kind === "velocities") {
    const rows = kind === "positions" ? motion.q : differentiated(motion).qd;
    return view.joints.map((joint, k) => ({
      label: joint.name,
      unit: `${joint.kind === "P" ? "m" : "rad"}${kind === "velocities" ? "/s" : ""}`,
      values: rows.map((row) => row[k] ?? null),
    }));
  }
  if (!efforts) return [];
  if (kind === "energy") return energies(efforts);
  const rows = kind === "torques" ? efforts.tau : (efforts.power ?? []);
  return efforts.joints.map((frame, k) => ({
    label: nameOf(view, frame),
    unit: kind === "torques" ? (efforts.units[k] ?? "") : "W",
    values: rows.map((row) => row[k] ?? null),
    limit: kind === "torques" ? (efforts.limits[k] ?? null) : null,
  }));
}

function energies({ kinetic, potential }: MotionEfforts): Curve[] {
  const E = kinetic ?? [];
  const U = potential ?? [];
  const total = E.map((value, i) => (value === null || U[i] == null ? null : value + U[i]!));
  return [
    { label: "kinetic", unit: "J", values: E },
    { label: "potential", unit: "J", values: U },
    { label: "total", unit: "J", values: total },
  ];
}

export function nameOf(view: Pick<View, "joints">, frame: number): string {
  return view.joints.find((joint) => joint.frame === frame)?.name ?? `q${frame}`;
}

/** Return the plots of the chosen kinds: one per unit, because an axis has one unit. */
export function plotsOf(kinds: readonly Kind[], motion: Motion, view: Pick<View, "joints">): Plot[] {
  return kinds.flatMap((kind) => {
    const curves = curvesOf(kind, motion, view).map((curve, like) => ({ ...curve, like }));
    const units = [...new Set(curves.map(({ unit }) => unit ?? ""))];
    return units.map((unit) => ({ title: kind, unit, curves: curves.filter((curve) => (curve.unit ?? "") === unit) }));
  });
}

/** Return plots as a CSV table: the time, then one column per curve with its quantity and unit. */
export function tableOf(times: readonly number[], plots: readonly Plot[]): string {
  const columns = plots.flatMap(({ title, unit, curves }) => curves.map((curve) => ({ name: `${title} ${curve.label} [${unit}]`, curve })));
  return csv(
    ["time [s]", ...columns.map(({ name }) => name)],
    times.map((time, k) => [time, ...columns.map(({ curve }) => curve.values[k] ?? Number.NaN)]),
  );
}

export function MotionPlot({ store, control }: { store: Store; control: Control }) {
  const chosen = useSignal<readonly Kind[]>(["positions"]);
  const motion = store.motion.value!;
  const view = store.view.value!;
  const available = kindsOf(motion);
  const wanted = available.filter((kind) => chosen.value.includes(kind));
  const kinds = wanted.length > 0 ? wanted : available.slice(0, 1);
  const plots = useMemo(() => plotsOf(kinds, motion, view), [kinds.join(), motion, view]);
  const toggle = (kind: Kind): void => {
    const next = kinds.includes(kind) ? kinds.filter((one) => one !== kind) : [...kinds, kind];
    if (next.length > 0) chosen.value = next;
  };
  const file = `${view.file ?? "robot"}_${kinds.join("_")}`;
  return (
    <div class="sc-under" data-testid="scene-under">
      <div class="sc-kinds" role="group" aria-label="What is plotted">
        {available.map((one) => (
          <button key={one} aria-pressed={kinds.includes(one)} onClick={() => toggle(one)} data-testid={`scene-plot-${one}`}>
            {one}
          </button>
        ))}
        <span class="sc-save">
          <button data-testid="scene-plot-svg" title="Save the plots as SVG" onClick={() => save(`${file}.svg`, svgOf(motion.times, plots))}>
            SVG
          </button>
          <button data-testid="scene-plot-csv" title="Save the plotted values as CSV" onClick={() => save(`${file}.csv`, tableOf(motion.times, plots))}>
            CSV
          </button>
        </span>
      </div>
      <div class="sc-plots">
        {plots.map((plot) => (
          <div key={`${plot.title} ${plot.unit}`} class="sc-plot" data-testid={`scene-curves-${plot.title}`}>
            <span class="sc-names" tabIndex={0} role="group" aria-label={`Curves: ${plot.title}`}>
              {plots.length > 1 && <b>{plot.title}</b>}
              {plot.curves.map((curve, k) => (
                <span key={curve.label}>
                  <i style={{ "--c": colourOf(curve, k) }} />
                  {curve.label}
                </span>
              ))}
            </span>
            <Chart
              times={motion.times}
              curves={plot.curves}
              axis={plot.unit}
              dark={store.dark.value}
              bare
              marker={store.time}
              onSeek={(time) => control.motions.seek(time)}
            />
          </div>
        ))}
      </div>
    </div>
  );
}
