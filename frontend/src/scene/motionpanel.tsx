// The panel of motions (one wave per joint, a file, a trajectory, a simulation) and the playback bar.

import { signal, useSignal } from "@preact/signals";

import type { Store } from "../store/store";
import type { Control } from "./control";
import { Field, degrees } from "./jointspanel";
import { decimals, fromShown, toShown } from "./joints";
import type { Wave } from "./motion";
import { SimulatePanel } from "./simulatepanel";
import { TrajectoryPanel } from "./trajectorypanel";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

const SECTIONS = ["waves", "trajectory", "simulation"] as const;
/** Kind of motion whose form is shown. */
export const section = signal<(typeof SECTIONS)[number]>("waves");

export function MotionPanel({ store, control }: { store: Store; control: Control }) {
  if (!control.drawn.value) return null;
  return (
    <>
      <div class="sc-sections" role="group" aria-label="Kind of motion">
        {SECTIONS.map((name) => (
          <button key={name} aria-pressed={section.value === name} data-testid={`motion-${name}`} onClick={() => (section.value = name)}>
            {name}
          </button>
        ))}
      </div>
      {section.value === "waves" && <Waves control={control} />}
      {section.value === "trajectory" && <TrajectoryPanel store={store} control={control} />}
      {section.value === "simulation" && <SimulatePanel control={control} store={store} />}
      {store.motion.value && (
        <div class="sc-row">
          <button onClick={() => (store.motion.value = null)}>Remove the motion</button>
        </div>
      )}
    </>
  );
}

function Waves({ control }: { control: Control }) {
  const seconds = useSignal(8);
  const view = control.drawn.value;
  if (!view) return null;
  const waves = control.motions.waves.value;
  const usual = control.motions.usualWaves();
  return (
    <>
      <div class="sc-head">
        <span>one sinusoid per joint</span>
        {waves.size > 0 && <button onClick={() => (control.motions.waves.value = new Map())}>defaults</button>}
      </div>
      <div class="sc-row">
        <label>
          for <Field label="seconds" text={trimmed(seconds.value, 1)} onNumber={(x) => x > 0 && x <= 600 && (seconds.value = x)} /> s
        </label>
        <button
          class="sc-main"
          data-testid="scene-swing"
          disabled={control.motions.preparing.value || !control.ready.value}
          onClick={() => void control.motions.swing(seconds.value)}
        >
          {control.motions.preparing.value ? "closing loops …" : "Play"}
        </button>
      </div>
      <table class="sc-waves">
        <thead>
          <tr>
            <td />
            <th>ampl.</th>
            <th>Hz</th>
            <th>phase</th>
          </tr>
        </thead>
        <tbody>
          {control.moved.value.map((k) => {
            const joint = view.joints[k]!;
            const wave = waves.get(k) ?? usual.get(k)!;
            const set = (change: Partial<Wave>) => {
              const all = new Map([...usual, ...waves]);
              all.set(k, { ...wave, ...change });
              control.motions.waves.value = all;
            };
            const angle = (x: number) => (degrees.value ? (x * 180) / Math.PI : x);
            return (
              <tr key={k}>
                <th title={joint.name}>{joint.name}</th>
                <td>
                  <Field
                    label={`${joint.name} amplitude`}
                    text={trimmed(toShown(joint, wave.amplitude, degrees.value), decimals(joint, view.bodies.size, degrees.value))}
                    onNumber={(x) => set({ amplitude: fromShown(joint, x, degrees.value) })}
                  />
                </td>
                <td>
                  <Field label={`${joint.name} frequency`} text={trimmed(wave.frequency, 3)} onNumber={(x) => set({ frequency: x })} />
                </td>
                <td>
                  <Field
                    label={`${joint.name} phase`}
                    text={trimmed(angle(wave.phase), degrees.value ? 1 : 2)}
                    onNumber={(x) => set({ phase: degrees.value ? (x * Math.PI) / 180 : x })}
                  />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <div class="sc-head">
        <span>from a CSV file</span>
      </div>
      <p class="sc-hint">
        Columns: time, then joints by name or as q{view.joints[0]?.frame ?? 1}, q{view.joints[1]?.frame ?? 2} …; in seconds, radians and metres.
      </p>
      <input
        type="file"
        accept=".csv,text/csv,text/plain"
        aria-label="CSV file of a motion"
        data-testid="scene-csv"
        onChange={async (event) => {
          const input = event.currentTarget;
          const file = input.files?.[0];
          if (file) await control.motions.csv(await file.text());
          input.value = "";
        }}
      />
    </>
  );
}

function trimmed(value: number, digits: number): string {
  return String(+value.toFixed(digits));
}

export function Transport({ store, control }: { store: Store; control: Control }) {
  const motion = store.motion.value!;
  const [start, end] = [motion.times[0]!, motion.times.at(-1)!];
  return (
    <div class="sc-transport" role="group" aria-label="Motion" data-testid="scene-transport">
      <button
        data-testid="scene-play"
        aria-label={control.motions.playing.value ? "Pause" : "Play"}
        title="Play or pause (space)"
        onClick={() => (control.motions.playing.value ? control.motions.pause() : control.motions.play())}
      >
        {control.motions.playing.value ? "❚❚" : "▶"}
      </button>
      <input
        type="range"
        aria-label="Time"
        data-testid="scene-time"
        min={start}
        max={end}
        step={(end - start) / 1000}
        value={store.time.value}
        onInput={(event) => control.motions.seek(event.currentTarget.valueAsNumber)}
      />
      <span class="sc-clock">
        {store.time.value.toFixed(2)} / {end.toFixed(2)} s
      </span>
      <select
        aria-label="Speed"
        value={String(control.motions.speed.value)}
        onChange={(event) => control.motions.setSpeed(Number(event.currentTarget.value))}
      >
        {SPEEDS.map((speed) => (
          <option key={speed} value={String(speed)}>
            {speed}×
          </option>
        ))}
      </select>
    </div>
  );
}
