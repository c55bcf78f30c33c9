// The tab with the equations of a model: typeset, or in SYMORO's text format.

import { useSignal, type Signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";

import type { Variables } from "../backend/messages";
import type { DerivedModel, Session } from "./session";
import { copy } from "../store/clipboard";
import { CopyButton, Segments, useAnswer } from "./parts";
import { blocks, equationRows, guessedHeight, lineOf, type Block, type Equation, type EquationRow } from "./equationRows";
import { Formula } from "./formula";
import { needKatex, typeset } from "./katex";
import { matchingRows, namedBy, occurrences, symbolsOf, type Symbols } from "./names";
import { NameCard } from "./nameCard";
import { DETERMINANT, scaledValues, vanishingFactors, ZERO } from "../scene/factors";
import { storedSignal } from "./storedSignal";
import { Rows } from "./rows";

const look = storedSignal("look", "typeset");
const NONE: Symbols = new Map();
const HOVER_MS = 250;

export function Equations({ session }: { session: Session }) {
  const shown = session.shown.value!;
  const { answer } = shown;
  const query = useSignal("");
  const step = useSignal(0);
  const find = useRef<HTMLInputElement>(null);
  const rows = useMemo(() => equationRows(answer.latex), [answer]);
  const names = useAnswer(() => session.request<Variables>("variables"), [shown]).value;
  const symbols = useMemo(() => (names ? symbolsOf(names.variables) : NONE), [names]);
  const matches = useMemo(() => matchingRows(rows, symbols, query.value), [rows, symbols, query.value]);
  const current = matches.length > 0 ? matches[((step.value % matches.length) + matches.length) % matches.length]! : null;
  const text = look.value === "text";
  return (
    <div
      class="md-column"
      onKeyDown={(event) => {
        // Most equations are not in the document, so that the browser's own search cannot find them.
        if (text || event.key.toLowerCase() !== "f" || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        find.current?.select();
      }}
    >
      <div class="md-bar">
        <Segments
          label="How equations are shown"
          value={look.value}
          choices={[
            ["typeset", "Typeset"],
            ["text", "SYMORO text"],
          ]}
          onChoose={(value) => (look.value = value)}
        />
        {!text && (
          <label class="md-find">
            <input
              ref={find}
              type="search"
              placeholder="Find, for example ZZ1"
              aria-label="Find in the equations"
              value={query.value}
              onInput={(event) => {
                query.value = event.currentTarget.value;
                step.value = 0;
              }}
              onKeyDown={(event) => event.key === "Enter" && (step.value += event.shiftKey ? -1 : 1)}
            />
            <span class="md-muted" role="status">
              {query.value && (current === null ? "none" : `${matches.indexOf(current) + 1} of ${matches.length}`)}
            </span>
          </label>
        )}
        <Vanishing session={session} shown={shown} />
        {answer.conditions.length > 0 && <span class="md-note">valid for {answer.conditions.join(", ").replaceAll("!=", "≠")}</span>}
        <span class="md-space" />
        <CopyButton text={() => (text ? answer.text : answer.latex)}>{text ? "Copy text" : "Copy LaTeX"}</CopyButton>
      </div>
      {text ? (
        <pre class="md-text" tabIndex={0}>
          {answer.text}
        </pre>
      ) : (
        <NamedEquations
          session={session}
          shown={shown}
          rows={rows}
          symbols={symbols}
          query={query}
          current={current}
          onShow={(name, row) => {
            query.value = name;
            step.value = matchingRows(rows, symbols, name).indexOf(row);
          }}
        />
      )}
    </div>
  );
}

/** Highlight the factors of the determinant that approach zero in the displayed posture, and list them. */
function Vanishing({ session: { store }, shown: { answer, request, view } }: { session: Session; shown: DerivedModel }) {
  if (request.model !== DETERMINANT) return null;
  const values = scaledValues(view, store.q.value, store.parameters.value, store.reach.value);
  const near = vanishingFactors(answer.text, values);
  const zero = vanishingFactors(answer.text, values, ZERO);
  const approaching = near.filter((name) => !zero.includes(name));
  const sentences = [
    zero.length > 0 && `${zero.join(", ")} ${zero.length > 1 ? "are" : "is"} zero`,
    approaching.length > 0 && `${approaching.join(", ")} ${approaching.length > 1 ? "approach" : "approaches"} zero`,
  ];
  const names = near.map((name) => `.md-named .md-rows [data-name="${CSS.escape(name)}"]`);
  return (
    <>
      {near.length > 0 && <style>{`${names.join(",")}{color:var(--singular);font-weight:bold}`}</style>}
      <output class="md-vanishing" data-testid="models-vanishing">
        {sentences.filter(Boolean).join("; ")}
      </output>
    </>
  );
}

/** Equations whose names show their definition, uses, meaning, unit and value. */
function NamedEquations(props: {
  session: Session;
  shown: DerivedModel;
  rows: EquationRow[];
  symbols: Symbols;
  query: Signal<string>;
  current: number | null;
  /** Find a name in a row. */
  onShow: (name: string, row: number) => void;
}) {
  const { rows, symbols, query } = props;
  const pointed = useSignal<{ name: string; pinned: boolean } | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const places = useMemo(() => occurrences(rows, symbols), [rows, symbols]);
  const typed = useMemo(() => namedBy(query.value, symbols), [symbols, query.value]);
  const name = pointed.value?.name ?? typed;
  const variable = [...symbols.values()].find((one) => one.name === name);
  // A name that is typed takes the place of the one that was pointed at.
  useLayoutEffect(() => void (pointed.value = null), [query.value]);
  useEffect(() => {
    const close = (event: KeyboardEvent): void => {
      if (event.key === "Escape") pointed.value = null;
    };
    document.addEventListener("keydown", close);
    return () => document.removeEventListener("keydown", close);
  }, []);
  const point = (event: Event): void => {
    clearTimeout(timer.current);
    const left = event.type === "pointerleave";
    const under = left ? undefined : (event.target as Element).closest<HTMLElement>("[data-name]")?.dataset.name;
    if (event.type === "click") {
      if (under) pointed.value = { name: under, pinned: true };
    } else if (!pointed.value?.pinned) {
      timer.current = setTimeout(() => (pointed.value = under ? { name: under, pinned: false } : null), HOVER_MS);
    }
  };
  return (
    <div class="md-named" onClick={point} onPointerOver={point} onPointerLeave={point}>
      {name && <style>{`.md-named .md-rows [data-name="${CSS.escape(name)}"]{background:var(--mark);border-radius:2px}`}</style>}
      <TypesetRows rows={rows} symbols={symbols} label="equations" current={props.current} />
      {variable && (
        <NameCard
          session={props.session}
          shown={props.shown}
          variable={variable}
          places={places.get(variable.name)!}
          rows={rows}
          onShow={(row) => props.onShow(variable.name, row)}
          onClose={() => {
            pointed.value = null;
            query.value = "";
          }}
        />
      )}
    </div>
  );
}

/** Typeset LaTeX that contains headings and align* environments. */
export function Typeset({ latex, label }: { latex: string; label: string }) {
  const rows = useMemo(() => equationRows(latex), [latex]);
  return <TypesetRows rows={rows} symbols={NONE} label={label} current={null} />;
}

function TypesetRows(props: { rows: EquationRow[]; symbols: Symbols; label: string; current: number | null }) {
  needKatex();
  typeset.value; // rows are measured again when they become visible
  const { rows, symbols, current } = props;
  const all = useMemo(() => blocks(rows), [rows]);
  const reveal = useMemo(
    () => (current === null ? null : { row: all.findLastIndex(({ first }) => first <= current), part: ".md-current" }),
    [all, current],
  );
  const render = (block: Block) => <BlockRow block={block} symbols={symbols} current={current} />;
  return <Rows rows={all} guess={guessedHeight} render={render} reveal={reveal} class="md-equations" label={props.label} />;
}

function BlockRow({ block, symbols, current }: { block: Block; symbols: Symbols; current: number | null }) {
  const [first] = block.rows;
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (box.current) fitColumns(box.current);
  }, [block, typeset.value]);
  if (first!.kind === "heading") return <h3 class={`md-phase ${current === block.first ? "md-current" : ""}`}>{first!.text}</h3>;
  return (
    <div class="md-block" ref={box}>
      {(block.rows as Equation[]).map((row, at) => (
        <div class={`md-equation ${current === block.first + at ? "md-current" : ""}`}>
          <Formula class="md-left" latex={row.left} symbols={symbols} />
          <Formula class={`md-right ${row.right.includes("\\begin{") ? "md-one-line" : ""}`} latex={row.right} symbols={symbols} />
          <CopyLine row={row} />
        </div>
      ))}
    </div>
  );
}

