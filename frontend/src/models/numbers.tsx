// Numerical evaluation of a model in the page, updated with the posture and the sliders.

import { useComputed } from "@preact/signals";

import type { InputData, ModelPort } from "../backend/messages";
import { evaluate, size, type Program, type Values } from "./evaluate";
import { isSolution, Matrix, meanings, statusCounts } from "./matrix";
import { ProblemPanel, Unit, useAnswer, Waiting } from "./parts";
import { prefill, sampleValues, solution } from "./prefill";
import type { Session, DerivedModel } from "./session";

export function Numbers({ session }: { session: Session }) {
  const shown = session.shown.value!;
  const { value, problem } = useAnswer(() => programs(session, shown), [shown]);
  if (problem) return <ProblemPanel problem={problem} />;
  if (!value) return <Waiting>loading the model …</Waiting>;
  return <Evaluation session={session} shown={shown} {...value} />;
}

interface Programs {
  program: Program;
  /** Transform of the frame of an inverse model, used for an initial pose that has a solution. */
  geometry: Program | null;
}

async function programs(session: Session, { view, request, answer }: DerivedModel): Promise<Programs> {
  const program = await session.program(view, request.model, request.options);
  if (!answer.inputs.T) return { program, geometry: null };
  const { frm, to } = request.options;
  const chain = Object.fromEntries(Object.entries({ frm, to }).filter(([, frame]) => frame !== undefined));
  return { program, geometry: await session.program(view, "fast-geometry", chain).catch(() => null) };
}

function Evaluation({ session, shown, program, geometry }: { session: Session; shown: DerivedModel } & Programs) {
  const { store, typed } = session;
  const { answer, view } = shown;

  const inputs = useComputed(() => {
    const state = { q: store.q.value };
    const pose = geometry ? frameTransform(geometry, view.joints, state.q, store.parameters.value) : undefined;
    return Object.fromEntries(
      Object.entries(program.inputs).map(([name, input]) => {
        const values = prefill(name, input, view.joints, state, pose);
        for (const [at, value] of Object.entries(typed.value[name] ?? {})) values[Number(at)] = value;
        return [name, values];
      }),
    );
  });
  const outputs = evaluate(program.module, inputs.value, store.parameters.value);
  const ports = new Map(answer.ports.map((port) => [port.name, port]));
  const set = (name: string, at: number, value: number): void => {
    typed.value = { ...typed.value, [name]: { ...typed.value[name], [at]: value } };
  };
  const changed = Object.keys(typed.value).length > 0;
  return (
    <div tabIndex={0} role="group" aria-label="numbers" class="md-scroll md-numbers">
      <div class="md-inputs">
        <h3>
          Inputs
          <button type="button" class="md-button" disabled={!changed} onClick={() => (typed.value = {})}>
            Use the posture
          </button>
        </h3>
        {Object.entries(program.inputs).map(([name, input]) => (
          <Input
            name={name}
            input={input}
            port={answer.ports.find((port) => port.name === name)}
            values={inputs.value[name]!}
            typed={typed.value[name] ?? {}}
            onType={(at, value) => set(name, at, value)}
          />
        ))}
        {Object.keys(program.inputs).length === 0 && <p class="md-muted">none (the model depends on parameters only)</p>}
        <Parameters session={session} names={answer.parameters} />
      </div>
      <div class="md-outputs">
        <h3>
          Outputs <span class="md-muted">computed in this page with the generated JavaScript</span>
        </h3>
        <Outputs session={session} shown={shown} program={program} outputs={outputs} ports={ports} />
      </div>
    </div>
  );
}

function frameTransform(
  geometry: Program,
  joints: DerivedModel["view"]["joints"],
  q: number[],
  parameters: Record<string, number>,
): Float64Array | undefined {
  const inputs = Object.fromEntries(
    Object.entries(geometry.inputs).map(([name, input]) => [name, prefill(name, input, joints, { q })]),
  );
  return evaluate(geometry.module, inputs, parameters).T;
}

