// A long list of which only the visible rows are drawn; heights are estimated first and measured when drawn.

import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";

import { Heights } from "./virtual";

const MARGIN = 200; // pixels drawn beyond the window

export function Rows<T>(props: {
  rows: readonly T[];
  guess: (row: T) => number;
  render: (row: T, at: number) => ComponentChildren;
  class?: string;
  label: string;
  /** Row to scroll to when it changes, and the selector of the part of it that has to be visible. */
  reveal?: { row: number; part: string } | null;
}) {
  const box = useRef<HTMLDivElement>(null);
  const scroll = useSignal(0);
  const height = useSignal(0); // until the height of the window is measured, only the margin is drawn
  const measured = useSignal(0);
  const heights = useMemo(() => new Heights(props.rows.map(props.guess)), [props.rows]);

  useLayoutEffect(() => {
    const element = box.current!;
    element.scrollTop = 0;
    scroll.value = 0;
  }, [props.rows]);

  useLayoutEffect(() => {
    const element = box.current!;
    height.value = element.clientHeight || height.value;
    const watch = new ResizeObserver(() => (height.value = element.clientHeight || height.value));
    watch.observe(element);
    return () => watch.disconnect();
  }, []);

  const hidden = useRef(props.reveal);
  useLayoutEffect(() => void (hidden.current = props.reveal), [props.reveal, props.rows]);

  measured.value;
  const { first, last } = heights.window(scroll.value, height.value, MARGIN);

  useLayoutEffect(() => {
    let changed = false;
    for (const row of box.current!.querySelectorAll<HTMLElement>("[data-row]")) {
      changed = heights.measured(Number(row.dataset.row), row.offsetHeight) || changed;
    }
    if (changed) measured.value++;
    else if (hidden.current) reveal(hidden.current);
  });

  /** Scroll to a part of a row; a row that is not drawn is drawn first. */
  function reveal({ row, part }: { row: number; part: string }): void {
    const drawn = box.current!.querySelector(`[data-row="${row}"]`);
    if (drawn) hidden.current = null;
    else box.current!.scrollTop = scroll.value = heights.top(row);
    drawn?.querySelector(part)?.scrollIntoView?.({ block: "nearest" });
  }

  return (
    <div
      ref={box}
      class={`md-rows ${props.class ?? ""}`}
      tabIndex={0}
      role="document"
      aria-label={props.label}
      onScroll={(event) => (scroll.value = event.currentTarget.scrollTop)}
    >
      <div style={{ height: `${heights.top(first)}px` }} />
      {props.rows.slice(first, last).map((row, i) => (
        <div key={first + i} data-row={first + i}>
          {props.render(row, first + i)}
        </div>
      ))}
      <div style={{ height: `${heights.total - heights.top(last)}px` }} />
    </div>
  );
}
