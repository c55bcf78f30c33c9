// A formula typeset by KaTeX.

import { typeset } from "./katex";
import { marked, type Symbols } from "./names";

export function Formula(props: { class: string; latex: string; symbols?: Symbols }) {
  const write = typeset.value;
  if (!props.latex || !write) return <span class={props.class} />;
  // Small matrices fit on a printed page; the pane has more room, and scrolls.
  const whole = props.latex.replaceAll("{smallmatrix}", "{matrix}");
  const latex = props.symbols?.size ? marked(whole, props.symbols) : whole;
  // The HTML is produced by KaTeX from formulas of symoro; it contains no HTML of users.
  return <span class={props.class} role="math" aria-label={props.latex} dangerouslySetInnerHTML={{ __html: write(latex) }} />;
}
