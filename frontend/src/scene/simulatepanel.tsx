// A simulation from the displayed posture, under constant torques or along the trajectory; shown while it runs.

import { signal } from "@preact/signals";

import type { View } from "../backend/messages";
import type { Store } from "../store/store";
import type { Control } from "./control";
import { activeJoints, simulatedJoints } from "./trajectoryText";
import { Field } from "./jointspanel";
import { Running, Wrong } from "./runparts";

const WRENCH = ["FX", "FY", "FZ", "CX", "CY", "CZ"];
const METHODS = ["DOP853", "RK45", "RK23", "Radau", "BDF", "LSODA", "rk4"];
const STOPS: [string, string][] = [
  ["none", "ignored"],
  ["end", "end simulation"],
  ["0", "inelastic"],
  ["0.5", "elastic, e = 0.5"],
];

/** Settings, kept while the page is open. */
const settings = signal({ duration: 5, step: 0.01, method: "DOP853", friction: "events", stops: "none", drive: "torques" });

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
      <summary>wrenches of the links on the environment, N and Nm</summary>
      <table class="sc-waves">
        <thead>
          <tr>
            <th />
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

export function SimulatePanel({ control, store }: { control: Control; store: Store }) {
  const { runs } = control;
  const { torques } = runs;
  const view = control.drawn.value!;
  const now = settings.value;
  const set = (change: Partial<typeof now>): void => void (settings.value = { ...now, ...change });
  const driven = activeJoints(view).map((k) => view.joints[k]!);
  const running = runs.running.value === "simulation";
  const start = (): void =>
    void runs.simulate({
      ...now,
      tau: simulatedJoints(view).map((k) => (view.joints[k]!.active ? (torques.value[view.joints[k]!.frame] ?? 0) : 0)),
      track: now.drive === "trajectory" ? runs.text.value : null,
    });
  return (
    <>
      <p class="sc-hint">The simulation starts at rest in the displayed posture.</p>
      <label class="sc-choice">
        <span>driven by</span>
        <select value={now.drive} data-testid="simulate-drive" onChange={(event) => set({ drive: event.currentTarget.value })}>
          <option value="torques">torques</option>
          <option value="trajectory" disabled={!runs.text.value}>
            the trajectory (computed torque)
          </option>
        </select>
      </label>
      {now.drive === "torques" && (
        <table class="sc-waves sc-torques">
          <tbody>
            {driven.map((joint) => (
              <tr key={joint.frame}>
                <th title={joint.name}>{joint.name}</th>
                <td>
                  <Field
                    label={`torque of ${joint.name}`}
                    text={String(torques.value[joint.frame] ?? 0)}
                    onNumber={(x) => (torques.value = { ...torques.value, [joint.frame]: x })}
                  />
                </td>
                <td class="sc-unit">{joint.kind === "P" ? "N" : "Nm"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Wrenches store={store} rows={openWrenches(view)} />
      <label class="sc-choice">
        <span>integrator</span>
        <select value={now.method} data-testid="simulate-method" onChange={(event) => set({ method: event.currentTarget.value })}>
          {METHODS.map((method) => (
            <option key={method} value={method}>
              {method === "rk4" ? "rk4, fixed step" : method}
            </option>
          ))}
        </select>
      </label>
      <label class="sc-choice">
        <span>Coulomb friction</span>
        <select value={now.friction} onChange={(event) => set({ friction: event.currentTarget.value })}>
          <option value="events">stick-slip</option>
          <option value="sign">sign(qd)</option>
        </select>
      </label>
      <label class="sc-choice">
        <span>joint limits</span>
        <select value={now.stops} onChange={(event) => set({ stops: event.currentTarget.value })}>
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
      <div class="sc-row">
        <label>
          for <Field label="duration" text={String(now.duration)} onNumber={(x) => x > 0 && set({ duration: x })} /> s
        </label>
        <button class="sc-main" data-testid="simulate-run" disabled={running || !control.ready.value} onClick={start}>
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
    </>
  );
}
