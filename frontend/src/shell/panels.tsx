// Panels that temporarily replace the tables: new robot, gallery, Denavit-Hartenberg table, shortcuts, errors.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

import type { ShellState } from "./shellState";
import { DhPanel } from "./dh";
import { openBundled } from "./files";
import { matching } from "./search";
import { NewPanel } from "./new";
import { ErrorPanel } from "./errorpanel";
import { SharePanel } from "./share";

interface FrameProps {
  shell: ShellState;
  title: string;
  children: ComponentChildren;
}

export function PanelFrame({ shell, title, children }: FrameProps) {
  const root = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    const first = root.current?.querySelector<HTMLElement>(".sh-panel-body input, .sh-panel-body button");
    (first ?? root.current)?.focus({ preventScroll: true });
    // On a small screen the panes are below each other.
    root.current?.scrollIntoView?.({ block: "nearest" });
    return () => before?.focus?.();
  }, []);
  return (
    <section
      ref={root}
      class="sh-panel"
      aria-label={title}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key === "Escape") shell.panel.value = null;
      }}
    >
      <header class="sh-panel-head">
        <h2>{title}</h2>
        <button
          type="button"
          class="sh-top"
          aria-label="close"
          title="Close (Esc)"
          onClick={() => (shell.panel.value = null)}
        >
          {"\u00d7"}
        </button>
      </header>
      <div class="sh-panel-body" tabIndex={0} role="group" aria-label={title}>
        {children}
      </div>
    </section>
  );
}

export function Panels({ shell }: { shell: ShellState }) {
  switch (shell.panel.value) {
    case "new":
      return (
        <PanelFrame shell={shell} title="New robot">
          <NewPanel shell={shell} />
        </PanelFrame>
      );
    case "gallery":
      return (
        <PanelFrame shell={shell} title="Gallery">
          <Gallery shell={shell} />
        </PanelFrame>
      );
    case "dh":
      return (
        <PanelFrame shell={shell} title="Robot from a Denavit-Hartenberg table">
          <DhPanel shell={shell} />
        </PanelFrame>
      );
    case "keys":
      return (
        <PanelFrame shell={shell} title="Keyboard shortcuts">
          <Keys shell={shell} />
        </PanelFrame>
      );
    case "share":
      return (
        <PanelFrame shell={shell} title="Share a link">
          <SharePanel shell={shell} />
        </PanelFrame>
      );
    case "problem":
      return (
        <PanelFrame shell={shell} title={shell.errorReport.value?.title ?? ""}>
          <ErrorPanel shell={shell} />
        </PanelFrame>
      );
    default:
      return null;
  }
}

const TABLE_KEYS: [string, string][] = [
  ["Arrows, Tab, Home, End", "move from cell to cell; with Shift extend the selection, with Ctrl go to the edge"],
  ["Enter, F2", "edit a cell; typing replaces its text"],
  ["Enter, Tab, Escape", "in a cell: accept and go down, accept and go right, cancel"],
  ["Space", "next value of a cell with fixed choices"],
  ["Ctrl+C, Ctrl+V", "copy and paste blocks, also from and to spreadsheets"],
  ["Delete", "clear the selected cells"],
  ["Ctrl+Delete", "remove the row"],
];

function Keys({ shell }: { shell: ShellState }) {
  const actions = shell.store.actions.value.filter((action) => action.keys);
  return (
    <table class="sh-keys">
      <tbody>
        {[...actions.map(({ keys, title }): [string, string] => [keys!, title]), ...TABLE_KEYS].map(([keys, title]) => (
          <tr key={keys + title}>
            <td>
              {keys.split(", ").map((one) => (
                <>
                  <kbd>{one}</kbd>{" "}
                </>
              ))}
            </td>
            <td>{title}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Gallery({ shell }: { shell: ShellState }) {
  const wanted = useSignal("");
  const search = useRef<HTMLInputElement>(null);
  const robots = shell.robots.value;
  // The list may arrive after the panel has been opened and focused.
  useLayoutEffect(() => {
    if (search.current && document.activeElement === search.current.closest(".sh-panel")) search.current.focus({ preventScroll: true });
  }, [robots.length > 0]);
  if (!robots.length) return <p class="sh-hint">Loading the gallery …</p>;
  const known = robots.map((robot) => ({
    robot,
    title: robot.name,
    group: robot.family,
    words: `${robot.title} ${robot.structure}`,
  }));
  const listed = matching(known, wanted.value);
  return (
    <>
      <input
        ref={search}
        class="sh-field sh-filter"
        type="search"
        placeholder={`Search ${robots.length} robots`}
        aria-label="search robots"
        value={wanted.value}
        onKeyDown={(event) => {
          if (event.key === "Enter" && wanted.value && listed[0]) void openBundled(shell, listed[0].robot.id);
        }}
        onInput={(event) => (wanted.value = event.currentTarget.value)}
      />
      <div class="sh-gallery">
        {listed.map(({ robot }) => (
          <button
            key={robot.id}
            type="button"
            class="sh-card"
            data-robot={robot.id}
            onClick={() => void openBundled(shell, robot.id)}
          >
            <span class="sh-thumb">
              <img alt="" loading="lazy" src={`./thumbnails/${robot.id}.svg`} />
            </span>
            <b>{robot.name}</b>
            <span class="sh-card-title">{robot.title}</span>
            <span class="sh-card-note">{robot.structure}</span>
          </button>
        ))}
      </div>
    </>
  );
}
