// Small components that the tabs share.

import { useSignal, useSignalEffect } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

import type { Problem } from "../backend/backend";
import { copy } from "../store/clipboard";
import { awaited, type Awaited } from "./session";

/** A panel with an error message, its place and a hint. */
export function ProblemPanel({ problem, children }: { problem: Problem; children?: ComponentChildren }) {
  return (
    <div class="md-problem" role="alert">
      <p class="md-problem-message">{problem.message}</p>
      {problem.hint && <p>{problem.hint}</p>}
      {placeText(problem.place) && <p class="md-muted">{placeText(problem.place)}</p>}
      {problem.problems && problem.problems.length > 0 && (
        <ul>
          {problem.problems.map((one) => (
            <li>{typeof one === "string" ? one : JSON.stringify(one)}</li>
          ))}
        </ul>
      )}
      {children}
    </div>
  );
}

export function placeText(place: unknown): string {
  if (!place) return "";
  if (typeof place !== "object") return String(place);
  return Object.entries(place)
    .map(([name, part]) => `${name} ${part}`)
    .join(", ");
}

/** Return the result of a promise; `ask` is called again when one of `of` changes. */
export function useAnswer<T>(request: () => Promise<T>, of: unknown[]): Awaited<T> {
  const state = useSignal<Awaited<T>>({});
  useEffect(() => {
    state.value = {};
    return awaited(state, request());
  }, of);
  return state.value;
}

/**
 * Return the latest result of a request. If one of `of` changes while a request is pending, the next one waits for it, so
 * that a motion does not send a request per picture.
 */
export function useLatest<T>(request: () => Promise<T>, of: unknown[]): T | undefined {
  const result = useSignal<T | undefined>(undefined);
  const queue = useRef<{ next: (() => Promise<T>) | null; running: boolean }>({ next: null, running: false }).current;
  useEffect(() => {
    queue.next = request;
    if (!queue.running) void send();
  }, of);
  useEffect(() => () => void (queue.next = null), []);

  async function send(): Promise<void> {
    queue.running = true;
    for (let next = queue.next; next; next = queue.next) {
      queue.next = null;
      result.value = await next().catch(() => undefined);
    }
    queue.running = false;
  }

  return result.value;
}

/** A button that copies a text and confirms it for a moment. */
export function CopyButton({ text, children }: { text: () => string; children: ComponentChildren }) {
  const copied = useSignal(false);
  useSignalEffect(() => {
    if (!copied.value) return;
    const timer = setTimeout(() => (copied.value = false), 1200);
    return () => clearTimeout(timer);
  });
  return (
    <button
      type="button"
      class="md-button"
      onClick={async () => {
        await copy(text());
        copied.value = true;
      }}
    >
      {copied.value ? "Copied" : children}
    </button>
  );
}

export function Segments<T extends string>(props: {
  label: string;
  value: T;
  choices: readonly (readonly [T, string])[];
  onChoose: (value: T) => void;
}) {
  return (
    <div class="md-segments" role="group" aria-label={props.label}>
      {props.choices.map(([value, title]) => (
        <button
          type="button"
          aria-pressed={value === props.value}
          onClick={() => props.onChoose(value)}
        >
          {title}
        </button>
      ))}
    </div>
  );
}

/** Return a unit with its exponents raised: kg m² for "kg m2". */
export const unitText = (unit: string): string => unit.replace(/(?<=[a-z])[23]/g, (digit) => (digit === "2" ? "²" : "³"));

/** The unit of a port; nothing if it has none. */
export function Unit({ of }: { of: string | undefined }) {
  return of ? <span class="md-unit">{unitText(of)}</span> : null;
}

export function Waiting({ children }: { children: ComponentChildren }) {
  return <p class="md-waiting">{children}</p>;
}
