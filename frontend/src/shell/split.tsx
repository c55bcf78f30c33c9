// Divider between two panes, moved by dragging or with the arrow keys.

import { useRef } from "preact/hooks";

interface SplitProps {
  /** Orientation of the divider. */
  line: "vertical" | "horizontal";
  label: string;
  /** Fraction of the first pane. */
  value: number;
  reset: number;
  onChange: (value: number) => void;
}

const LEAST = 0.12;
const STEP = 0.02;

export function clamped(value: number): number {
  return Math.max(LEAST, Math.min(1 - LEAST, value));
}

export function Split({ line, label, value, reset, onChange }: SplitProps) {
  const bar = useRef<HTMLDivElement>(null);

  function onMove(event: PointerEvent): void {
    const box = bar.current?.parentElement?.getBoundingClientRect();
    if (!box || !bar.current?.hasPointerCapture(event.pointerId)) return;
    onChange(
      clamped(line === "vertical" ? (event.clientX - box.left) / box.width : (event.clientY - box.top) / box.height),
    );
  }

  function onKey(event: KeyboardEvent): void {
    const [less, more] = line === "vertical" ? ["ArrowLeft", "ArrowRight"] : ["ArrowUp", "ArrowDown"];
    if (event.key === less) onChange(clamped(value - STEP));
    else if (event.key === more) onChange(clamped(value + STEP));
    else if (event.key === "Home") onChange(LEAST);
    else if (event.key === "End") onChange(1 - LEAST);
    else if (event.key === "Enter") onChange(reset);
    else return;
    event.preventDefault();
  }

  return (
    <div
      ref={bar}
      class={`sh-split sh-split-${line}`}
      role="separator"
      tabIndex={0}
      aria-orientation={line}
      aria-label={label}
      aria-valuenow={Math.round(100 * value)}
      aria-valuemin={Math.round(100 * LEAST)}
      aria-valuemax={Math.round(100 * (1 - LEAST))}
      title="drag or use the arrow keys; double-click to reset"
      onPointerDown={(event) => {
        event.preventDefault();
        bar.current?.focus();
        bar.current?.setPointerCapture(event.pointerId);
      }}
      onPointerMove={onMove}
      onDblClick={() => onChange(reset)}
      onKeyDown={onKey}
    />
  );
}
