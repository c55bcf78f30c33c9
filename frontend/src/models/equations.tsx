// The tab with the equations of a model: typeset, or in SYMORO's text format.

import { useMemo } from "preact/hooks";

import type { Session } from "./session";
import { CopyButton, Segments } from "./parts";
import { equationRows, guessedHeight, type EquationRow } from "./equationRows";
import { needKatex, typeset } from "./katex";
import { storedSignal } from "./storedSignal";
import { Rows } from "./rows";

const look = storedSignal("look", "typeset");

export function Equations({ session }: { session: Session }) {
  const { answer } = session.shown.value!;
  return (
    <div class="md-column">
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
        {answer.conditions.length > 0 && <span class="md-note">valid for {answer.conditions.join(", ")}</span>}
        <span class="md-space" />
        <CopyButton text={() => (look.value === "text" ? answer.text : answer.latex)}>
          {look.value === "text" ? "Copy text" : "Copy LaTeX"}
        </CopyButton>
      </div>
      {look.value === "text" ? <pre class="md-text" tabIndex={0}>{answer.text}</pre> : <Typeset latex={answer.latex} label="equations" />}
    </div>
  );
}

/** Typeset LaTeX that contains headings and align* environments. */
export function Typeset({ latex, label }: { latex: string; label: string }) {
  needKatex();
  typeset.value; // rows are measured again when they become visible
  const rows = useMemo(() => equationRows(latex), [latex]);
  return <Rows rows={rows} guess={guessedHeight} render={(row) => <Row row={row} />} class="md-equations" label={label} />;
}

function Row({ row }: { row: EquationRow }) {
  if (row.kind === "heading") return <h4 class="md-phase">{row.text}</h4>;
  return (
    <div class="md-equation">
      <Formula class="md-left" latex={row.left} />
      <Formula class="md-right" latex={row.right} />
    </div>
  );
}

function Formula(props: { class: string; latex: string }) {
  const write = typeset.value;
  if (!props.latex) return <span class={props.class} />;
  if (!write) return <span class={props.class} />;
  // The HTML is produced by KaTeX from formulas of symoro; it contains no HTML of users.
  return <span class={props.class} aria-label={props.latex} dangerouslySetInnerHTML={{ __html: write(props.latex) }} />;
}
