// The robot's tables: whole, one tab each, edited in place.

import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";

import type { Table } from "../back/view";
import type { Store } from "../store/store";
import { createCells, type Cells } from "./cells";
import { HEADINGS, titleOf } from "./labels";
import { Sheet } from "./sheet";
import { Symbols } from "./symbols";
import "./tables.css";

/** The tables of each tab, in the order in which they come. */
export function tabsOf(tables: Table[]): Map<string, Table[]> {
  const tabs = new Map<string, Table[]>();
  for (const table of tables) {
    const title = titleOf(table.title);
    tabs.set(title, [...(tabs.get(title) ?? []), table]);
  }
  return tabs;
}

export function Tables({ store }: { store: Store }) {
  const wanted = useSignal("Geometry");
  const cells = useMemo(() => createCells(store), [store]);
  const view = store.view.value;
  const name = view?.name;
  useEffect(() => cells.clear(), [name]);
  if (!view) return <p class="tb-empty">No robot yet: open one from the gallery, or drop a file here.</p>;

  const tabs = tabsOf(view.tables);
  const titles = [...tabs.keys()];
  const open = tabs.has(wanted.value) ? wanted.value : (titles[0] ?? "");

  function onTabKey(event: KeyboardEvent): void {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (!by) return;
    event.preventDefault();
    wanted.value = titles[(titles.indexOf(open) + by + titles.length) % titles.length] ?? open;
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
            onClick={() => (wanted.value = title)}
          >
            {title}
          </button>
        ))}
      </div>
      <div class="tb-body" role="tabpanel" aria-label={open}>
        {(tabs.get(open) ?? []).map((table) => (
          <Section key={table.title} table={table} store={store} cells={cells} headed={tabs.get(open)!.length > 1} />
        ))}
        {open === "Geometry" ? <Geometry store={store} cells={cells} /> : null}
      </div>
      <Foot store={store} cells={cells} />
    </div>
  );
}

interface SectionProps {
  table: Table;
  store: Store;
  cells: Cells;
  headed: boolean;
}

function Section({ table, store, cells, headed }: SectionProps) {
  if (table.part === "nominal") return <Symbols table={table} store={store} cells={cells} />;
  const links = store.view.value?.sizes.NL ?? 0;
  return (
    <section class="tb-section">
      {headed ? <h3 class="tb-heading">{HEADINGS[table.title] ?? titleOf(table.title)}</h3> : null}
      {table.rows.length ? (
        <Sheet
          table={table}
          cells={cells}
          selected={table.part === "frame" || table.part === "link" ? store.selected.value : null}
          onSelect={(j) => (store.selected.value = j)}
          onRemove={
            table.title === "geometry" && links > 1
              ? (j) => void cells.row({ part: "remove_frame", j })
              : undefined
          }
        />
      ) : (
        <p class="tb-empty">Nothing in this table for this robot.</p>
      )}
    </section>
  );
}

function Geometry({ store, cells }: { store: Store; cells: Cells }) {
  const view = store.view.value!;
  return (
    <div class="tb-bar">
      <button
        type="button"
        class="sh-button"
        onClick={() => void cells.row({ part: "add_frame", ant: store.selected.value ?? view.sizes.NL })}
        title="a revolute joint and its link, on the selected frame or on the last one"
      >
        Add a joint
      </button>
      <span class="tb-note">
        Angles and lengths are numbers or expressions: <code>pi/2</code>, <code>D3</code>, <code>L1 + 0.2</code>
      </span>
    </div>
  );
}

function Foot({ store, cells }: { store: Store; cells: Cells }) {
  const problems = cells.problems();
  const warnings = store.view.value?.warnings ?? [];
  if (!problems.length && !warnings.length) return null;
  return (
    <div class="tb-foot" aria-live="polite">
      {problems.map(({ cell, message }) => (
        <div key={cell} class="tb-problem">
          <b>{cell}</b> {message}
        </div>
      ))}
      {warnings.map((warning) => (
        <div key={warning} class="tb-warning">
          {warning}
        </div>
      ))}
    </div>
  );
}
