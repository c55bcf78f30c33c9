// Identification from a dropped log: reading options, estimated parameters, measured and predicted torques.

import { useSignal, type Signal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";

import type { IdentifyAnswer, View } from "../backend/messages";
import type { Problem, Progress } from "../backend/backend";
import { Chart, colourOf, type Curve } from "../plot/chart";
import { kindOf } from "../shell/motionfiles";
import type { LogFiles, Store } from "../store/store";
import { save } from "../store/download";
import { ProblemPanel, Waiting } from "./parts";
import { problemOf } from "./session";

type Answer = IdentifyAnswer;

const METHODS: [string, string][] = [
  ["ols", "ordinary least squares"],
  ["wls", "weighted least squares"],
  ["irls", "iteratively reweighted (robust)"],
  ["tls", "total least squares"],
  ["iv", "instrumental variable (IDIM-IV)"],
  ["didim", "direct and inverse (DIDIM)"],
  ["cloe", "closed-loop output error"],
];
const MODELS = ["dynamic", "filtered", "power", "energy"];
const FRICTION = ["viscous", "coulomb", "offset", "stribeck", "load"];

interface Options {
  method: string;
  model: string;
  cutoff: number;
  decimation: number;
  slow: number;
  delay: string;
  friction: string[];
  posture: string;
  essential: boolean;
  consistent: boolean;
  description: string;
}

/** Whether the first file can be played directly: it contains time and columns named after the joints. */
function playable({ files }: LogFiles): boolean {
  const [name, text] = Object.entries(files)[0] ?? ["", ""];
  const kind = kindOf({ name, text });
  return kind === "log" || kind === "rows";
}

const USUAL = { method: "wls", model: "dynamic", cutoff: 0, decimation: 1, slow: 0, delay: "", friction: FRICTION.slice(0, 3), posture: "", essential: false, consistent: false };

export function Identify({ store }: { store: Store }) {
  const log = store.log.value!;
  const options = useSignal<Options>({ ...USUAL, description: log.description });
  const answer = useSignal<Answer | null>(null);
  const problem = useSignal<Problem | null>(null);
  const progress = useSignal<Progress | null>(null);
  const abort = useRef<AbortController | null>(null);
  useEffect(() => {
    options.value = { ...options.peek(), description: log.description };
    answer.value = problem.value = null;
    return () => abort.current?.abort();
  }, [log]);

  const run = async (): Promise<void> => {
    abort.current?.abort();
    const controller = (abort.current = new AbortController());
    progress.value = {};
    problem.value = null;
    const payload = { robot: store.view.value!.robot, files: log.files, ...options.value, values: store.parameters.value };
    try {
      const onProgress = (report: Progress): void => void (progress.value = report);
      const result = await store.backend.call<Answer>("identify", payload, { signal: controller.signal, onProgress });
      if (!controller.signal.aborted) answer.value = result;
    } catch (error) {
      if (!controller.signal.aborted) problem.value = problemOf(error);
    } finally {
      if (abort.current === controller) progress.value = null;
    }
  };

  return (
    <section class="md-pane" aria-label="Identification" data-testid="identify">
      <header class="md-header">
        <div class="md-title">
          <button type="button" class="md-back" title="Close the log" aria-label="Close the log" onClick={() => (store.log.value = null)}>
            ‹
          </button>
          <span class="md-menu">Log</span>
          <h2>{Object.keys(log.files).join(", ")}</h2>
        </div>
        {progress.value && (
          <span class="md-progress" role="status">
            <progress value={progress.value.total ? progress.value.done : undefined} max={progress.value.total || undefined} />
            <span>{progress.value.step ?? "identifying"}</span>
            <button type="button" class="md-button" onClick={() => cancel(abort.current, progress)}>
              Cancel
            </button>
          </span>
        )}
        {answer.value && <Results store={store} answer={answer.value} />}
      </header>
      <div class="md-body">
        <Form store={store} log={log} options={options} busy={progress.value !== null} onRun={() => void run()} />
        <div class="md-result">
          {problem.value && <ProblemPanel problem={problem.value} />}
          {!answer.value && !problem.value && (
            <Waiting>
              {progress.value
                ? "estimating the parameters …"
                : "Press Identify to estimate the robot's parameters from this log. Measured positions need a low-pass filter (for example 100 Hz). Decimate a log of several thousand samples per second (for example by 100). With dry friction, drop samples at low velocity (for example 0.1)."}
            </Waiting>
          )}
          {answer.value && <Report store={store} answer={answer.value} />}
        </div>
      </div>
    </section>
  );
}

function cancel(asking: AbortController | null, progress: Signal<Progress | null>): void {
  asking?.abort();
  progress.value = null;
}

interface FormProps {
  store: Store;
  log: LogFiles;
  options: Signal<Options>;
  busy: boolean;
  onRun: () => void;
}

function Form({ store, log, options, busy, onRun }: FormProps) {
  const now = options.value;
  const set = (change: Partial<Options>): void => void (options.value = { ...now, ...change });
  const amount = (name: "cutoff" | "decimation" | "slow", title: string, hint: string, step: number) => (
    <label class="md-option" title={hint}>
      <span>{title}</span>
      <input
        type="number"
        min={name === "decimation" ? 1 : 0}
        step={step}
        value={now[name]}
        data-testid={`identify-${name}`}
        onChange={(event) => Number.isFinite(event.currentTarget.valueAsNumber) && set({ [name]: event.currentTarget.valueAsNumber })}
      />
    </label>
  );
  const flag = (name: "essential" | "consistent", title: string) => (
    <label class="md-flag">
      <input type="checkbox" checked={now[name]} data-testid={`identify-${name}`} onChange={(event) => set({ [name]: event.currentTarget.checked })} />
      <span>{title}</span>
    </label>
  );
  const toggled = (word: string): string[] =>
    FRICTION.filter((one) => (one === word ? !now.friction.includes(one) : now.friction.includes(one)));
  return (
    <div class="md-side md-identify">
      <label class="md-option">
        <span>method</span>
        <select class="md-select" value={now.method} onChange={(event) => set({ method: event.currentTarget.value })}>
          {METHODS.map(([id, title]) => (
            <option key={id} value={id}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <label class="md-option">
        <span>model</span>
        <select class="md-select" value={now.model} onChange={(event) => set({ model: event.currentTarget.value })}>
          {MODELS.map((id) => (
            <option key={id} value={id}>
              {id}
            </option>
          ))}
        </select>
      </label>
      {amount("cutoff", "filter, Hz", "cutoff frequency of the zero-phase low-pass filter of the positions; 0 disables it", 1)}
      {amount("decimation", "decimation", "keep one of this number of samples, in all columns", 1)}
      {amount("slow", "minimum |qd|", "samples of a joint at a lower velocity are dropped; 0 keeps all", 0.01)}
      <label class="md-option" title="delay of the torques with respect to the positions in seconds, hold for a zero-order hold, or estimate; default: the value in the description of the log">
        <span>delay, s</span>
        <input
          type="text"
          placeholder="0"
          value={now.delay}
          data-testid="identify-delay"
          onChange={(event) => set({ delay: event.currentTarget.value.trim() })}
        />
      </label>
      <fieldset class="md-friction">
        <legend>friction</legend>
        {FRICTION.map((word) => (
          <label key={word} class="md-flag">
            <input type="checkbox" checked={now.friction.includes(word)} onChange={() => set({ friction: toggled(word) })} />
            <span>{word}</span>
          </label>
        ))}
      </fieldset>
      {(store.view.value?.loops.length ?? 0) > 0 && (
        <label class="md-option" title="approximate positions of all joints at the first sample, or the name of a posture; selects the assembly mode of the loops; default: home">
          <span>posture</span>
          <input
            type="text"
            list="identify-postures"
            placeholder="home"
            value={now.posture}
            data-testid="identify-posture"
            onChange={(event) => set({ posture: event.currentTarget.value })}
          />
          <datalist id="identify-postures">
            {Object.keys(store.view.value?.postures ?? {}).map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </label>
      )}
      {flag("essential", "reduced (essential) parameters")}
      {flag("consistent", "physically consistent parameters")}
      <details open={now.description !== ""}>
        <summary>columns and units</summary>
        <textarea
          rows={6}
          wrap="off"
          spellcheck={false}
          placeholder={"symoro-log: 1\nrate: 1000\nposition: {columns: [a, b], unit: deg}\ntorque: {columns: [c, d]}"}
          value={now.description}
          data-testid="identify-description"
          onInput={(event) => set({ description: event.currentTarget.value })}
        />
      </details>
      <div class="md-actions">
        <button type="button" class="md-button md-go" disabled={busy || !store.view.value} data-testid="identify-run" onClick={onRun}>
          Identify
        </button>
        <button
          type="button"
          class="md-button"
          data-testid="identify-play"
          disabled={!playable(log)}
          title={playable(log) ? "Move the robot along the log" : "A log can be played if one file contains time and q1, q2, …"}
          onClick={() => (store.droppedMotion.value = { kind: "rows", text: Object.values(log.files)[0] ?? "" })}
        >
          Play
        </button>
      </div>
    </div>
  );
}

function Results({ store, answer }: { store: Store; answer: Answer }) {
  const name = store.view.value?.file ?? "robot";
  return (
    <span class="md-actions">
      <button type="button" class="md-button" onClick={() => save(`${name}_identification.html`, answer.files["report.html"] ?? "")}>
        Report (HTML)
      </button>
      <button type="button" class="md-button" onClick={() => save(`${name}_identification.md`, answer.files["report.md"] ?? "")}>
        Report (Markdown)
      </button>
      <button
        type="button"
        class="md-button"
        data-testid="identify-open"
        title="Replace the parameters of the robot by the estimates; Undo restores the previous values"
        onClick={() => void store.backend.call<View>("robot_view", { robot: answer.robot }).then((view) => store.show(view))}
      >
        Use the estimates
      </button>
    </span>
  );
}

/** Return measured torques, predicted torques and residuals of one equation. */
export function compared({ measured, predicted }: Pick<Answer, "measured" | "predicted">, k: number): Curve[] {
  const column = (rows: (number | null)[][]): (number | null)[] => rows.map((row) => row[k] ?? null);
  const [one, other] = [column(measured), column(predicted)];
  return [
    { label: "measured", values: one },
    { label: "predicted", values: other, dashed: true },
    { label: "residual", values: one.map((value, i) => (value === null || other[i] == null ? null : value - other[i]!)) },
  ];
}

const ROWS: [string, string][] = [
  ["kept", "the samples used"],
  ["all", "all samples"],
  ["held_out", "the last third, predicted from the first two thirds"],
];

/** Return a one-line summary: number of parameters and relative weighted residual. */
export function summary({ parameters, residuals }: Pick<Answer, "parameters" | "residuals">): string {
  const left = ROWS.flatMap(([name, rows]) => {
    const share = residuals[name];
    return share == null ? [] : [`${(100 * share).toFixed(1)} % on ${rows}`];
  });
  return `${parameters.length} parameters; weighted residual ${left.join(", ")}`;
}

/** Return the unit of a joint's torque; empty for an equation that does not belong to a joint. */
function unitOf(view: View | null, label: string): string {
  const joint = view?.joints.find(({ frame }) => String(frame) === label);
  return joint ? (joint.kind === "P" ? "N" : "N m") : "";
}

function Report({ store, answer }: { store: Store; answer: Answer }) {
  const charts = useMemo(() => answer.labels.map((_, k) => compared(answer, k)), [answer]);
  return (
    <div class="md-view md-report" data-testid="identify-report">
      <p>{summary(answer)}</p>
      {answer.warnings.map((warning) => (
        <p class="md-warning">{warning}</p>
      ))}
      <div class="md-compared">
        {answer.labels.map((label, k) => (
          <figure key={label}>
            <figcaption>
              <b>{/^\d+$/.test(label) ? `joint ${label}` : label}</b>
              {unitOf(store.view.value, label) && <span class="md-muted">{unitOf(store.view.value, label)}</span>}
              {charts[k]!.map((curve, at) => (
                <span style={{ color: colourOf(curve, at) }}>{curve.label}</span>
              ))}
            </figcaption>
            <Chart times={answer.times} curves={charts[k]!} dark={store.dark.value} bare />
          </figure>
        ))}
      </div>
      {answer.sections.map((section) => (
        <section key={section.title}>
          <h3>{section.title}</h3>
          {section.text.map((text) => (
            <p>{text}</p>
          ))}
          {section.rows.length > 0 && (
            <table class="md-table md-section">
              {section.head.some(Boolean) && (
                <thead>
                  <tr>
                    {section.head.map((cell) => (
                      <th>{cell}</th>
                    ))}
                  </tr>
                </thead>
              )}
              <tbody>
                {section.rows.map((row) => (
                  <tr>
                    {row.map((cell) => (
                      <td>{cell}</td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </section>
      ))}
    </div>
  );
}
