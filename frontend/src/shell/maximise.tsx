// A button that gives a pane the whole page, and restores the layout.

import type { PaneName, Store } from "../store/store";

const TITLES: Record<PaneName, string> = { tables: "tables", scene: "scene", models: "model" };

export function toggleMaximised(store: Store, pane: PaneName): void {
  store.maximised.value = store.maximised.value === pane ? null : pane;
}

/** Show a pane if another one takes the whole page, and scroll to it: on a small screen the panes are below each other. */
export function reveal(store: Store, pane: PaneName): void {
  if (store.maximised.value !== pane) store.maximised.value = null;
  document.querySelector(`[data-pane="${pane}"]`)?.scrollIntoView?.({ block: "nearest" });
}

/** Request a model with its default options, and show it. */
export function openModel(store: Store, model: string): void {
  store.requested.value = { model, options: {} };
  reveal(store, "models");
}

export function Maximise({ store, pane }: { store: Store; pane: PaneName }) {
  const whole = store.maximised.value === pane;
  const title = whole ? "Show all panes" : `Maximise the ${TITLES[pane]}`;
  return (
    <button
      type="button"
      class="sh-maximise"
      aria-pressed={whole}
      aria-label={title}
      title={title}
      data-maximise={pane}
      onClick={() => toggleMaximised(store, pane)}
    >
      {whole ? "\u2921" : "\u2922"}
    </button>
  );
}
