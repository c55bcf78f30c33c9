// One table of a robot, edited like a spreadsheet.

import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

import type { Row, Table } from "../backend/messages";
import type { Cells } from "./cells";
import {
  at,
  blockOf,
  brief,
  choicesOf,
  editOf,
  filled,
  inBlock,
  keyOf,
  moved,
  nextChoice,
  pasted,
  shown,
  tabbed,
  toText,
  type Selection,
} from "./grid";
import { LABELS, ROWS } from "./labels";

const ARROWS: Record<string, [number, number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};
const FAR = 10_000;
const ROLES: Record<string, string> = {
  opened: "cut joint of a loop",
  twin: "the same cut joint, located from the other side of the loop",
};

export interface SheetProps {
  table: Table;
  cells: Cells;
  /** Highlighted row, by its j; `onSelect` is called when the cursor enters a row. */
  selected: number | null;
  onSelect?: ((j: number) => void) | undefined;
  /** Remove a row, if the table allows it. */
  onRemove?: ((row: Row) => void) | undefined;
}

export function Sheet({ table, cells, selected, onSelect, onRemove }: SheetProps) {
  const selection = useSignal<Selection>(at(0, firstEditable(table)));
  const editing = useSignal<string | null>(null);
  const focused = useSignal(false);
  const grid = useRef<HTMLTableElement>(null);
  const dragging = useRef(false);
  const size = { rows: table.rows.length, columns: table.columns.length };
  const now = within(selection.value, size.rows, size.columns);
  const block = blockOf(now);

  // Set the focus in the same task as the key that moved the cursor, because the next key may follow immediately.
  useLayoutEffect(() => {
    if (!focused.value || editing.value !== null) return;
    const cell = grid.current?.querySelector<HTMLElement>(`[data-at="${now.cursor.row} ${now.cursor.column}"]`);
    cell?.focus({ preventScroll: true });
    cell?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [now.cursor.row, now.cursor.column, editing.value, focused.value]);

  function put(next: Selection): void {
    selection.value = next;
    const j = table.rows[next.cursor.row]?.j;
    if (typeof j === "number") onSelect?.(j);
  }

  function textAt(row: number, column: number): string {
    const line = table.rows[row]!;
    const field = table.columns[column]!;
    const key = keyOf({ part: table.part, j: line.j, field });
    return cells.textOf(key) ?? shown(line, field, line.cells[column] ?? "");
  }

  function begin(text: string): void {
    editing.value = text;
  }

  function commit(move: Selection | null): void {
    const text = editing.value;
    editing.value = null;
    const { row, column } = now.cursor;
    if (text !== null && text !== textAt(row, column)) {
      const edit = editOf(table, row, column, text);
      if (edit) void cells.put([edit]);
    }
    if (move) put(move);
  }

  function onEditKey(event: KeyboardEvent): void {
    event.stopPropagation();
    const field = event.currentTarget as HTMLElement;
    if (event.key === "Escape") editing.value = null;
    else if (event.key === "Enter") commit(moved(now, event.shiftKey ? -1 : 1, 0, size));
    else if (event.key === "Tab") commit(tabbed(now, event.shiftKey, size));
    else return;
    // The input field is removed; the table takes the focus first, so that it keeps the keyboard.
    field.closest("td")?.focus({ preventScroll: true });
    event.preventDefault();
  }

  function onKey(event: KeyboardEvent): void {
    if (editing.value !== null || event.altKey) return;
    const control = event.ctrlKey || event.metaKey;
    const arrow = ARROWS[event.key];
    const { row, column } = now.cursor;
    const choices = choicesOf(table, table.columns[column] ?? "");
    if (arrow) put(moved(now, arrow[0] * (control ? FAR : 1), arrow[1] * (control ? FAR : 1), size, event.shiftKey));
    else if (event.key === "Home") put(moved(now, control ? -FAR : 0, -FAR, size, event.shiftKey));
    else if (event.key === "End") put(moved(now, control ? FAR : 0, FAR, size, event.shiftKey));
    else if (event.key === "Tab") {
      const next = tabbed(now, event.shiftKey, size);
      if (!next) return;
      put(next);
    } else if (control && event.key.toLowerCase() === "a")
      selection.value = { anchor: { row: 0, column: 0 }, cursor: { row: size.rows - 1, column: size.columns - 1 } };
    else if (control && event.key === "Delete" && onRemove) onRemove(table.rows[row]!);
    else if (control) return;
    else if (event.key === " " && choices) {
      const edit = editOf(table, row, column, nextChoice(choices, textAt(row, column)));
      if (edit) void cells.put([edit]);
    } else if (event.key === "Enter" || event.key === "F2") begin(textAt(row, column));
    else if (event.key === "Delete" || event.key === "Backspace") void cells.put(filled(table, block, ""));
    else if (event.key === "Escape" && (block.top !== block.bottom || block.left !== block.right)) put(at(row, column));
    else if (event.key.length === 1) begin(event.key);
    else return;
    event.preventDefault();
  }

  function onCopy(event: ClipboardEvent): void {
    if (editing.value !== null) return;
    event.clipboardData?.setData("text/plain", toText(textAt, block));
    event.preventDefault();
  }

  function onPaste(event: ClipboardEvent): void {
    if (editing.value !== null) return;
    void cells.put(pasted(table, now, event.clipboardData?.getData("text/plain") ?? ""));
    event.preventDefault();
  }

  function cell(r: number, c: number) {
    const line = table.rows[r]!;
    const field = table.columns[c]!;
    const key = keyOf({ part: table.part, j: line.j, field });
    const problem = cells.problemOf(key);
    const here = now.cursor.row === r && now.cursor.column === c;
    const editingHere = here && editing.value !== null;
    const text = textAt(r, c);
    const chosen = focused.value && inBlock(block, r, c) && !(block.top === block.bottom && block.left === block.right);
    const names = ["tb-cell"];
    if (text === "0" || text === "") names.push("tb-zero");
    if (line.symbol && line.variable === field) names.push("tb-variable");
    if (problem) names.push("tb-wrong");
    if (cells.isPending(key)) names.push("tb-pending");
    if (chosen) names.push("tb-chosen");
    return (
      <td
        key={field}
        role="gridcell"
        class={names.join(" ")}
        data-at={`${r} ${c}`}
        data-cell={key}
        tabIndex={here ? 0 : -1}
        aria-invalid={problem ? "true" : undefined}
        aria-selected={chosen}
        aria-label={`${field} of ${line.j}: ${text || "empty"}${problem ? `; ${problem}` : ""}`}
        title={problem ?? (brief(text) === text ? undefined : text)}
        onPointerDown={(event) => {
          if (editingHere) return;
          if (editing.value !== null) commit(null);
          dragging.current = true;
          focused.value = true;
          put(event.shiftKey ? { anchor: now.anchor, cursor: { row: r, column: c } } : at(r, c));
        }}
        onPointerEnter={(event) => {
          if (dragging.current && event.buttons & 1) put({ anchor: now.anchor, cursor: { row: r, column: c } });
        }}
        onPointerUp={() => (dragging.current = false)}
        onDblClick={() => begin(text)}
      >
        {editingHere ? (
          <CellInput
            text={editing}
            onKey={onEditKey}
            onBlur={() => commit(null)}
            label={`${field} of ${line.j}`}
            choices={choicesOf(table, field)}
          />
        ) : (
          brief(text)
        )}
        {problem && here && !editingHere ? <div class="tb-message">{problem}</div> : null}
      </td>
    );
  }

  return (
    <table
      ref={grid}
      role="grid"
      class="tb-sheet"
      aria-label={table.title}
      data-table={table.title}
      onKeyDown={onKey}
      onCopy={onCopy}
      onPaste={onPaste}
      onFocusIn={() => (focused.value = true)}
      onFocusOut={(event) => {
        if (!grid.current?.contains(event.relatedTarget as Node | null)) focused.value = false;
      }}
    >
      <thead>
        <tr>
          {ROWS[table.part] === "" ? <td class="tb-j" /> : <th class="tb-j">{ROWS[table.part] ?? "j"}</th>}
          {table.columns.map((column, c) => (
            <th key={column} title={table.hints[c]} scope="col" aria-label={column}>
              {LABELS[column] ?? column}
            </th>
          ))}
          {onRemove ? <td class="tb-remove" /> : null}
        </tr>
      </thead>
      <tbody>
        {table.rows.map((line, r) => (
          <tr key={line.j} class={selected !== null && line.j === selected ? "tb-selected" : undefined}>
            <th
              class="tb-j"
              scope="row"
              title={line.hint ?? ROLES[line.role ?? ""]}
              onClick={() => put(at(r, now.cursor.column))}
            >
              {line.j}
            </th>
            {table.columns.map((_, c) => cell(r, c))}
            {onRemove ? (
              <td class="tb-remove">
                <button
                  type="button"
                  class="tb-minus"
                  tabIndex={-1}
                  title={`remove row ${line.j} (Ctrl+Delete)`}
                  aria-label={`remove row ${line.j}`}
                  onClick={() => onRemove(line)}
                >
                  {"\u00d7"}
                </button>
              </td>
            ) : null}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The cursor starts at the first value, because values are edited more often than names. */
function firstEditable(table: Table): number {
  const column = table.columns.findIndex((column) => column === "alpha");
  return column < 0 ? 0 : column;
}

function within(selection: Selection, rows: number, columns: number): Selection {
  const inside = ({ row, column }: { row: number; column: number }) => ({
    row: Math.max(0, Math.min(row, rows - 1)),
    column: Math.max(0, Math.min(column, columns - 1)),
  });
  return { anchor: inside(selection.anchor), cursor: inside(selection.cursor) };
}

interface CellInputProps {
  text: { value: string | null };
  onKey: (event: KeyboardEvent) => void;
  onBlur: () => void;
  label: string;
  choices: readonly string[] | null;
}

function CellInput({ text, onKey, onBlur, label, choices }: CellInputProps) {
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    const field = input.current;
    field?.focus({ preventScroll: true });
    field?.setSelectionRange(field.value.length, field.value.length);
  }, []);
  return (
    <>
      <input
        ref={input}
        class="tb-input"
        aria-label={label}
        value={text.value ?? ""}
        spellcheck={false}
        autocomplete="off"
        list={choices ? "tb-choices" : undefined}
        onInput={(event) => (text.value = event.currentTarget.value)}
        onKeyDown={onKey}
        onBlur={onBlur}
      />
      {choices ? (
        <datalist id="tb-choices">
          {choices.map((choice) => (
            <option key={choice} value={choice} />
          ))}
        </datalist>
      ) : null}
    </>
  );
}
