// Split the LaTeX of a model or derivation into equations, and these into blocks of which only visible ones are typeset.

export interface Equation {
  kind: "equation";
  /** `left` is right-aligned, `right` starts with the relation sign. */
  left: string;
  right: string;
}

export type EquationRow = { kind: "heading"; text: string } | Equation;

/** A heading, or a few equations side by side; `first` is the position of the first one in the list of all rows. */
export interface Block {
  first: number;
  rows: EquationRow[];
}

const PARAGRAPH = /^\\paragraph\{(.*)\}$/s;
const BREAK = " \\\\\n";

/** Return the rows of a text that contains headings and `align*` environments. */
export function equationRows(latex: string): EquationRow[] {
  const rows: EquationRow[] = [];
  for (const piece of latex.split("\\begin{align*}\n")) {
    const [body, after] = piece.includes("\\end{align*}") ? piece.split(/\n?\\end\{align\*\}/) : [undefined, piece];
    if (body) rows.push(...lines(body).map(equation));
    const heading = (after ?? "").trim();
    if (heading) rows.push({ kind: "heading", text: plain(heading) });
  }
  return rows;
}

/** Split a body at line breaks outside matrices; continuation lines belong to the equation before them. */
function lines(body: string): string[] {
  const whole: string[] = [];
  let open = 0;
  for (const line of body.split(BREAK)) {
    const continued = /^\s*&\\quad(?![a-zA-Z])/.exec(line);
    if (open > 0) whole[whole.length - 1] += BREAK + line;
    else if (continued && whole.length > 0) whole[whole.length - 1] += line.slice(continued[0].length);
    else whole.push(line);
    open += count(line, "\\begin{") - count(line, "\\end{");
  }
  return whole;
}

const count = (text: string, part: string): number => text.split(part).length - 1;

function equation(line: string): Equation {
  const at = line.indexOf("&");
  // Only an ampersand outside braces and environments separates the two sides of a line.
  if (at < 0 || line.slice(0, at).includes("\\begin")) return { kind: "equation", left: "", right: line.trim() };
  return { kind: "equation", left: line.slice(0, at).trim(), right: line.slice(at + 1).trim() };
}

/** Return an equation as LaTeX of one line. */
export const lineOf = ({ left, right }: Equation): string => `${left} ${right}`.trim();

function plain(heading: string): string {
  const text = PARAGRAPH.exec(heading)?.[1] ?? heading;
  return text
    .replace(/\\textbackslash\{\}/g, "\\")
    .replace(/\\([\^~])\{\}/g, "$1")
    .replace(/\\([#$%&_{}])/g, "$1")
    .replace(/:$/, "");
}

const MOST_IN_BLOCK = 12;

/** Divide rows into blocks: headings alone, and up to twelve equations that are laid out side by side. */
export function blocks(rows: readonly EquationRow[]): Block[] {
  const all: Block[] = [];
  rows.forEach((row, at) => {
    const last = all.at(-1);
    const joins = row.kind === "equation" && last?.rows[0]!.kind === "equation" && last.rows.length < MOST_IN_BLOCK;
    if (joins) last.rows.push(row);
    else all.push({ first: at, rows: [row] });
  });
  return all;
}

const LINE = 29;
const USUAL_COLUMNS = 3;
const COLUMN = 90; // characters of LaTeX in one column, of which about half are visible

/** Return the estimated height of a block in pixels, used until the block is drawn and measured. */
export function guessedHeight({ rows }: Block): number {
  if (rows[0]!.kind === "heading") return 34;
  const equations = rows as Equation[];
  const cells = equations.reduce((sum, row) => sum + Math.ceil(lineOf(row).length / COLUMN), 0);
  const tall = equations.reduce((sum, row) => sum + extraHeight(row), 0);
  return LINE * Math.ceil(cells / USUAL_COLUMNS) + tall / USUAL_COLUMNS;
}

function extraHeight({ right }: Equation): number {
  if (right.includes("\\begin")) return 20 * count(right, "\\\\");
  return right.includes("\\frac") ? 15 : 0;
}
