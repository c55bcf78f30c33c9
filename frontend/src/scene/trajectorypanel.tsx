// A trajectory, edited by a form or as text, and computed with its torques.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import type { TrajectoryAnswer } from "../backend/messages";
import type { Store } from "../store/store";
import type { Control } from "./control";
import { newTrajectory, line, PART_KINDS, defaultFields, withPart, type Fields, type FormKind } from "./trajectoryText";
import { Field } from "./jointspanel";
import { Running, Wrong } from "./runparts";
import { nameOf } from "./motionPlot";

export function TrajectoryPanel({ store, control }: { store: Store; control: Control }) {
  const { runs } = control;
  const view = control.drawn.value!;
  const step = useSignal(0.01);
  const ready = control.ready.value;
  useEffect(() => {
    if (ready && !runs.text.peek()) runs.text.value = newTrajectory(view, store.q.peek());
  }, [view.name, ready]);
  return (
    <>
      <PartForm store={store} control={control} />
      <div class="sc-head">
        <label for="sc-trajectory">trajectory</label>
        <button
          title="Start a new trajectory in the displayed posture"
          data-testid="trajectory-new"
          onClick={() => (runs.text.value = newTrajectory(view, store.q.value))}
        >
          new
        </button>
      </div>
      <textarea
        id="sc-trajectory"
        class="sc-text"
        rows={9}
        spellcheck={false}
        wrap="off"
        data-testid="trajectory-text"
        value={runs.text.value}
        onInput={(event) => (runs.text.value = event.currentTarget.value)}
      />
      <div class="sc-row">
        <label>
          step <Field label="step" text={String(step.value)} onNumber={(x) => x > 0 && (step.value = x)} /> s
        </label>
        <button
          class="sc-main"
          data-testid="trajectory-run"
          disabled={runs.running.value !== null || !control.ready.value}
          onClick={() => void runs.follow(step.value)}
        >
          Compute
        </button>
      </div>
      <Running runs={runs} />
      <Wrong problem={runs.problem.value} />
      {runs.trajectory.value && <Peaks report={runs.trajectory.value} control={control} />}
    </>
  );
}

function PartForm({ store, control }: { store: Store; control: Control }) {
  const view = control.drawn.value!;
  const { runs } = control;
  const kind = runs.part;
  const fields = useSignal<Fields>({});
  const fillForm = (): void => {
    if (kind.value === "excitation") fields.value = { harmonics: "5", frequency: "0.1" };
    else {
      const T = control.scene.transform(control.endFrame());
      fields.value = defaultFields(kind.value, view, store.q.peek(), [T[3] ?? 0, T[7] ?? 0, T[11] ?? 0], control.scene.reach());
    }
  };
  useEffect(fillForm, [view.name]);
  const add = (): void => {
    if (kind.value === "excitation") void runs.excite(Number(fields.value["harmonics"]), Number(fields.value["frequency"]));
    else runs.text.value = withPart(runs.text.value, line(kind.value, fields.value));
  };
  return (
    <form
      class="sc-form"
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
    >
      <div class="sc-head">
        <label>
          add{" "}
          <select
            data-testid="trajectory-kind"
            value={kind.value}
            onChange={(event) => {
              kind.value = event.currentTarget.value as FormKind;
              fillForm();
            }}
          >
            {PART_KINDS.map((option) => (
              <option key={option} value={option}>
                {option}
              </option>
            ))}
          </select>
        </label>
        <span>
          <button type="button" title="Fill the form from the displayed posture" onClick={fillForm} data-testid="trajectory-here">
            current
          </button>
          <button type="submit" class="sc-main" data-testid="trajectory-add" disabled={runs.running.value !== null}>
            {kind.value === "excitation" ? "Optimise" : "Add"}
          </button>
        </span>
      </div>
      {Object.entries(fields.value).map(([name, text]) => (
        <label key={name} class="sc-entry">
          <span>{name}</span>
          <input
            value={text}
            spellcheck={false}
            data-testid={`trajectory-${name}`}
            onInput={(event) => (fields.value = { ...fields.value, [name]: event.currentTarget.value })}
          />
        </label>
      ))}
      {kind.value === "excitation" && <p class="sc-hint">An exciting Fourier series for the identification of the inertial parameters, within the joint limits; it replaces the text.</p>}
      {kind.value === "via" && <p class="sc-hint">Separate the postures by semicolons.</p>}
    </form>
  );
}

function Peaks({ report, control }: { report: TrajectoryAnswer; control: Control }) {
  const view = control.drawn.value!;
  const units = [...new Set(report.units)];
  const unit = units.length === 1 ? ` [${units[0]}]` : "";
  const figure = (x: number): string => String(Number(x.toPrecision(4)));
  return (
    <div data-testid="trajectory-peaks">
      <table class="sc-waves sc-peaks">
        <thead>
          <tr>
            <td />
            <th title="largest torque, with its sign">peak torque{unit}</th>
            <th title="root mean square of the torque">rms torque{unit}</th>
            <th title="largest power">peak power [W]</th>
            <th title="energy delivered by the actuator">energy [J]</th>
          </tr>
        </thead>
        <tbody>
          {report.peaks.map((peak, k) => (
            <tr key={peak.joint} class={report.passed.some(({ joint }) => joint === peak.joint) ? "sc-passed" : ""}>
              <th title={nameOf(view, peak.joint)}>{nameOf(view, peak.joint)}</th>
              <td title={`${figure(peak.torque)} ${report.units[k]} at ${figure(peak.torque_time)} s`}>{figure(peak.torque)}</td>
              <td>{figure(peak.rms)}</td>
              <td>{figure(peak.power)}</td>
              <td>{figure(peak.energy)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {report.passed.length > 0 ? (
        <ul class="sc-limits">
          {report.passed.map((limit) => (
            <li>{limit.text}</li>
          ))}
        </ul>
      ) : (
        <p class="sc-hint">{report.verdict}</p>
      )}
      {report.warnings.map((warning) => (
        <p class="sc-hint" data-testid="trajectory-warning">
          {warning}
        </p>
      ))}
    </div>
  );
}
