// Split the LaTeX of a model or derivation into rows, so that only visible rows are typeset.

export type EquationRow =
  | { kind: "heading"; text: string }
  /** One row: `left` is right-aligned, `right` starts with the relation sign; a continuation line has no left side. */
  | { kind: "equation"; left: string; right: string };

const PARAGRAPH = /^\\paragraph\{(.*)\}$/s;

/** Return the rows of a text that contains headings and `align*` environments. */
export function equationRows(latex: string): EquationRow[] {
  const rows: EquationRow[] = [];
  for (const piece of latex.split("\\begin{align*}\n")) {
    const [body, after] = piece.includes("\\end{align*}") ? piece.split(/\n?\\end\{align\*\}/) : [undefined, piece];
    if (body) rows.push(...body.split(" \\\\\n").map(equation));
    const heading = (after ?? "").trim();
    if (heading) rows.push({ kind: "heading", text: plain(heading) });
  }
  return rows;
}

function equation(line: string): EquationRow {
  const at = line.indexOf("&");
  // Only an ampersand outside braces and `cases` separates the two sides of a line.
  if (at < 0 || line.slice(0, at).includes("\\begin")) return { kind: "equation", left: "", right: line.trim() };
  return { kind: "equation", left: line.slice(0, at).trim(), right: line.slice(at + 1).trim() };
}

function plain(heading: string): string {
  const text = PARAGRAPH.exec(heading)?.[1] ?? heading;
  return text
    .replace(/\\textbackslash\{\}/g, "\\")
    .replace(/\\([\^~])\{\}/g, "$1")
    .replace(/\\([#$%&_{}])/g, "$1")
    .replace(/:$/, "");
}

const LINE = 25;

/** Return the estimated height of a row in pixels, used until the row is drawn and measured. */
export function guessedHeight(row: EquationRow): number {
  if (row.kind === "heading") return 34;
  const cases = row.right.split("\\begin{cases}").length - 1;
  if (cases > 0) return LINE + 34 * Math.min(cases, 4);
  return row.right.includes("\\frac") ? 40 : LINE;
}
