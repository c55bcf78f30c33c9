// The robot's tables, one tab each, edited in place.

import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo } from "preact/hooks";

import type { CellEdit, Row, Table, View } from "../backend/messages";
import type { Store } from "../store/store";
import { additionsOf } from "./add";
import { createCells, type Cells } from "./cells";
import { Form } from "./form";
import { EMPTY, HEADINGS, WORDS, tabOf } from "./labels";
import { Sheet } from "./sheet";
import { Symbols } from "./symbols";
import { Maximise, reveal } from "../shell/maximise";
import "./tables.css";

/** Return the tables of each tab, in their order. */
export function tabsOf(tables: Table[]): Map<string, Table[]> {
  const tabs = new Map<string, Table[]>();
  for (const table of tables) {
    const title = tabOf(table.title);
    tabs.set(title, [...(tabs.get(title) ?? []), table]);
  }
  return tabs;
}

export function Tables({ store }: { store: Store }) {
  const chosenTab = useSignal("Geometry");
  const cells = useMemo(() => createCells(store), [store]);
  const view = store.view.value;
  // Rejected texts belong to cells: they are discarded when rows are added or removed, or another robot is opened.
  const shape = view ? [view.name, ...view.tables.filter(isNumbered).map(({ rows }) => rows.length)].join(" ") : "";
  const names = view ? [...tabsOf(view.tables).keys()].join("|") : "";
  // Before the next event: an edit that is rejected meanwhile would be discarded.
  useLayoutEffect(() => cells.clear(), [shape]);
  useEffect(
    () =>
      store.register(
        names
          .split("|")
          .filter(Boolean)
          .map((title) => ({
            id: `table-${title}`,
            title: `Table: ${title}`,
            group: "Tables",
            words: WORDS[title],
            run: () => {
              chosenTab.value = title;
              reveal(store, "tables");
            },
          })),
      ),
    [names],
  );
  if (!view)
    return <p class="tb-empty">The robot is being loaded. You can also open one from the gallery or drop a file here.</p>;

  const tabs = tabsOf(view.tables);
  const titles = [...tabs.keys()];
  const open = tabs.has(chosenTab.value) ? chosenTab.value : (titles[0] ?? "");

  function onTabKey(event: KeyboardEvent): void {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (!by) return;
    event.preventDefault();
    chosenTab.value = titles[(titles.indexOf(open) + by + titles.length) % titles.length] ?? open;
    const list = event.currentTarget as HTMLElement;
    requestAnimationFrame(() => list.querySelector<HTMLElement>('[aria-selected="true"]')?.focus());
  }

  return (
    <div class="tb-pane">
      <div class="tb-tabs" role="tablist" aria-label="tables" onKeyDown={onTabKey}>
        {titles.map((title) => (
          <button
            key={title}
            type="button"
            role="tab"
            class="tb-tab"
            data-tab={title}
            aria-selected={title === open}
            tabIndex={title === open ? 0 : -1}
            onClick={() => (chosenTab.value = title)}
          >
            {title}
          </button>
        ))}
      </div>
      <Maximise store={store} pane="tables" />
      <div class="tb-body" role="tabpanel" aria-label={open}>
        {(tabs.get(open) ?? []).map((table) => (
          <Section key={table.title} table={table} store={store} cells={cells} headed={tabs.get(open)!.length > 1} />
        ))}
      </div>
      <Foot store={store} cells={cells} />
    </div>
  );
}

/** Symbols are identified by name, so that adding rows does not affect the others. */
function isNumbered(table: Table): boolean {
  return table.part !== "nominal";
}

interface SectionProps {
  table: Table;
  store: Store;
  cells: Cells;
  headed: boolean;
}

