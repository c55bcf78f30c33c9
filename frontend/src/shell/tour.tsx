// Five steps from the start page to the inverse dynamics of a new robot in C. A step ends when the user has performed
// it.

import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";

import type { ShellState } from "./shellState";

interface Step {
  title: string;
  text: string;
  /** Highlighted elements; the first one on the page is used. */
  targets: string[];
  /** State whose change completes the step. */
  watch?: (shell: ShellState) => unknown;
  done?: (now: unknown, before: unknown) => boolean;
  /** Perform the step automatically. */
  help?: { title: string; run: (shell: ShellState) => void; needless?: (shell: ShellState) => boolean };
  /** Pane in whose corner the card is placed, if the space beside the highlighted element is needed. */
  corner?: string;
}

export const STEPS: Step[] = [
  {
    title: "Create a robot",
    text: "Choose Robot, New\u2026, keep 3 links and press Create. The result is a 3R arm with symbolic lengths and inertias.",
    targets: ['[data-form="new"] [type="submit"]', '[data-item="new"]', '[data-menu="Robot"]'],
    watch: ({ store }) => store.view.value?.robot,
    help: {
      title: "Open the panel",
      run: (shell) => void (shell.panel.value = "new"),
      needless: (shell) => shell.panel.value === "new",
    },
  },
  {
    title: "Edit a cell",
    text: "Select the cell \u03b1 of joint 2, type pi/2 and press Enter: the axis of the joint rotates. Cells accept numbers and symbols; arrows, Tab, copy and paste work as in a spreadsheet.",
    targets: ['[data-cell="frame 2 alpha"]', '[data-tab="Geometry"]'],
    watch: ({ store }) => store.view.value?.robot,
    help: {
      title: "Do it for me",
      run: ({ store }) => void store.edit([{ part: "frame", j: 2, field: "alpha", text: "pi/2" }]),
    },
  },
  {
    title: "Move the robot",
    text: "Drag a joint slider beside the scene. Drag in the scene to rotate the view. Click a frame to highlight its row.",
    targets: ['[data-pane="scene"] input[type="range"]', '[data-pane="scene"]'],
    corner: '[data-pane="tables"]',
    watch: ({ store }) => store.q.value.join(),
    help: {
      title: "Do it for me",
      run: ({ store }) => void (store.q.value = store.q.value.map((_, i) => 0.5 - 0.3 * i)),
    },
  },
  {
    title: "Derive the inverse dynamics",
    text: "Choose Dynamic, then \u201cInverse dynamics\u201d; or press Ctrl+K and type idm. The pane below shows the equations and the operation count.",
    targets: ['[data-item="inverse-dynamics"]', '[data-menu="Dynamic"]'],
    watch: ({ store }) => store.requested.value?.model,
    done: (now) => now === "inverse-dynamics",
    help: {
      title: "Do it for me",
      run: ({ store }) => void (store.requested.value = { model: "inverse-dynamics", options: {} }),
    },
  },
  {
    title: "Download the code",
    text: "The tab Code shows the model in C and other languages. Project\u2026 downloads a folder: choose C, unpack it and run \u201cmake run\u201d there to compile the model and a demo that calls it.",
    targets: [
      '[data-pane="models"] [data-tour="project"]',
      '[data-pane="models"] [data-tour="code"]',
      '[data-pane="models"]',
    ],
    corner: '[data-pane="scene"]',
  },
];

interface CardPosition {
  left: number;
  top: number;
  width: number;
  height: number;
}

const CARD = { width: 320, height: 190 };
const EDGE = 12;
const LOOK_MS = 250;

export type Side = "corner" | "right" | "under";

/** Return the area that two rectangles share, in square pixels. */
function overlap(a: CardPosition, b: CardPosition): number {
  const width = Math.min(a.left + a.width, b.left + b.width) - Math.max(a.left, b.left);
  const height = Math.min(a.top + a.height, b.top + b.height) - Math.max(a.top, b.top);
  return Math.max(0, width) * Math.max(0, height);
}

/**
 * Return the position of the card inside the page: at a side of the element if there is room, and otherwise at the first
 * other place where it does not cover the areas of `uncovered`; the first area is the most important one.
 */
export function placed(
  target: CardPosition,
  page: { width: number; height: number },
  side: Side = "under",
  card: { width: number; height: number } = CARD,
  uncovered: CardPosition[] = [target],
): { left: number; top: number } {
  const { left, top, width, height } = target;
  const along = width > card.width ? left + width - card.width - EDGE : left;
  const under = { left: along, top: top + height + EDGE };
  const right = { left: left + width + EDGE, top };
  const corner = { left: left + width - card.width - EDGE, top: top + height - card.height - EDGE };
  const ends = { left: [EDGE, page.width], top: [EDGE, page.height] };
  const places = [
    { under, right, corner }[side],
    under,
    { left: along, top: top - card.height - EDGE },
    right,
    { left: left - card.width - EDGE, top },
    ...ends.left.flatMap((x) => ends.top.map((y) => ({ left: x, top: y }))),
  ].map((place) => ({
    left: Math.max(EDGE, Math.min(place.left, page.width - card.width - EDGE)),
    top: Math.max(EDGE, Math.min(place.top, page.height - card.height - EDGE)),
  }));
  return uncovered.reduce((best, area) => {
    const covered = best.map((place) => overlap({ ...place, ...card }, area));
    return best.filter((_, k) => covered[k] === Math.min(...covered));
  }, places)[0]!;
}

