// Base parameters with their grouping relations, and the columns of a regressor.

import type { BaseAnswer } from "../backend/messages";
import { Formula } from "./formula";
import { needKatex } from "./katex";
import { CopyButton, ProblemPanel, useAnswer, Waiting } from "./parts";
import type { Session } from "./session";

export function Relations({ session }: { session: Session }) {
  const shown = session.shown.value!;
  const { columns } = shown.answer;
  const { value, problem } = useAnswer(() => baseOf(session), [shown]);
  return (
    <div tabIndex={0} role="group" aria-label="relations" class="md-scroll md-sections">
      {problem && <ProblemPanel problem={problem} />}
      {!value && !problem && <Waiting>computing the base parameters …</Waiting>}
      {value && <BaseTable base={value} columns={columns} />}
      {columns.length > 0 && (
        <section>
          <h3>Columns of this model</h3>
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

/** Return all relations as LaTeX, one per line of an align* environment. */
export function relationsAsLatex({ names, latex }: BaseAnswer): string {
  const lines = names.map((name) => (latex[name] ?? name).replace(" = ", " &= "));
  return `\\begin{align*}\n${lines.join(" \\\\\n")}\n\\end{align*}\n`;
}

function BaseTable({ base, columns }: { base: BaseAnswer; columns: string[] }) {
  needKatex();
  const at = new Map(columns.map((name, i) => [name, i + 1]));
  return (
    <>
      <section>
        <h3>
          {base.names.length} base parameters <span class="md-muted">{base.method}</span>{" "}
          <CopyButton text={() => relationsAsLatex(base)}>Copy LaTeX</CopyButton>
        </h3>
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
                <td>
                  <Formula class="md-formula md-right" latex={base.latex[name] ?? name} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        {base.conditions.length > 0 && <p>valid for {base.conditions.join(", ").replaceAll("!=", "≠")}</p>}
        {base.notes.map((note) => (
          <p>{note}</p>
        ))}
      </section>
      {base.no_effect.length > 0 && (
        <section>
          <h3>Without effect on the motion</h3>
          <p class="md-names">{base.no_effect.join("  ")}</p>
        </section>
      )}
    </>
  );
}
