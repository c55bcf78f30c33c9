// The tab with the operation count of a model and the effect of each optimisation pass.

import { useMemo } from "preact/hooks";

import type { Counts } from "../backend/messages";
import { equationRows } from "./equationRows";
import { parseExplanation } from "./explanation";
import { ProblemPanel, useAnswer, Waiting } from "./parts";
import type { Session } from "./session";

export const COLUMNS = [
  ["multiplications", "×"],
  ["additions", "+"],
  ["divisions", "÷"],
  ["functions", "functions"],
  ["others", "others"],
  ["kernels", "solvers"],
] as const;

/** Return multiplications and additions per call, or those of the part computed once if a call has none. */
export function countText(count: Counts): string {
  const { setup } = count;
  if (setup && count.multiplications + count.additions === 0) return `once ${countText({ ...setup, setup: undefined })}`;
  return `${count.multiplications} ×  ${count.additions} +`;
}

export function CountTab({ session }: { session: Session }) {
  const shown = session.shown.value!;
  const { count, latex } = shown.answer;
  const { value, problem } = useAnswer(() => session.request<{ lines: string[] }>("explain"), [shown]);
  return (
    <div tabIndex={0} role="group" aria-label="count" class="md-scroll md-sections">
      <section>
        <h3>Operations</h3>
        <table class="md-table">
          <thead>
            <tr>
              <td />
              {COLUMNS.map(([name, sign]) => (
                <th title={name}>{sign}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            <CountRow title="per call" count={count} />
            {count.setup && <CountRow title="once, from parameters" count={count.setup} />}
          </tbody>
        </table>
      </section>
      <Phases latex={latex} />
      {problem && <ProblemPanel problem={problem} />}
      {!value && !problem && <Waiting>counting operations …</Waiting>}
      {value && <Passes lines={value.lines} />}
    </div>
  );
}

function CountRow({ title, count }: { title: string; count: Counts }) {
  return (
    <tr>
      <th scope="row">{title}</th>
      {COLUMNS.map(([name]) => (
        <td>{count[name]}</td>
      ))}
    </tr>
  );
}

/** Return the number of equations per phase of the recursion; phases with the same name are added. */
function Phases({ latex }: { latex: string }) {
  const phases = useMemo(() => {
    const counts = new Map<string, number>();
    let phase = "";
    for (const row of equationRows(latex)) {
      if (row.kind === "heading") phase = row.text;
      else if (row.left) counts.set(phase, (counts.get(phase) ?? 0) + 1);
    }
    return [...counts];
  }, [latex]);
  if (phases.length < 2) return null;
  return (
    <section>
      <h3>Equations by phase</h3>
      <table class="md-table">
        <tbody>
          {phases.map(([phase, equations]) => (
            <tr>
              <th scope="row">{phase || "before the first phase"}</th>
              <td>{equations}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Passes({ lines }: { lines: string[] }) {
  const { choices, passes, papers } = parseExplanation(lines);
  return (
    <>
      <section>
        <h3>Optimisation passes</h3>
        {passes.length === 0 && <p class="md-muted">No pass reduces the operation count.</p>}
        {passes.length > 0 && (
          <table class="md-table">
            <thead>
              <tr>
                <td />
                <th>before</th>
                <th>after</th>
                <th>saved</th>
              </tr>
            </thead>
            <tbody>
              {passes.map(({ name, before, after }) => (
                <tr>
                  <th scope="row">{name.replaceAll("_", " ")}</th>
                  <td>{before}</td>
                  <td>{after}</td>
                  <td>{before - after}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
        {papers && <p>{papers}</p>}
      </section>
      {choices.length > 0 && (
        <section>
          <h3>Formulation</h3>
          <ul class="md-plain">
            {choices.map((choice) => (
              <li>{choice}</li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
