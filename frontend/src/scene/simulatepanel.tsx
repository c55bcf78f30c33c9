// A simulation from the displayed posture, under constant torques or along the trajectory; shown while it runs.

import type { Signal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import type { View } from "../backend/messages";
import type { Store } from "../store/store";
import type { Control } from "./control";
import { Field } from "./jointspanel";
import { Running, Wrong } from "./runparts";
import type { Runs, SimulationSettings } from "./runs";
import { simulatedJoints } from "./trajectoryText";

const WRENCH = ["FX", "FY", "FZ", "CX", "CY", "CZ"];
const WITHOUT_EVENTS: ReadonlySet<string> = new Set(["rk4", "dopri5"]);
const TITLES: Record<string, string> = { rk4: "rk4, fixed step", dopri5: "Dormand-Prince 5(4), in this page" };
const STOPS: [string, string][] = [
  ["none", "ignored"],
  ["end", "end simulation"],
  ["0", "inelastic"],
  ["0.5", "elastic, e = 0.5"],
];

/**
 * Return the wrenches that contain free symbols, by link number: the symbols of their entries, "" for other entries.
 */
export function openWrenches({ tables, symbols }: View): { link: number | string; names: string[] }[] {
  const table = tables.find(({ title }) => title === "wrenches");
  const rows = table?.rows.map(({ j, cells }) => ({ link: j, names: cells.map((cell) => (symbols.includes(cell) ? cell : "")) }));
  return rows?.filter(({ names }) => names.some(Boolean)) ?? [];
}

/** Wrenches of the links on the environment, constant during the simulation: values of the robot's symbols. */
function Wrenches({ store, rows }: { store: Store; rows: ReturnType<typeof openWrenches> }) {
  if (!rows.length) return null;
  const { parameters } = store;
  return (
    <details data-testid="simulate-wrenches">
      <summary>wrenches of the links on the environment, N and N m</summary>
      <table class="sc-waves">
        <thead>
          <tr>
            <td />
            {WRENCH.map((name) => (
              <th key={name}>{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ link, names }) => (
            <tr key={link}>
              <th>{link}</th>
              {names.map((name, k) => (
                <td key={k}>
                  {name && (
                    <Field
                      label={name}
                      text={String(parameters.value[name] ?? 0)}
                      onNumber={(x) => (parameters.value = { ...parameters.value, [name]: x })}
                    />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

const BASE = ["vx", "vy", "vz", "wx", "wy", "wz"];

/** Velocity of a floating base at the start, in its own axes. */
function BaseVelocity({ values }: { values: Signal<number[]> }) {
  return (
    <details data-testid="simulate-base">
      <summary>initial velocity of the base, m/s and rad/s</summary>
      <table class="sc-waves">
        <thead>
          <tr>
            {BASE.map((name) => (
              <th key={name}>{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          <tr>
            {BASE.map((name, k) => (
              <td key={name}>
                <Field label={`base ${name}`} text={String(values.value[k])} onNumber={(x) => (values.value = values.value.with(k, x))} />
              </td>
            ))}
          </tr>
        </tbody>
      </table>
    </details>
  );
}

/** Initial modal coordinates of flexible links, and their rates. */
function Modes({ control, view }: { control: Control; view: View }) {
  const { runs } = control;
  if (!view.modes) return null;
  const field = (of: Signal<Record<number, number>>, k: number, label: string, onNumber: () => void = () => undefined) => (
    <Field
      label={label}
      text={String(of.value[k] ?? 0)}
      onNumber={(x) => {
        of.value = { ...of.value, [k]: x };
        onNumber();
      }}
    />
  );
  return (
    <details data-testid="simulate-modes" open>
      <summary>initial modal coordinates of the flexible links</summary>
      <table class="sc-waves">
        <thead>
          <tr>
            <td />
            <th colSpan={2}>coordinate</th>
            <th colSpan={2}>rate</th>
          </tr>
        </thead>
        <tbody>
          {view.modes.map((name, k) => {
            const unit = name.startsWith("et") ? "rad" : "m"; // torsion, or deflection of the tip
            return (
              <tr key={name}>
                <th>{name}</th>
                <td>{field(runs.modes, k, `initial ${name}`, () => control.bend())}</td>
                <td class="sc-unit">{unit}</td>
                <td>{field(runs.modeRates, k, `initial rate of ${name}`)}</td>
                <td class="sc-unit">{unit}/s</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </details>
  );
}

/** Constant torques and initial velocities of the joints. */
function JointInputs({ runs, view }: { runs: Runs; view: View }) {
  const { torques, velocities } = runs;
  const constant = runs.settings.value.drive === "torques";
  const field = (of: Signal<Record<number, number>>, frame: number, label: string) => (
    <Field label={label} text={String(of.value[frame] ?? 0)} onNumber={(x) => (of.value = { ...of.value, [frame]: x })} />
  );
  return (
    <table class="sc-waves sc-torques">
      <thead>
        <tr>
          <td />
          {constant && <th colSpan={2}>torque or force</th>}
          <th colSpan={2}>initial velocity</th>
        </tr>
      </thead>
      <tbody>
        {simulatedJoints(view).map((k) => {
          const joint = view.joints[k]!;
          const linear = joint.kind === "P";
          return (
            <tr key={joint.frame}>
              <th title={joint.name}>{joint.name}</th>
              {constant && <td>{joint.active && field(torques, joint.frame, `torque of ${joint.name}`)}</td>}
              {constant && <td class="sc-unit">{joint.active && (linear ? "N" : "N m")}</td>}
              <td>{field(velocities, joint.frame, `initial velocity of ${joint.name}`)}</td>
              <td class="sc-unit">{linear ? "m/s" : "rad/s"}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

export function SimulatePanel({ control, store }: { control: Control; store: Store }) {
  const { runs } = control;
  const view = control.drawn.value!;
  const now = runs.settings.value;
  // The settings of this moment, not those of the last rendering: a field may have changed since.
  const set = (change: Partial<SimulationSettings>): void => void (runs.settings.value = { ...runs.settings.peek(), ...change });
  const running = runs.running.value === "simulation";
  useEffect(() => void runs.loadIntegrators(), []);
  const integrators = runs.integrators.value;
  // Integrators without events ignore joint limits, so that these require another integrator where there is one.
  const others = integrators?.some((name) => !WITHOUT_EVENTS.has(name));
  const methods = (integrators ?? [now.method]).filter((name) => !others || !WITHOUT_EVENTS.has(name) || now.stops === "none");
  const method = methods.includes(now.method) ? now.method : methods[0];
  const eventless = method !== undefined && WITHOUT_EVENTS.has(method);
  const drive = runs.text.value && method !== "dopri5" ? now.drive : "torques";
  return (
    <>
      <p class="sc-hint">The simulation starts in the displayed posture{view.base !== "fixed" ? " and pose of the base" : ""}.</p>
      <label class="sc-choice">
        <span>driven by</span>
        <select
          value={drive}
          data-testid="simulate-drive"
          onChange={(event) => set({ drive: event.currentTarget.value as SimulationSettings["drive"] })}
        >
          <option value="torques">torques</option>
          <option value="trajectory" disabled={!runs.text.value || method === "dopri5"}>
            the trajectory (computed torque)
          </option>
        </select>
      </label>
      {drive === "trajectory" && (
        <label class="sc-choice">
          <span>gains kp, kd</span>
          <span class="sc-seconds">
            <Field label="kp" text={String(now.kp)} onNumber={(x) => x >= 0 && set({ kp: x })} /> 1/s²
            <Field label="kd" text={String(now.kd)} onNumber={(x) => x >= 0 && set({ kd: x })} /> 1/s
          </span>
        </label>
      )}
      <div class="sc-row">
        <label>
          for <Field label="duration" text={String(now.duration)} onNumber={(x) => x > 0 && set({ duration: x })} /> s
        </label>
        <button
          class="sc-main"
          data-testid="simulate-run"
          disabled={running || !control.ready.value || method === undefined}
          onClick={() => {
            set({ method: method!, drive });
            void runs.simulate();
          }}
        >
          Simulate
        </button>
      </div>
      <Running runs={runs} />
      <Wrong problem={runs.problem.value} />
      {runs.ended.value && (
        <p class="sc-hint" data-testid="simulate-ended">
          {runs.ended.value}
        </p>
      )}
      <JointInputs runs={runs} view={view} />
      {view.base === "floating" && <BaseVelocity values={runs.baseVelocity} />}
      <Modes control={control} view={view} />
      <Wrenches store={store} rows={openWrenches(view)} />
      <label class="sc-choice">
        <span>integrator</span>
        <select value={method} data-testid="simulate-method" onChange={(event) => set({ method: event.currentTarget.value })}>
          {methods.map((name) => (
            <option key={name} value={name}>
              {TITLES[name] ?? name}
            </option>
          ))}
        </select>
      </label>
      {integrators?.length === 0 && <p class="sc-hint">This installation of symoro has no integrator: install the package scipy.</p>}
      {method === "dopri5" && (
        <p class="sc-hint">
          This page integrates by itself: constant torques, friction sign(qd), no joint stops. For stick-slip, stops and
          computed torque, run symoro on your computer: pip install symoro, then symoro gui.
        </p>
      )}
      <label class="sc-choice">
        <span>Coulomb friction</span>
        <select
          value={eventless ? "sign" : now.friction}
          disabled={eventless}
          onChange={(event) => set({ friction: event.currentTarget.value })}
        >
          <option value="events">stick-slip</option>
          <option value="sign">sign(qd)</option>
        </select>
      </label>
      <label class="sc-choice">
        <span>joint limits</span>
        <select value={eventless ? "none" : now.stops} disabled={eventless} data-testid="simulate-stops" onChange={(event) => set({ stops: event.currentTarget.value })}>
          {STOPS.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      </label>
      <label class="sc-choice">
        <span>sample step</span>
        <span class="sc-seconds">
          <Field label="sample step" text={String(now.step)} onNumber={(x) => x > 0 && set({ step: x })} /> s
        </span>
      </label>
    </>
  );
}
