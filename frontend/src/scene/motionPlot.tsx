// Torques, powers and energies under the picture, with the displayed time marked.

import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";

import type { View } from "../backend/messages";
import { Chart, colourOf, type Curve } from "../plot/chart";
import type { Store } from "../store/store";
import type { Control } from "./control";
import type { MotionEfforts, Motion } from "./scene";

const KINDS = [
  ["torques", "torques"],
  ["power", "power"],
  ["energy", "energy"],
  ["positions", "positions"],
] as const;
type Kind = (typeof KINDS)[number][0];

/** Return the kinds of curves that a motion has. */
export function kindsOf({ efforts }: Motion): Kind[] {
  const there: Record<Kind, boolean> = {
    torques: efforts !== undefined,
    power: efforts?.power !== undefined,
    energy: Boolean(efforts?.kinetic && efforts.potential),
    positions: true,
  };
  return KINDS.flatMap(([kind]) => (there[kind] ? [kind] : []));
}

export function curvesOf(kind: Kind, motion: Motion, view: Pick<View, "joints">): Curve[] {
  const { efforts } = motion;
  if (kind === "positions") {
    return view.joints.map((joint, k) => ({
      label: joint.name,
      unit: joint.kind === "P" ? "m" : "rad",
      values: motion.q.map((row) => row[k] ?? null),
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

export function MotionPlot({ store, control }: { store: Store; control: Control }) {
  const chosen = useSignal<Kind>("torques");
  const motion = store.motion.value!;
  const view = store.view.value!;
  const kinds = kindsOf(motion);
  const kind = kinds.includes(chosen.value) ? chosen.value : kinds[0]!;
  const curves = useMemo(() => curvesOf(kind, motion, view), [kind, motion, view]);
  return (
    <div class="sc-under" data-testid="scene-under">
      <div class="sc-kinds" role="group" aria-label="What is plotted">
        {kinds.map((one) => (
          <button key={one} aria-pressed={one === kind} onClick={() => (chosen.value = one)} data-testid={`scene-plot-${one}`}>
            {one}
          </button>
        ))}
        <span class="sc-names">
          {curves.map((curve, k) => (
            <span key={curve.label}>
              <i style={{ "--c": colourOf(curve, k) }} />
              {curve.label}
            </span>
          ))}
          <span>{[...new Set(curves.map(({ unit }) => unit))].join(", ")}</span>
        </span>
      </div>
      <Chart
        times={motion.times}
        curves={curves}
        dark={store.dark.value}
        bare
        marker={store.time}
        onSeek={(time) => control.motions.seek(time)}
      />
    </div>
  );
}
