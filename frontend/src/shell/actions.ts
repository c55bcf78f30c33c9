// Commands of the shell, for menus, palette and keyboard.

import type { FileFormat } from "../backend/messages";
import type { Action } from "../store/store";
import type { ShellState, Panel, Theme } from "./shellState";
import { chooseFiles, saveAs } from "./files";
import { toggleMaximised } from "./maximise";

const THEMES: [Theme, string][] = [
  ["system", "System theme"],
  ["light", "Light"],
  ["dark", "Dark"],
];

/** Names of the formats, in the order of the menu; YAML contains everything. */
export const FORMAT_NAMES: Record<string, string> = {
  yaml: "YAML (.yaml)",
  urdf: "URDF (.urdf)",
  par: "SYMORO (.par)",
  "khalil-kleinfinger": "Khalil-Kleinfinger table (.csv)",
  craig: "Craig table (.csv)",
  "denavit-hartenberg": "standard Denavit-Hartenberg table (.csv)",
};

export function writable(shell: ShellState): FileFormat[] {
  const names = Object.keys(FORMAT_NAMES);
  const formats = (shell.about.value?.formats ?? []).filter(({ written }) => written);
  return formats.sort((a, b) => names.indexOf(a.id) - names.indexOf(b.id));
}

/** Move the keyboard focus from pane to pane. */
function nextPane(backend: boolean): void {
  const panes = [...document.querySelectorAll<HTMLElement>("[data-pane]")];
  const here = panes.findIndex((pane) => pane.contains(document.activeElement));
  const next = panes[(here + (backend ? -1 : 1) + panes.length) % panes.length];
  const inside = next?.querySelector<HTMLElement>('[tabindex="0"], button, input, select, textarea, canvas');
  (inside ?? next)?.focus();
}

export function shellActions(shell: ShellState): Action[] {
  const { store } = shell;
  const some = (): boolean => store.view.value !== null;
  const panel = (name: Panel) => () => void (shell.panel.value = name);
  return [
    {
      id: "palette",
      title: "Search for a model, a robot or a command",
      group: "Page",
      keys: "Ctrl+K",
      run: () => void (shell.palette.value = !shell.palette.value),
    },
    { id: "new", title: "New robot", group: "Robot", keys: "Alt+N", run: panel("new") },
    { id: "open", title: "Open a file", words: "import load urdf mjcf mujoco xacro par yaml csv symoro opensymoro recent", group: "Robot", keys: "Ctrl+O", run: () => chooseFiles(shell) },
    { id: "gallery", title: "Gallery of bundled robots", group: "Robot", keys: "Alt+G", run: panel("gallery") },
    { id: "dh", title: "Robot from a Denavit-Hartenberg table", words: "dh parameters modified craig", group: "Robot", run: panel("dh") },
    {
      id: "save",
      title: "Save the robot (YAML)",
      group: "Robot",
      keys: "Ctrl+S",
      enabled: some,
      run: () => saveAs(shell, "yaml"),
    },

    { id: "share", title: "Share a link", words: "send url copy robot posture model", group: "Robot", enabled: some, run: panel("share") },
    {
      id: "identify",
      title: "Identify parameters from a log",
      group: "Robot",
      words: "identification measurement csv",
      enabled: some,
      run: () => chooseFiles(shell),
    },
    {
      id: "undo",
      title: "Undo",
      group: "Robot",
      keys: "Ctrl+Z",
      enabled: () => store.canUndo.value,
      run: () => store.undo(),
    },
    {
      id: "redo",
      title: "Redo",
      group: "Robot",
      keys: "Ctrl+Y, Ctrl+Shift+Z",
      enabled: () => store.canRedo.value,
      run: () => store.redo(),
    },
    { id: "pane", title: "Next pane", group: "Page", keys: "F6", run: () => nextPane(false) },
    { id: "pane-back", title: "Previous pane", group: "Page", keys: "Shift+F6", run: () => nextPane(true) },
    ...(["tables", "scene", "models"] as const).map((pane) => ({
      id: `maximise-${pane}`,
      title: `Maximise or restore the ${pane === "models" ? "model" : pane}`,
      group: "Page",
      words: "full screen fullscreen lecture pane",
      run: () => toggleMaximised(store, pane),
    })),
    {
      id: "lecture",
      title: "Lecture mode: large type",
      group: "Page",
      words: "presentation projector zoom font size",
      run: () => void (shell.lecture.value = !shell.lecture.value),
    },
    ...THEMES.map(([theme, title]) => ({
      id: `theme-${theme}`,
      title: `Theme: ${title.toLowerCase()}`,
      group: "Page",
      run: () => void (shell.theme.value = theme),
    })),
    { id: "keys", title: "Keyboard shortcuts", words: "help", group: "Page", keys: "F1", run: panel("keys") },
    { id: "tour", title: "Tour in five steps", words: "help introduction", group: "Page", run: () => void (shell.tour.value = 0) },
  ];
}

export { THEMES };
