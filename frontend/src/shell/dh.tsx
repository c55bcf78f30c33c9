// A robot from a Denavit-Hartenberg table, in one of several conventions.

import { useSignal } from "@preact/signals";

import type { View } from "../backend/messages";
import { fromText } from "../tables/grid";
import type { ShellState } from "./shellState";

interface Convention {
  id: string;
  title: string;
  columns: string[];
  sample: string;
}

export const CONVENTIONS: Convention[] = [
  {
    id: "khalil-kleinfinger",
    title: "Khalil and Kleinfinger (modified)",
    columns: ["alpha", "d", "theta", "r"],
    sample: "0\t0\tq1\t0\npi/2\t0\tq2\t0\n0\tD3\tq3\t0",
  },
  {
    id: "craig",
    title: "Craig (modified)",
    columns: ["alpha", "a", "theta", "d"],
    sample: "0\t0\tq1\t0\npi/2\t0\tq2\t0\n0\tA3\tq3\t0",
  },
  {
    id: "standard",
    title: "Denavit and Hartenberg (standard)",
    columns: ["theta", "d", "a", "alpha"],
    sample: "q1\t0\t0\tpi/2\nq2\t0\tA2\t0\nq3\t0\tA3\t0",
  },
];

/**
 * Return the rows of typed or pasted text: cells separated by tabs, commas, semicolons or blanks; # starts a comment.
 */
export function rowsOf(text: string): string[][] {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.replace(/#.*/, "").trim())
    .filter(Boolean);
  return lines.map((line) =>
    line.includes("\t")
      ? fromText(line)[0]!
      : line
          .split(/[;,]/.test(line) ? /[;,]/ : /\s+/)
          .map((cell) => cell.trim())
          .filter((cell, i, all) => cell !== "" || i < all.length - 1),
  );
}

export function DhPanel({ shell }: { shell: ShellState }) {
  const convention = useSignal(CONVENTIONS[0]!);
  const text = useSignal(CONVENTIONS[0]!.sample);
  const name = useSignal("robot");
  const degrees = useSignal(false);
  const rows = rowsOf(text.value);

  function choose(id: string): void {
    const next = CONVENTIONS.find((one) => one.id === id)!;
    if (text.value === convention.value.sample) text.value = next.sample;
    convention.value = next;
  }

  function create(event: Event): void {
    event.preventDefault();
    const payload = {
      rows,
      convention: convention.value.id,
      name: name.value.trim() || "robot",
      degrees: degrees.value,
    };
    const wanted = (): Promise<View> => shell.store.backend.call<View>("robot_dh", payload);
    void shell.openRobot("This table does not define a robot", wanted, text.value);
  }

  return (
    <form class="sh-form" onSubmit={create} data-form="dh">
      <label class="sh-line">
        <span>Convention</span>
        <select class="sh-field" value={convention.value.id} onChange={(event) => choose(event.currentTarget.value)}>
          {CONVENTIONS.map((one) => (
            <option key={one.id} value={one.id}>
              {one.title}
            </option>
          ))}
        </select>
      </label>
      <label class="sh-line">
        <span>Name</span>
        <input class="sh-field" value={name.value} onInput={(event) => (name.value = event.currentTarget.value)} />
      </label>
      <label class="sh-block">
        <span>
          One row per joint: <code>{convention.value.columns.join("   ")}</code>
        </span>
        <textarea
          class="sh-field sh-rows"
          rows={6}
          spellcheck={false}
          value={text.value}
          onInput={(event) => (text.value = event.currentTarget.value)}
        />
      </label>
      <label class="sh-check-line">
        <input
          type="checkbox"
          checked={degrees.value}
          onChange={(event) => (degrees.value = event.currentTarget.checked)}
        />
        angles in degrees
      </label>
      <div class="sh-line">
        <span>{rows.length} joints</span>
        <button type="submit" class="sh-button sh-main" disabled={!rows.length}>
          Create robot
        </button>
      </div>
      <p class="sh-hint">
        The column of the joint variable contains <code>q1</code>, or with an offset <code>q1 + pi/2</code>; a <code>q2</code> in
        the length column makes the joint prismatic. Separate columns by tabs, commas or blanks; tables can be pasted from a
        spreadsheet.
      </p>
    </form>
  );
}
