// Panels that temporarily replace the tables: new robot, gallery, Denavit-Hartenberg table, shortcuts, errors.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

import type { Desk } from "./desk";
import { DhPanel } from "./dh";
import { openBundled } from "./files";
import { answering } from "./find";
import { NewPanel } from "./new";
import { ErrorPanel } from "./errorpanel";

interface FrameProps {
  desk: Desk;
  title: string;
  children: ComponentChildren;
}

export function PanelFrame({ desk, title, children }: FrameProps) {
  const root = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    const first = root.current?.querySelector<HTMLElement>(".sh-panel-body input, .sh-panel-body button");
    (first ?? root.current)?.focus({ preventScroll: true });
    return () => before?.focus?.();
  }, []);
  return (
    <section
      ref={root}
      class="sh-panel"
      aria-label={title}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key === "Escape") desk.panel.value = null;
      }}
    >
      <header class="sh-panel-head">
        <h2>{title}</h2>
        <button
          type="button"
          class="sh-top"
          aria-label="close"
          title="Close (Esc)"
          onClick={() => (desk.panel.value = null)}
        >
          {"\u00d7"}
        </button>
      </header>
      <div class="sh-panel-body">{children}</div>
    </section>
  );
}

export function Panels({ desk }: { desk: Desk }) {
  switch (desk.panel.value) {
    case "new":
      return (
        <PanelFrame desk={desk} title="New robot">
          <NewPanel desk={desk} />
        </PanelFrame>
      );
    case "gallery":
      return (
        <PanelFrame desk={desk} title="Gallery">
          <Gallery desk={desk} />
        </PanelFrame>
      );
    case "dh":
      return (
        <PanelFrame desk={desk} title="Robot from a Denavit-Hartenberg table">
          <DhPanel desk={desk} />
        </PanelFrame>
      );
    case "keys":
      return (
        <PanelFrame desk={desk} title="Keyboard shortcuts">
          <Keys desk={desk} />
        </PanelFrame>
      );
    case "problem":
      return (
        <PanelFrame desk={desk} title={desk.trouble.value?.title ?? ""}>
          <ErrorPanel desk={desk} />
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

function Keys({ desk }: { desk: Desk }) {
  const actions = desk.store.actions.value.filter((action) => action.keys);
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

function Gallery({ desk }: { desk: Desk }) {
  const wanted = useSignal("");
  const robots = desk.robots.value;
  if (!robots.length) return <p class="sh-hint">Loading the gallery …</p>;
  const known = robots.map((robot) => ({
    robot,
    title: robot.name,
    group: robot.family,
    words: `${robot.title} ${robot.structure}`,
  }));
  return (
    <>
      <input
        class="sh-field sh-filter"
        type="search"
        placeholder={`Search ${robots.length} robots`}
        aria-label="find a robot"
        value={wanted.value}
        onInput={(event) => (wanted.value = event.currentTarget.value)}
      />
      <div class="sh-gallery">
        {answering(known, wanted.value).map(({ robot }) => (
          <button
            key={robot.id}
            type="button"
            class="sh-card"
            data-robot={robot.id}
            onClick={() => void openBundled(desk, robot.id)}
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