function Input(props: {
  name: string;
  input: InputData;
  port: ModelPort | undefined;
  values: number[];
  typed: Record<number, number>;
  onType: (at: number, value: number) => void;
}) {
  const columns = props.input.shape.length === 2 ? props.input.shape[1]! : Math.min(props.values.length, 6) || 1;
  return (
    <fieldset class="md-input">
      <legend title={props.port?.title}>
        <b>{props.name}</b> {props.port?.title} <Unit of={props.port?.unit} />
      </legend>
      <div class="md-grid" style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 6.5em))` }}>
        {props.values.map((value, at) => (
          <NumberField
            title={props.input.entries[at] ?? props.name}
            value={value}
            changed={at in props.typed}
            onChange={(next) => props.onType(at, next)}
          />
        ))}
      </div>
    </fieldset>
  );
}

function NumberField(props: { title: string; value: number; changed: boolean; onChange: (value: number) => void }) {
  return (
    <label class="md-field" title={props.title}>
      <span>{props.title}</span>
      <input
        type="number"
        step="any"
        class={props.changed ? "md-changed" : ""}
        value={rounded(props.value)}
        onChange={(event) => {
          const value = event.currentTarget.valueAsNumber;
          if (!Number.isNaN(value)) props.onChange(value);
        }}
      />
    </label>
  );
}

const rounded = (value: number): string => (Number.isFinite(value) ? String(Number(value.toPrecision(7))) : "");

function Parameters({ session, names }: { session: Session; names: string[] }) {
  const { store } = session;
  if (names.length === 0) return null;
  const values = store.parameters.value;
  const samples = sampleValues(names, values, store.view.value?.nominal ?? {});
  const zero = names.filter((name) => !values[name]).length;
  const set = (more: Record<string, number>): void => {
    store.parameters.value = { ...store.parameters.peek(), ...more };
  };
  return (
    <details class="md-parameters" open={names.length <= 12}>
      <summary>
        {names.length} parameters{zero > 0 && <span class="md-muted">, {zero} are zero</span>}
      </summary>
      {Object.keys(samples).length > 0 && (
        <p>
          <button type="button" class="md-button" onClick={() => set(samples)}>
            Fill zeros with sample values
          </button>
        </p>
      )}
      <div class="md-grid" style={{ gridTemplateColumns: "repeat(auto-fill, minmax(6em, 1fr))" }}>
        {names.map((name) => (
          <NumberField
            title={name}
            value={values[name] ?? Number.NaN}
            changed={false}
            onChange={(value) => set({ [name]: value })}
          />
        ))}
      </div>
    </details>
  );
}

interface OutputsProps {
  session: Session;
  shown: DerivedModel;
  program: Program;
  outputs: Values;
  ports: Map<string, ModelPort>;
}

/** Move the robot to the posture of a solution. */
function show({ session, shown, outputs }: OutputsProps, row: number): void {
  session.store.q.value = solution(shown.view, session.store.q.peek(), outputs, row);
}

function Outputs(props: OutputsProps) {
  const { outputs, ports } = props;
  const shapes = props.program.module.OUTPUTS;
  const { columns } = props.shown.answer;
  const status = outputs.status;
  const words = meanings(ports.get("status")?.title ?? "");
  const faint = (rows: number | undefined) =>
    status && words.size > 0 && rows === status.length ? (row: number) => !isSolution(words, status[row]!) : undefined;
  const broken = Object.entries(outputs).flatMap(([name, values]) => {
    const shape = shapes[name] ?? [];
    const width = size(shape.slice(1));
    const counts = faint(shape[0]);
    return values.some((value, at) => !Number.isFinite(value) && !counts?.(Math.floor(at / width))) ? [name] : [];
  });
  return (
    <>
      {broken.length > 0 && (
        <p class="md-warning" role="status">
          {broken.join(", ")}: not a finite number here. Check for a parameter without a value or for a singular posture.
        </p>
      )}
      {status && words.size > 0 && (
        <p class={status.some((value) => isSolution(words, value)) ? "md-ok" : "md-warning"} role="status">
          {statusCounts(words, status)}
        </p>
      )}
      {Object.entries(outputs).map(([name, values]) => {
        const shape = shapes[name] ?? [];
        const port = ports.get(name);
        return (
          <section class="md-output" tabIndex={0} aria-label={`output ${name}`}>
            <h4>
              <b>{name}</b> {port?.title} <Unit of={port?.unit} />
            </h4>
            <Matrix
              values={values}
              shape={shape}
              words={name === "status" ? words : undefined}
              heads={shape.length === 2 && shape[1] === columns.length ? columns : undefined}
              faint={shape.length === 2 ? faint(shape[0]) : undefined}
              use={name === "q" && faint(shape[0]) && shape[1] === props.shown.view.coordinates.length ? { title: "show", run: (row) => show(props, row) } : undefined}
            />
          </section>
        );
      })}
    </>
  );
}