function spotOf(element: Element | null | undefined): CardPosition | null {
  const box = element?.getBoundingClientRect();
  return box ? { left: box.left, top: box.top, width: box.width, height: box.height } : null;
}

export function Tour({ shell }: { shell: ShellState }) {
  const at = shell.tour.value;
  const step = at === null ? undefined : STEPS[at];
  return step ? <Card key={at} shell={shell} step={step} at={at!} /> : null;
}

function Card({ shell, step, at }: { shell: ShellState; step: Step; at: number }) {
  const spot = useSignal<CardPosition | null>(null);
  const pane = useSignal<CardPosition | null>(null);
  const inMenu = useSignal(false);
  const uncovered = useSignal<CardPosition[]>([]);
  const card = useRef<HTMLElement>(null);
  const size = useSignal(CARD);
  const before = useRef<unknown>(undefined);
  const began = useRef(false);
  const now = step.watch?.(shell);
  const ready = shell.store.view.value !== null;

  useEffect(() => {
    if (!ready || !step.watch) return;
    if (!began.current) {
      began.current = true;
      before.current = now;
      if (!step.done?.(now, undefined)) return;
    }
    if (step.done ? step.done(now, before.current) : now !== before.current) shell.tour.value = at + 1;
  }, [now, ready]);

  useEffect(() => {
    let shown: Element | undefined;
    const look = (): void => {
      const target = step.targets.map((one) => document.querySelector(one)).find((element) => element !== null) ?? undefined;
      if (target && target !== shown) target.scrollIntoView({ block: "nearest" });
      shown = target;
      inMenu.value = Boolean(target?.closest(".sh-items"));
      spot.value = spotOf(target);
      uncovered.value = [spot.value, spotOf(target?.closest(".sh-items, form"))].filter((one) => one !== null);
      const box = card.current?.getBoundingClientRect();
      if (box && (box.width !== size.value.width || box.height !== size.value.height)) size.value = { width: box.width, height: box.height };
      pane.value = step.corner ? spotOf(document.querySelector(step.corner)) : null;
    };
    look();
    const timer = setInterval(look, LOOK_MS);
    return () => clearInterval(timer);
  }, [step]);

  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const other = event.defaultPrevented || shell.palette.value || shell.panel.value || document.querySelector(".sh-items");
      if (event.key === "Escape" && !other) shell.tour.value = null;
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [shell]);

  const side: Side = inMenu.value ? "right" : pane.value ? "corner" : "under";
  const somewhere = { left: innerWidth - 360, top: innerHeight - 260, width: 0, height: 0 };
  const page = { width: innerWidth, height: innerHeight };
  const place = placed(pane.value ?? spot.value ?? somewhere, page, side, size.value, uncovered.value);
  const ring = spot.value;
  if (shell.palette.value) return null;
  return (
    <>
      {ring ? (
        <div
          class="sh-ring"
          style={{
            left: `${ring.left - 3}px`,
            top: `${ring.top - 3}px`,
            width: `${ring.width + 6}px`,
            height: `${ring.height + 6}px`,
          }}
        />
      ) : null}
      <aside
        ref={card}
        class="sh-tour"
        style={{ left: `${place.left}px`, top: `${place.top}px` }}
        role="region"
        aria-label="tour"
        aria-live="polite"
        data-step={at + 1}
      >
        <p class="sh-tour-count">
          Step {at + 1} of {STEPS.length}
        </p>
        <h2>{step.title}</h2>
        <p>{step.text}</p>
        <div class="sh-tour-row">
          {at + 1 < STEPS.length ? (
            <button type="button" class="sh-link" onClick={() => (shell.tour.value = null)}>
              End the tour
            </button>
          ) : null}
          {step.help && !step.help.needless?.(shell) ? (
            <button type="button" class="sh-button" data-tour="help" onClick={() => step.help!.run(shell)}>
              {step.help.title}
            </button>
          ) : null}
          <button
            type="button"
            class={step.watch ? "sh-button" : "sh-button sh-main"}
            data-tour="next"
            onClick={() => (shell.tour.value = at + 1 < STEPS.length ? at + 1 : null)}
          >
            {at + 1 < STEPS.length ? "Next" : "Done"}
          </button>
        </div>
      </aside>
    </>
  );
}