function Section({ table, store, cells, headed }: SectionProps) {
  if (table.part === "nominal") return <Symbols table={table} store={store} cells={cells} />;
  const ofFrames = table.part === "frame" || table.part === "link";
  return (
    <section class="tb-section">
      {headed ? <h2 class="tb-heading">{HEADINGS[table.title] ?? table.title}</h2> : null}
      {table.part === "robot" ? (
        <Form table={table} cells={cells} />
      ) : table.rows.length ? (
        <Sheet
          table={table}
          cells={cells}
          selected={ofFrames ? store.selected.value : null}
          onSelect={ofFrames ? (j) => (store.selected.value = j || null) : undefined}
          onRemove={table.remove ? (row) => void cells.row(removal(table, row)) : undefined}
        />
      ) : (
        <p class="tb-empty">{EMPTY[table.title] ?? "This table is empty."}</p>
      )}
      <AddButtons table={table} store={store} cells={cells} />
    </section>
  );
}

/** Return the edit that removes a row; a frame that closes a loop is removed with its loop. */
function removal(table: Table, row: Row) {
  const loop = row.role === "opened" || row.role === "twin";
  return { part: loop ? "remove_loop" : table.remove!, j: row.j };
}

function AddButtons({ table, store, cells }: Omit<SectionProps, "headed">) {
  const view = store.view.value!;
  const additions = additionsOf(table, { view, selected: store.selected.value, q: store.q.peek() });
  const postures = table.part === "posture" ? Object.keys(view.postures) : [];
  if (!additions.length && !postures.length) return null;
  return (
    <div class="tb-bar">
      {additions.map(({ title, hint, edit }) => (
        <button
          key={edit.part + title}
          type="button"
          class="sh-button"
          title={hint}
          onClick={() => void cells.row(current(table, store, edit))}
        >
          {title}
        </button>
      ))}
      {postures.map((name) => (
        <button
          key={name}
          type="button"
          class="sh-button"
          onClick={() => (store.q.value = postureOf(view, name, store.q.value))}
        >
          Go to {name}
        </button>
      ))}
      {table.title === "geometry" ? (
        <span class="tb-note">
          Numbers or expressions: <code>pi/2</code> <code>D3</code> <code>L1 + 0.2</code>
        </span>
      ) : null}
    </div>
  );
}

/** Return an edit with current data: a posture is read when the button is pressed, not when it was drawn. */
function current(table: Table, store: Store, edit: CellEdit): CellEdit {
  if (edit.part !== "add_posture") return edit;
  const context = { view: store.view.value!, selected: null, q: store.q.value };
  return additionsOf(table, context)[0]?.edit ?? edit;
}

function postureOf(view: View, name: string, q: number[]): number[] {
  const named = new Map(view.coordinates.map((j, i) => [j, view.postures[name]?.[i] ?? 0]));
  return view.joints.map((joint, i) => named.get(joint.frame) ?? q[i] ?? 0);
}

function Foot({ store, cells }: { store: Store; cells: Cells }) {
  const problems = cells.problems();
  const view = store.view.value;
  const warnings = view?.warnings ?? [];
  const notes = view?.notes ?? [];
  if (!problems.length && !warnings.length && !notes.length && !view?.legs) return null;
  return (
    <div class="tb-foot" aria-live="polite">
      {problems.map(({ cell, message }) => (
        <div key={cell} class="tb-problem">
          <b>{cell}</b> {message}
        </div>
      ))}
      {view?.legs ? (
        <div class="tb-offer" data-testid="floating-offer">
          {view.legs} chains are mounted on a base with a mass, and the base is fixed. If this is a legged robot, its base is floating.{" "}
          <button type="button" class="sh-button" onClick={() => void store.edit([{ part: "robot", field: "base", text: "floating" }])}>
            Use a floating base
          </button>
        </div>
      ) : null}
      {warnings.map((warning) => (
        <div key={warning} class="tb-warning">
          {warning}
        </div>
      ))}
      {notes.length ? (
        <details class="tb-notes" open data-testid="robot-notes">
          <summary>Notes on the file</summary>
          <ul>
            {notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </details>
      ) : null}
    </div>
  );
}
