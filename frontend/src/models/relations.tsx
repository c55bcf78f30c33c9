// Base parameters with their grouping relations, and the columns of a regressor.

import type { BaseAnswer } from "../backend/messages";
import { ProblemPanel, useAnswer, Waiting } from "./parts";
import type { Session } from "./session";

/** Return the grouping relation of a base parameter: "ZZ1 + IA1 + YY2 + D3^2*M3". */
export function relation(name: string, others: Record<string, string>): string {
  return Object.entries(others).reduce((sum, [other, factor]) => sum + term(other, factor), name);
}

function term(name: string, factor: string): string {
  const sign = factor.startsWith("-") ? " - " : " + ";
  const size = factor.replace(/^-/, "");
  if (size === "1") return sign + name;
  // A factor that is a sum is put in parentheses with its own signs.
  if (/ [+-] /.test(size)) return ` + (${factor})*${name}`;
  return `${sign}${size}*${name}`;
}

export function Relations({ session }: { session: Session }) {
  const shown = session.shown.value!;
  const { columns } = shown.answer;
  const { value, problem } = useAnswer(() => baseOf(session), [shown]);
  return (
    <div class="md-scroll md-sections">
      {problem && <ProblemPanel problem={problem} />}
      {!value && !problem && <Waiting>computing the base parameters …</Waiting>}
      {value && <BaseTable base={value} columns={columns} />}
      {columns.length > 0 && (
        <section>
          <h4>Columns of this model</h4>
          <ol class="md-columns">
            {columns.map((column) => (
              <li>{column}</li>
            ))}
          </ol>
        </section>
      )}
    </div>
  );
}

function baseOf(session: Session): Promise<BaseAnswer> {
  const { view, request } = session.shown.peek()!;
  return session.requestFor<BaseAnswer>(view, "base", request.model === "base-parameters" ? { options: request.options } : {});
}

function BaseTable({ base, columns }: { base: BaseAnswer; columns: string[] }) {
  const at = new Map(columns.map((name, i) => [name, i + 1]));
  return (
    <>
      <section>
        <h4>
          {base.names.length} base parameters <span class="md-muted">{base.method}</span>
        </h4>
        <table class="md-table md-relations">
          <thead>
            <tr>
              <th>column</th>
              <th>parameter</th>
              <th>grouped with</th>
            </tr>
          </thead>
          <tbody>
            {base.names.map((name) => (
              <tr>
                <td>{at.get(name) ?? ""}</td>
                <th scope="row">{name}</th>
                <td class="md-formula">{relation(name, base.relations[name] ?? {})}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {base.conditions.length > 0 && <p>valid for {base.conditions.join(", ")}</p>}
        {base.notes.map((note) => (
          <p>{note}</p>
        ))}
      </section>
      {base.no_effect.length > 0 && (
        <section>
          <h4>Without effect on the motion</h4>
          <p class="md-names">{base.no_effect.join("  ")}</p>
        </section>
      )}
    </>
  );
}
