// Texts of cells that differ from the robot: edits in progress, and rejected edits with the reason.

import { signal } from "@preact/signals";

import { Failure } from "../backend/backend";
import type { CellEdit } from "../backend/messages";
import type { Store } from "../store/store";
import { keyOf } from "./grid";

interface RejectedCell {
  text: string;
  message: string;
}

export interface Cells {
  put(edits: CellEdit[]): Promise<void>;
  /** Add or remove a row. */
  row(edit: CellEdit): Promise<void>;
  /** Return the text of a cell if it differs from the robot's. */
  textOf(key: string): string | undefined;
  problemOf(key: string): string | undefined;
  isPending(key: string): boolean;
  /** Rejected cells as text at the bottom of the pane. */
  problems(): { cell: string; message: string }[];
  clear(): void;
}

export function createCells(store: Store): Cells {
  const refused = signal<ReadonlyMap<string, RejectedCell>>(new Map());
  const pending = signal<ReadonlyMap<string, string>>(new Map());
  const rowProblem = signal<string | null>(null);

  function change<V>(map: { value: ReadonlyMap<string, V> }, make: (copy: Map<string, V>) => void): void {
    const copy = new Map(map.value);
    make(copy);
    map.value = copy;
  }

  return {
    async put(edits) {
      if (!edits.length) return;
      change(pending, (copy) => edits.forEach((edit) => copy.set(keyOf(edit), edit.text ?? "")));
      let failures: (Failure | null)[];
      try {
        failures = await store.editEach(edits);
      } catch (error) {
        const failure = error instanceof Failure ? error : new Failure({ kind: "Error", message: String(error) });
        failures = edits.map(() => failure);
      }
      rowProblem.value = null;
      change(pending, (copy) => edits.forEach((edit) => copy.delete(keyOf(edit))));
      change(refused, (copy) =>
        edits.forEach((edit, i) => {
          const failure = failures[i];
          if (failure) copy.set(keyOf(edit), { text: edit.text ?? "", message: wordsOf(failure, edit.field) });
          else copy.delete(keyOf(edit));
        }),
      );
    },
    async row(edit) {
      try {
        await store.edit([edit]);
        rowProblem.value = null;
      } catch (error) {
        rowProblem.value = error instanceof Failure ? wordsOf(error) : String(error);
      }
    },
    textOf: (key) => pending.value.get(key) ?? refused.value.get(key)?.text,
    problemOf: (key) => refused.value.get(key)?.message,
    isPending: (key) => pending.value.has(key),
    problems: () => [
      ...(rowProblem.value === null ? [] : [{ cell: "rows", message: rowProblem.value }]),
      ...[...refused.value].map(([key, { message }]) => ({ cell: nameOf(key), message })),
    ],
    clear() {
      rowProblem.value = null;
      refused.value = new Map();
    },
  };
}

/** Return a readable name of the cell "frame 3 d". */
function nameOf(key: string): string {
  const [, j, field] = key.split(" ");
  return `${field} of ${j}`;
}

/** Return the reason without the name of the cell, which is displayed already. */
function wordsOf({ problem }: Failure, field?: string): string {
  const message = problem.message.replace(new RegExp(`^${field ?? ""}: `), "");
  const column = (problem.place as { column?: number } | undefined)?.column;
  const where = column !== undefined ? ` (at ${column})` : "";
  return `${message}${where}${problem.hint ? `; ${problem.hint}` : ""}`;
}
