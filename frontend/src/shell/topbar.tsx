// The bar at the top: robot, undo, models, palette, theme.

import type { EntryData } from "../backend/messages";
import { FORMAT_NAMES, THEMES, writable } from "./actions";
import type { ShellState } from "./shellState";
import { chooseFiles, earlierRobots, openRecent, saveAs } from "./files";
import { openModel } from "./maximise";
import { Menu, type Item } from "./menu";
import { menusInOrder, modelsInOrder, shortTitle, subtitle } from "./modelMenus";

function robotItems(shell: ShellState): (Item | "line")[] {
  const none = shell.store.view.value === null;
  return [
    { id: "new", title: "New\u2026", keys: "Alt+N", run: () => void (shell.panel.value = "new") },
    { id: "open", title: "Open\u2026", keys: "Ctrl+O", run: () => chooseFiles(shell) },
    { id: "gallery", title: "Gallery", keys: "Alt+G", run: () => void (shell.panel.value = "gallery") },
    { id: "dh", title: "From a Denavit-Hartenberg table\u2026", run: () => void (shell.panel.value = "dh") },
    "line",
    ...writable(shell).map(
      ({ id }): Item => ({
        id: `save-${id}`,
        title: `Save as ${FORMAT_NAMES[id] ?? id}`,
        keys: id === "yaml" ? "Ctrl+S" : undefined,
        disabled: none,
        run: () => void saveAs(shell, id),
      }),
    ),
    { id: "share", title: "Share a link\u2026", disabled: none, run: () => void (shell.panel.value = "share") },
    ...recentItems(shell),
  ];
}

/** Return the menu entries of the robots that were open before the current one. */
function recentItems(shell: ShellState): (Item | "line")[] {
  const others = earlierRobots(shell);
  if (!others.length) return [];
  return [
    "line",
    ...others.map(
      (recent): Item => ({
        id: `recent-${recent.id}`,
        title: recent.name,
        note: `recent: ${recent.description}`,
        run: () => void openRecent(shell, recent),
      }),
    ),
  ];
}

/** Return the menu entry of a model; a model that does not apply is disabled, with the reason. */
function modelItem(shell: ShellState, entry: EntryData): Item {
  return {
    id: entry.id,
    title: shortTitle(entry),
    note: entry.why_not ? `not for this robot: ${entry.why_not}` : subtitle(entry),
    disabled: Boolean(entry.why_not),
    run: () => openModel(shell.store, entry.id),
  };
}

/** Return the menu entries of the actions that belong to a menu of models, such as the singularities. */
function actionItems(shell: ShellState, menu: string): Item[] {
  return shell.store.actions.value
    .filter((action) => action.group === menu)
    .map(({ id, title, subtitle, keys, enabled, run }) => ({ id, title, note: subtitle, keys, disabled: enabled ? !enabled() : false, run: () => void run() }));
}

export function TopBar({ shell }: { shell: ShellState }) {
  const { store } = shell;
  const view = store.view.value;
  const menus = menusInOrder(shell.about.value?.menus ?? []);
  const models = modelsInOrder(shell.catalogue.value);
  return (
    <header class="sh-bar">
      <h1 class="sh-logo">
        <svg viewBox="0 0 32 32" width="18" height="18" aria-hidden="true">
          <g fill="none" stroke-width="3.4" stroke-linecap="round">
            <path d="M10 22 10 5" stroke="#3b7de8" />
            <path d="M10 22 27 22" stroke="#d94a4a" />
            <path d="M10 22 4 28" stroke="#37a35a" />
          </g>
        </svg>
        symoro
      </h1>
      <Menu label="Robot" name="Robot" items={robotItems(shell)} />
      <button
        type="button"
        class="sh-top sh-icon"
        aria-label="undo"
        title="Undo (Ctrl+Z)"
        data-action="undo"
        disabled={!store.canUndo.value}
        onClick={() => void store.undo()}
      >
        {"\u21b6"}
      </button>
      <button
        type="button"
        class="sh-top sh-icon"
        aria-label="redo"
        title="Redo (Ctrl+Y)"
        data-action="redo"
        disabled={!store.canRedo.value}
        onClick={() => void store.redo()}
      >
        {"\u21b7"}
      </button>
      <span class="sh-rule" />
      <nav class="sh-models" aria-label="models">
        {menus.map((menu) => (
          <Menu
            key={menu}
            label={menu}
            name={menu}
            empty="Open a robot to see the models."
            items={[
              ...models.filter((entry) => entry.menu === menu && !entry.why_not).map((entry) => modelItem(shell, entry)),
              ...actionItems(shell, menu),
              ...models.filter((entry) => entry.menu === menu && entry.why_not).map((entry) => modelItem(shell, entry)),
            ]}
          />
        ))}
      </nav>
      <div class="sh-name" title={view ? `${view.title || view.name}\n${view.reference}` : undefined}>
        {view ? (
          <>
            <b data-robot-name>{view.name}</b> <span>{view.description}</span>
          </>
        ) : null}
      </div>
      {shell.busy.value ? <span class="sh-busy" role="status" aria-label="working" /> : null}
      <button type="button" class="sh-search" onClick={() => (shell.palette.value = true)} data-action="palette">
        Search <kbd>Ctrl K</kbd>
      </button>
      <Menu
        label={<span aria-label="theme and help">{store.dark.value ? "\u263e" : "\u2600"}</span>}
        name="Page"
        items={[
          ...THEMES.map(
            ([theme, title]): Item => ({
              id: `theme-${theme}`,
              title,
              checked: shell.theme.value === theme,
              run: () => void (shell.theme.value = theme),
            }),
          ),
          "line",
          {
            id: "lecture",
            title: "Lecture mode: large type",
            checked: shell.lecture.value,
            run: () => void (shell.lecture.value = !shell.lecture.value),
          },
          "line",
          { id: "keys", title: "Keyboard shortcuts", keys: "F1", run: () => void (shell.panel.value = "keys") },
          { id: "tour", title: "Tour in five steps", run: () => void (shell.tour.value = 0) },
          {
            id: "about",
            title: `symoro ${shell.about.value?.version ?? ""}`,
            note: shell.about.value ? `on Python ${shell.about.value.python}` : undefined,
            disabled: true,
            run: () => undefined,
          },
        ]}
      />
    </header>
  );
}
