// The card of a name in the equations: meaning, unit, value at the posture shown, definition and uses.

import type { ComponentChildren } from "preact";

import type { Variable, Variables } from "../backend/messages";
import { lineOf, type EquationRow } from "./equationRows";
import { Formula } from "./formula";
import { formatNumber } from "./matrix";
import type { Occurrences } from "./names";
import { unitText, useLatest } from "./parts";
import { isRate, prefill } from "./prefill";
import type { DerivedModel, Session, TypedValues } from "./session";

const MOST_USES = 12;
const KINDS: Record<Variable["kind"], string> = {
  input: "input",
  parameter: "parameter of the robot",
  variable: "intermediate variable",
  output: "output",
};

export function NameCard(props: {
  session: Session;
  shown: DerivedModel;
  variable: Variable;
  places: Occurrences;
  rows: readonly EquationRow[];
  /** Scroll to a row. */
  onShow: (row: number) => void;
  onClose: () => void;
}) {
  const { session, shown, variable, places, rows } = props;
  const q = session.store.q.value;
  const parameters = session.store.parameters.value;
  const typed = session.typed.value;
  const now = useLatest(() => valuesAt(session, shown, q, parameters, typed), [shown, q, parameters, typed])?.get(variable.name);
  const isArray = shown.answer.ports.some(({ name, shape }) => name === variable.name && shape.length > 0) && variable.kind === "output";
  const isAtRest = Object.values(shown.answer.inputs).some(({ entries }) => entries.some(isRate)) && Object.keys(typed).length === 0;
  const definition = places.definition === null ? null : rows[places.definition]!;
  const uses = places.uses.flatMap((at) => {
    const row = rows[at]!;
    return row.kind === "equation" ? [{ at, row }] : [];
  });
  return (
    <div class="md-card" role="group" aria-label={`Name ${variable.name}`} onClick={(event) => event.stopPropagation()} onPointerOver={(event) => event.stopPropagation()}>
      <header>
        <Formula class="md-symbol" latex={variable.latex} />
        <code>{variable.name}</code>
        <span class="md-muted">{KINDS[variable.kind]}</span>
        <button type="button" class="md-back" aria-label="Close" onClick={props.onClose}>
          ×
        </button>
      </header>
      <dl>
        {variable.meaning && <Entry title="meaning">{variable.meaning}</Entry>}
        {variable.unit && <Entry title="unit">{unitText(variable.unit)}</Entry>}
        {isArray ? (
          <Entry title="values now">in the tab Numbers</Entry>
        ) : (
          <Entry title="value now">
            {now === undefined ? "…" : now === null ? "none: a parameter has no value" : formatNumber(now)}
            {isAtRest && <span class="md-muted"> at rest; the tab Numbers has fields for velocities</span>}
          </Entry>
        )}
        {definition?.kind === "equation" && (
          <Entry title="definition">
            <Formula class="md-right" latex={lineOf(definition)} />
          </Entry>
        )}
        <Entry title="used in">
          {uses.length === 0 && "no other equation"}
          {uses.slice(0, MOST_USES).map(({ at, row }) => (
            <button type="button" class="md-use-of" title={lineOf(row)} onClick={() => props.onShow(at)}>
              <Formula class="" latex={row.left} />
            </button>
          ))}
          {uses.length > MOST_USES && <span class="md-muted"> and {uses.length - MOST_USES} more</span>}
        </Entry>
      </dl>
    </div>
  );
}

function Entry({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </>
  );
}

/** Return the value of each name at a posture; velocities and accelerations are zero unless they are typed. */
async function valuesAt(
  { store }: Session,
  { view, request, answer }: DerivedModel,
  q: number[],
  values: Record<string, number>,
  typed: TypedValues,
): Promise<Map<string, number | null>> {
  const inputs = Object.fromEntries(
    Object.entries(answer.inputs).map(([name, input]) => [
      name,
      prefill(name, input, view.joints, { q }).map((value, at) => typed[name]?.[at] ?? value),
    ]),
  );
  const { variables } = await store.backend.call<Variables>("variables", { robot: view.robot, ...request, inputs, values });
  return new Map(variables.map(({ name, value }) => [name, value]));
}
