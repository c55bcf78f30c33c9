// Layout of the page: tables on the left, scene on the right, model below.

import { useSignal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";

import { retryNow, serverLost } from "../backend/retry";
import type { PaneName, Store } from "../store/store";
import { Tables } from "../tables/tables";
import { Boundary } from "./boundary";
import { SIZES, type ShellState } from "./shellState";
import { dropped } from "./droppedFiles";
import { openFiles } from "./files";
import { Palette } from "./palette";
import { Panels } from "./panels";
import { Split } from "./split";
import { TopBar } from "./topbar";
import { Tour } from "./tour";
import "./theme.css";
import "./shell.css";

type Pane = ComponentType<{ store: Store }>;

interface LazyProps {
  store: Store;
  load: () => Promise<Pane>;
  waiting: string;
}

/** A pane that is loaded after the page, because three.js and KaTeX are large. */
function Lazy({ store, load, waiting }: LazyProps) {
  const [Loaded, setLoaded] = useState<Pane | null>(null);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    load().then(
      (pane) => setLoaded(() => pane),
      (error: unknown) => setProblem(String(error)),
    );
  }, []);
  if (problem) return <p class="sh-empty">This pane could not be loaded: {problem}. Check the network connection, then reload the page.</p>;
  return Loaded ? <Loaded store={store} /> : <p class="sh-empty">{waiting}</p>;
}

export interface ShellProps {
  shell: ShellState;
  /** What the user can do while requests fail. */
  lost: string;
  scene: () => Promise<Pane>;
  models: () => Promise<Pane>;
}

export function Shell({ shell, lost, scene, models }: ShellProps) {
  const { store } = shell;
  const { tables, upper } = shell.sizes.value;
  // A panel takes the place of the tables, so that all panes are shown while it is open.
  const maximised = shell.panel.value === null ? store.maximised.value : null;
  const aside = (pane: PaneName): string | undefined => (maximised && maximised !== pane ? "" : undefined);
  const dropping = useSignal(false);
  const wide = shell.panel.value === "gallery";
  const panel = shell.panel.value !== null && !wide;

  useDrops(shell, dropping);

  return (
    <div class="sh-page">
      <TopBar shell={shell} />
      <Tour shell={shell} />
      {serverLost.value ? (
        <div class="sh-lost" role="status" data-lost>
          <p>The server does not answer. The page tries again; {lost}. Your robot is stored in this browser.</p>
          <button type="button" class="sh-button" data-action="retry" onClick={retryNow}>
            Try again now
          </button>
        </div>
      ) : null}
      <main class="sh-panes" data-maximised={maximised ?? undefined} style={{ gridTemplateRows: `minmax(0, ${upper}fr) auto minmax(0, ${1 - upper}fr)` }}>
        <div class="sh-upper" style={{ gridTemplateColumns: `minmax(0, ${tables}fr) auto minmax(0, ${1 - tables}fr)` }}>
          <section class="sh-pane" data-pane="tables" data-aside={aside("tables")} aria-label="tables" tabIndex={-1}>
            {panel ? <Panels shell={shell} key={shell.panel.value} /> : null}
            <div class="sh-under" hidden={panel}>
              <Boundary name="The tables">
                <Tables store={store} />
              </Boundary>
            </div>
          </section>
          <Split
            line="vertical"
            label="width of the tables"
            value={tables}
            reset={SIZES.tables}
            onChange={(value) => (shell.sizes.value = { ...shell.sizes.value, tables: value })}
          />
          <section class="sh-pane" data-pane="scene" data-aside={aside("scene")} aria-label="scene" tabIndex={-1}>
            <Boundary name="The scene">
              <Lazy store={store} load={scene} waiting={"Loading the scene \u2026"} />
            </Boundary>
          </section>
        </div>
        <Split
          line="horizontal"
          label="height of the upper panes"
          value={upper}
          reset={SIZES.upper}
          onChange={(value) => (shell.sizes.value = { ...shell.sizes.value, upper: value })}
        />
        <section class="sh-pane" data-pane="models" data-aside={aside("models")} aria-label="model" tabIndex={-1}>
          <Boundary name="The models pane">
            <Lazy store={store} load={models} waiting={"Loading the models \u2026"} />
          </Boundary>
        </section>
        {wide ? <Panels shell={shell} /> : null}
      </main>
      <Palette shell={shell} />
      {dropping.value ? (
        <div class="sh-drop">
          <div>
            <b>Drop files anywhere</b>
            <span>.par, .yaml, .urdf with its meshes, .xml of MuJoCo, .xacro, .csv; trajectories, motions and logs</span>
          </div>
        </div>
      ) : null}
    </div>
  );
}

/** Accept files dropped anywhere on the page. */
function useDrops(shell: ShellState, dropping: { value: boolean }): void {
  useEffect(() => {
    const holdsFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;
    const over = (event: DragEvent): void => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      dropping.value = true;
    };
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) dropping.value = false;
    };
    const drop = (event: DragEvent): void => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      dropping.value = false;
      dropped(event.dataTransfer!).then(
        (files) => openFiles(shell, files),
        (error: unknown) => shell.showError("The dropped files cannot be read", error),
      );
    };
    addEventListener("dragover", over);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
    };
  }, [shell]);
}
