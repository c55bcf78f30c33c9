// State of the shell beside the robot: lists, open panel, theme, sizes of the panes, step of the tour.

import { computed, effect, signal, type ReadonlySignal, type Signal } from "@preact/signals";

import { Failure, type Problem } from "../backend/backend";
import type { About, EntryData, GalleryEntry, View } from "../backend/messages";
import { recordRecent, type RecentRobots } from "../store/recent";
import { put } from "../store/storage";
import type { Store } from "../store/store";

export type Panel = "new" | "gallery" | "dh" | "keys" | "share" | "problem";
export type Theme = "system" | "light" | "dark";

export interface Sizes {
  /** Fraction of the width for the tables, and fraction of the height for the upper panes. */
  tables: number;
  upper: number;
}

/** An error, with the title of the panel that shows it. */
export interface ErrorReport {
  title: string;
  problem: Problem;
  /** Text of the file that contains the error. */
  text?: string;
  /** Commands that correct the problem. */
  remedies?: Correction[];
}

export interface Correction {
  title: string;
  run: () => Promise<void>;
}

export interface ShellState {
  readonly store: Store;
  readonly about: Signal<About | null>;
  readonly robots: Signal<GalleryEntry[]>;
  readonly catalogue: Signal<EntryData[]>;
  readonly recent: RecentRobots;
  readonly panel: Signal<Panel | null>;
  readonly errorReport: Signal<ErrorReport | null>;
  readonly palette: Signal<boolean>;
  readonly theme: Signal<Theme>;
  /** Whether tables, panels and equations have large type, for a projector. */
  readonly lecture: Signal<boolean>;
  readonly sizes: Signal<Sizes>;
  /** Step of the tour, from 0; null if the tour is closed. */
  readonly tour: Signal<number | null>;
  readonly busy: ReadonlySignal<boolean>;
  /**
   * Open the robot that a request returns, unless another one was requested later; an error is shown in a panel.
   *
   * Returns whether the robot was opened. `text` is the text of its file, and `show` shows it.
   */
  openRobot(title: string, request: () => Promise<View>, text?: string, show?: (view: View) => void): Promise<boolean>;
  showError(title: string, error: unknown, more?: Pick<ErrorReport, "text" | "remedies">): void;
}

export const SIZES: Sizes = { tables: 0.47, upper: 0.54 };
const SETTINGS = "symoro-settings";
const CATALOGUE_WAIT_MS = 150;

interface Settings {
  theme?: Theme;
  lecture?: boolean;
  sizes?: Sizes;
  toured?: boolean;
}

export function readSettings(storage: Pick<Storage, "getItem">): Settings {
  try {
    return (JSON.parse(storage.getItem(SETTINGS) ?? "{}") ?? {}) as Settings;
  } catch {
    return {};
  }
}

export function writeSettings(storage: Pick<Storage, "getItem" | "setItem">, changed: Settings): void {
  put(storage, SETTINGS, JSON.stringify({ ...readSettings(storage), ...changed }));
}

/** Return the state of the shell; the tour begins on the first visit, unless `tour` is false. */
export function createShellState(store: Store, storage: Storage, tour = true): ShellState {
  const settings = readSettings(storage);
  const working = signal(0);
  let latest = 0;
  const errorReport = signal<ErrorReport | null>(null);
  const panel = signal<Panel | null>(null);
  const theme = signal<Theme>(settings.theme ?? "system");
  const lecture = signal(settings.lecture ?? false);
  const sizes = signal<Sizes>({ ...SIZES, ...settings.sizes });
  const recent = recordRecent(store, storage);

  effect(() => writeSettings(storage, { theme: theme.value, lecture: lecture.value, sizes: sizes.value }));
  effect(() => void document.documentElement.toggleAttribute("data-lecture", lecture.value));
  followTheme(store, theme);

  function report(title: string, error: unknown, more: Pick<ErrorReport, "text" | "remedies"> = {}): void {
    if (error instanceof DOMException && error.name === "AbortError") return;
    const problem = error instanceof Failure ? error.problem : { kind: "Error", message: String(error) };
    errorReport.value = { title, problem, ...more };
    panel.value = "problem";
  }

  const shell: ShellState = {
    store,
    about: signal<About | null>(null),
    robots: signal<GalleryEntry[]>([]),
    catalogue: signal<EntryData[]>([]),
    recent,
    panel,
    errorReport,
    palette: signal(false),
    theme,
    lecture,
    sizes,
    tour: signal<number | null>(settings.toured || !tour ? null : 0),
    busy: computed(() => working.value > 0),
    async openRobot(title, request, text, show = store.show) {
      const turn = ++latest;
      working.value++;
      try {
        const view = await request();
        if (turn !== latest) return false;
        recent.next();
        show(view);
        panel.value = null;
        errorReport.value = null;
        return true;
      } catch (error) {
        if (turn === latest) report(title, error, text === undefined ? {} : { text });
        return false;
      } finally {
        working.value--;
      }
    },
    showError: report,
  };
  // A tour that did not begin is offered on the next visit.
  let began = false;
  effect(() => {
    if (shell.tour.value !== null) began = true;
    else if (began) writeSettings(storage, { toured: true });
  });
  followCatalogue(shell);
  return shell;
}

/** Whether the page is dark: the system's setting unless the user has chosen a theme. */
function followTheme(store: Store, theme: Signal<Theme>): void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const systemDark = signal(system.matches);
  system.addEventListener("change", () => (systemDark.value = system.matches));
  effect(() => {
    store.dark.value = theme.value === "system" ? systemDark.value : theme.value === "dark";
    document.documentElement.dataset["theme"] = store.dark.value ? "dark" : "light";
  });
}

/** Request the catalogue shortly after the robot has changed, because the applicable models depend on the robot. */
function followCatalogue(shell: ShellState): void {
  let latest = 0;
  effect(() => {
    const view = shell.store.view.value;
    const current = ++latest;
    if (!view) return;
    setTimeout(async () => {
      if (current !== latest) return;
      try {
        const { models } = await shell.store.backend.call<{ models: EntryData[] }>("catalogue", { robot: view.robot });
        if (current === latest) shell.catalogue.value = models;
      } catch (error) {
        if (current === latest && !shell.catalogue.value.length) shell.showError("The list of models could not be loaded", error);
      }
    }, CATALOGUE_WAIT_MS);
  });
}

/** Load the constant lists; the page can be used before they arrive. */
export async function loadLists(shell: ShellState): Promise<void> {
  const { backend } = shell.store;
  shell.about.value = await backend.call<About>("about");
  shell.robots.value = (await backend.call<{ robots: GalleryEntry[] }>("robots")).robots;
}
