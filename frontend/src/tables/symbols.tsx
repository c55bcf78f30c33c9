// The free symbols of a robot: nominal values, and sliders that change the current values.

import { useComputed, useSignal } from "@preact/signals";

import type { CellEdit, Table, View } from "../backend/messages";
import type { Store } from "../store/store";
import type { Cells } from "./cells";
import { keyOf } from "./grid";

/** Range of a slider about a nominal value. */
export function rangeOf(nominal: number | undefined): { min: number; max: number; step: number } {
  const reach = nominal ? 2 * Math.abs(nominal) : 2;
  return { min: -reach, max: reach, step: reach / 200 };
}

/** Return the symbols of the geometry, whose sliders change the picture; they are listed first. */
export function seenSymbols(view: View): Set<string> {
  const symbols = new Set<string>();
  for (const table of view.tables) {
    if (table.title !== "geometry") continue;
    for (const row of table.rows)
      for (const cell of row.cells) for (const [name] of cell.matchAll(/[A-Za-z_]\w*/g)) symbols.add(name);
  }
  return symbols;
}

/** Return the edits that give every symbol without a nominal value its current value. */
export function unsetEdits(store: Store): CellEdit[] {
  const view = store.view.value;
  return (view?.symbols ?? [])
    .filter((name) => view?.nominal[name] === undefined)
    .map((name) => ({ part: "nominal", j: name, field: "value", text: String(store.parameters.value[name] ?? 0) }));
}

function tidy(value: number): string {
  return String(Number(value.toPrecision(6)));
}

export function Symbols({ table, store, cells }: { table: Table; store: Store; cells: Cells }) {
  const wanted = useSignal("");
  const view = store.view.value;
  if (!view) return null;
  if (!table.rows.length) return <p class="tb-empty">This robot has no free symbols; all of its cells are numbers.</p>;
  const filter = wanted.value.trim().toLowerCase();
  const seen = seenSymbols(view);
  const rows = table.rows
    .filter((row) => String(row.j).toLowerCase().includes(filter))
    .sort((a, b) => Number(seen.has(String(b.j))) - Number(seen.has(String(a.j))));
  const unset = view.symbols.filter((name) => view.nominal[name] === undefined).length;
  return (
    <div class="tb-symbols">
      <div class="tb-bar">
        <input
          class="sh-field"
          type="search"
          placeholder="search symbols"
          aria-label="search symbols"
          value={wanted.value}
          onInput={(event) => (wanted.value = event.currentTarget.value)}
        />
        <span class="tb-note">
          {view.symbols.length} symbols{unset ? `, ${unset} not set` : ""}
        </span>
        <button
          type="button"
          class="sh-button"
          onClick={() => (store.parameters.value = { ...store.parameters.value, ...view.nominal })}
        >
          Reset to nominal
        </button>
        {unset ? (
          <button
            type="button"
            class="sh-button"
            title="set the nominal value of every symbol without one to its current value"
            onClick={() => void cells.put(unsetEdits(store))}
          >
            Save as nominal
          </button>
        ) : null}
      </div>
      <table class="tb-sheet" data-table="nominal" aria-label="symbols">
        <thead>
          <tr>
            <th class="tb-j">symbol</th>
            <th title="stored with the robot; a number, or empty">nominal</th>
            <th title="used in this page; not stored with the robot">current</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <SymbolRow key={row.j} name={String(row.j)} cell={row.cells[0] ?? ""} store={store} cells={cells} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface SymbolProps {
  name: string;
  cell: string;
  store: Store;
  cells: Cells;
}

function SymbolRow({ name, cell, store, cells }: SymbolProps) {
  const edit = { part: "nominal", j: name, field: "value" };
  const key = keyOf(edit);
  const problem = cells.problemOf(key);
  // A row is drawn again only when its value changes, because there may be hundreds.
  const value = useComputed(() => store.parameters.value[name] ?? 0).value;
  const range = rangeOf(store.view.value?.nominal[name]);

  function set(next: number): void {
    if (Number.isFinite(next)) store.parameters.value = { ...store.parameters.value, [name]: next };
  }

  return (
    <tr>
      <th class="tb-j" scope="row">
        {name}
      </th>
      <td class={problem ? "tb-cell tb-wrong" : "tb-cell"} title={problem} data-cell={key}>
        <input
          class="tb-input"
          aria-label={`nominal value of ${name}`}
          aria-invalid={problem ? "true" : undefined}
          placeholder="not set"
          value={cells.textOf(key) ?? cell}
          onChange={(event) => void cells.put([{ ...edit, text: event.currentTarget.value }])}
        />
      </td>
      <td class="tb-slide">
        <input
          type="range"
          aria-label={`current value of ${name}`}
          min={Math.min(range.min, value)}
          max={Math.max(range.max, value)}
          step={range.step}
          value={value}
          onInput={(event) => set(Number(event.currentTarget.value))}
        />
        <input
          class="tb-input"
          type="text"
          inputMode="decimal"
          aria-label={`current value of ${name} as a number`}
          value={tidy(value)}
          onChange={(event) => set(Number(event.currentTarget.value))}
        />
      </td>
    </tr>
  );
}