const COLUMN_EM = 21; // approximate width of a column; the columns fill the width of the pane

/** Give each equation of a block as many columns as it needs on one line. */
function fitColumns(block: HTMLElement): void {
  const equations = [...block.children] as HTMLElement[];
  const em = parseFloat(getComputedStyle(block).fontSize);
  const column = Math.floor(block.clientWidth / Math.max(1, Math.round(block.clientWidth / (COLUMN_EM * em))));
  block.classList.add("md-unwrapped");
  const widths = equations.map(({ offsetWidth }) => offsetWidth);
  block.classList.remove("md-unwrapped");
  equations.forEach(({ style }, at) => (style.flexBasis = `${(Math.ceil(widths[at]! / column) * column) / em}em`));
}

function CopyLine({ row }: { row: Equation }) {
  const copied = useSignal(false);
  return (
    <button
      type="button"
      class="md-copy"
      title="Copy this equation as LaTeX"
      aria-label="Copy this equation as LaTeX"
      onClick={async () => {
        await copy(lineOf(row));
        copied.value = true;
      }}
    >
      {copied.value ? (
        "✓"
      ) : (
        <svg viewBox="0 0 12 12" width="12" height="12" fill="none" stroke="currentColor" aria-hidden="true">
          <rect x="1.5" y="3.5" width="7" height="7" rx="1" />
          <path d="M4 1.5h5.5a1 1 0 0 1 1 1V8" />
        </svg>
      )}
    </button>
  );
}
