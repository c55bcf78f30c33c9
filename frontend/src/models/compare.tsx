// Two models or robots side by side, with their operation counts and equations.

import { signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

import type { EntryData, GalleryEntry, ModelAnswer, View } from "../backend/messages";
import { Maximise } from "../shell/maximise";
import { modelsInOrder, shortTitle } from "../shell/modelMenus";
import type { ModelChoice, Store } from "../store/store";
import { COLUMNS } from "./count";
import { Typeset } from "./equations";
import { changedOptions } from "./options";
import { OptionsForm } from "./optionsForm";
import { ProblemPanel, useAnswer, Waiting } from "./parts";
import type { Awaited, Session } from "./session";

/** A model of the robot that is open, or of a bundled robot. */
interface Selection extends ModelChoice {
  /** Id of a bundled robot; empty for the robot that is open. */
  robot: string;
}

/** Models that are compared; null if one model is shown. */
export const comparison = signal<[Selection, Selection] | null>(null);

/** Return the requested model and the next one that is open, or the same model twice. */
export function firstComparison(store: Store): [Selection, Selection] | null {
  const first = store.requested.peek();
  if (!first) return null;
  const second = store.models.peek().findLast(({ model }) => model !== first.model) ?? first;
  return [
    { robot: "", ...first },
    { robot: "", ...second },
  ];
}

/** Return a number as a multiple of another one. */
export function ratio(value: number, reference: number): string {
  if (reference === 0) return value === 0 ? "1.00" : "–";
  return (value / reference).toFixed(2);
}

interface Compared {
  view: View;
  models: EntryData[];
  answer: ModelAnswer;
}

export function Compare({ session }: { session: Session }) {
  const { store } = session;
  const robots = useSignal<GalleryEntry[]>([]);
  useEffect(() => {
    void store.backend.call<{ robots: GalleryEntry[] }>("robots").then(
      (answer) => (robots.value = answer.robots),
      () => undefined, // the list of robots then contains the open robot alone
    );
  }, []);
  const sides = comparison.value!;
  const left = useCompared(session, sides[0]);
  const right = useCompared(session, sides[1]);
  const change = (at: 0 | 1, side: Selection): void => {
    comparison.value = at === 0 ? [side, sides[1]] : [sides[0], side];
  };
  return (
    <section class="md-compare" aria-label="Comparison">
      <h2 class="md-spoken">Comparison</h2>
      <div class="md-compare-heads">
        {([left, right] as const).map((compared, at) => (
          <Choices session={session} robots={robots.value} side={sides[at]!} compared={compared} at={at as 0 | 1} onChange={(side) => change(at as 0 | 1, side)} />
        ))}
        <Maximise store={store} pane="models" />
      </div>
      {left.value && right.value && <CountTable left={left.value.answer} right={right.value.answer} />}
      <div class="md-compare-sides">
        {[left, right].map(({ value, problem }, at) => (
          <div class="md-compare-side" data-testid={`compare-${at + 1}`}>
            {problem && <ProblemPanel problem={problem} />}
            {!value && !problem && <Waiting>deriving the model …</Waiting>}
            {value && <Typeset latex={value.answer.latex} label={`equations of the ${at === 0 ? "left" : "right"} model`} />}
          </div>
        ))}
      </div>
    </section>
  );
}

/** Return the model of one side; the robot that is open follows its edits. */
function useCompared(session: Session, side: Selection): Awaited<Compared> {
  const { store } = session;
  const open = store.view.value!;
  return useAnswer(async () => {
    const view = side.robot ? await store.backend.call<View>("robot_open", { id: side.robot }) : open;
    const { models } = await store.backend.call<{ models: EntryData[] }>("catalogue", { robot: view.robot });
    const entry = models.find(({ id }) => id === side.model);
    const options = entry ? changedOptions(entry, side.options) : side.options;
    const answer = await session.requestFor<ModelAnswer>(view, "model", { model: side.model, options });
    return { view, models, answer };
  }, [side.robot || open.robot, side.model, JSON.stringify(side.options)]);
}

interface ChoicesProps {
  session: Session;
  robots: GalleryEntry[];
  side: Selection;
  compared: Awaited<Compared>;
  at: 0 | 1;
  onChange: (side: Selection) => void;
}

function Choices({ session, robots, side, compared, at, onChange }: ChoicesProps) {
  const word = at === 0 ? "left" : "right";
  const models = modelsInOrder(compared.value?.models ?? session.catalogue.value ?? []);
  const entry = models.find(({ id }) => id === side.model);
  return (
    <div class="md-compare-head">
      <select class="md-select" aria-label={`${word} robot`} value={side.robot} onChange={(event) => onChange({ ...side, robot: event.currentTarget.value })}>
        <option value="">{session.store.view.value!.name} (open)</option>
        {robots.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <select
        class="md-select"
        aria-label={`${word} model`}
        value={side.model}
        onChange={(event) => onChange({ ...side, model: event.currentTarget.value, options: {} })}
      >
        {models.map((one) => (
          <option key={one.id} value={one.id} disabled={Boolean(one.why_not)}>
            {shortTitle(one)}
          </option>
        ))}
      </select>
      {entry && (
        <details>
          <summary>Options</summary>
          <OptionsForm entry={entry} view={compared.value?.view ?? null} options={side.options} onChange={(options) => onChange({ ...side, options })} />
        </details>
      )}
    </div>
  );
}

function CountTable({ left, right }: { left: ModelAnswer; right: ModelAnswer }) {
  const { setup: once } = left.count;
  const { setup: onceRight } = right.count;
  return (
    <table class="md-table md-compare-counts" data-testid="compare-counts">
      <thead>
        <tr>
          <td />
          {COLUMNS.map(([name, sign]) => (
            <th scope="col" title={name}>
              {sign}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        <CountLine title="left, per call" values={COLUMNS.map(([name]) => String(left.count[name]))} />
        <CountLine title="right, per call" values={COLUMNS.map(([name]) => String(right.count[name]))} />
        <CountLine title="right / left" values={COLUMNS.map(([name]) => ratio(right.count[name], left.count[name]))} />
        {once && onceRight && (
          <CountLine title="once, from parameters: left; right" values={COLUMNS.map(([name]) => `${once[name]}; ${onceRight[name]}`)} />
        )}
      </tbody>
    </table>
  );
}

function CountLine({ title, values }: { title: string; values: string[] }) {
  return (
    <tr>
      <th scope="row">{title}</th>
      {values.map((value) => (
        <td>{value}</td>
      ))}
    </tr>
  );
}
