// A table with one row of long texts, shown as a form.

import type { Table } from "../backend/messages";
import type { Cells } from "./cells";
import { choicesOf, keyOf } from "./grid";

export function Form({ table, cells }: { table: Table; cells: Cells }) {
  const row = table.rows[0];
  if (!row) return null;
  return (
    <div class="tb-form" data-table={table.title}>
      {table.columns.map((field, c) => {
        const edit = { part: table.part, j: row.j, field };
        const key = keyOf(edit);
        const problem = cells.problemOf(key);
        const choices = choicesOf(table, field);
        const text = cells.textOf(key) ?? row.cells[c] ?? "";
        const put = (value: string): void => {
          if (value !== row.cells[c]) void cells.put([{ ...edit, text: value }]);
        };
        return (
          <label key={field} class="tb-line" title={table.hints[c]} data-cell={key}>
            <span>{field}</span>
            {choices ? (
              <select class="sh-field" value={text} onChange={(event) => put(event.currentTarget.value)}>
                {choices.map((choice) => (
                  <option key={choice} value={choice}>
                    {choice || "none"}
                  </option>
                ))}
              </select>
            ) : (
              <input
                class={problem ? "sh-field tb-wrong" : "sh-field"}
                aria-invalid={problem ? "true" : undefined}
                value={text}
                onChange={(event) => put(event.currentTarget.value)}
              />
            )}
            {problem ? <em>{problem}</em> : null}
          </label>
        );
      })}
    </div>
  );
}
