// A formula typeset by KaTeX.

import { typeset } from "./katex";
import { marked, type Symbols } from "./names";

export function Formula(props: { class: string; latex: string; symbols?: Symbols }) {
  const write = typeset.value;
  if (!props.latex || !write) return <span class={props.class} />;
  const latex = props.symbols?.size ? marked(props.latex, props.symbols) : props.latex;
  // The HTML is produced by KaTeX from formulas of symoro; it contains no HTML of users.
  return <span class={props.class} role="math" aria-label={props.latex} dangerouslySetInnerHTML={{ __html: write(latex) }} />;
}
