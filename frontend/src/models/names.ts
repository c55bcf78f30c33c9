// Names in typeset equations: marked in the LaTeX, so that a name can be pointed at, and found by its text.

import type { Variable } from "../backend/messages";
import type { EquationRow } from "./equationRows";

/** Names of a model by their LaTeX symbols. */
export type Symbols = ReadonlyMap<string, Variable>;

export const symbolsOf = (variables: readonly Variable[]): Symbols =>
  new Map(variables.map((variable) => [variable.latex, variable]));

// Environments and words are not names; `\left` and the functions are not in the table of names.
const NOT_A_NAME = /\\(?:begin|end)\{[^{}]*\}(?:\{c+\})?|\\(?:text|operatorname)\{[^{}]*\}/y;
const NAME =
  /(?:\\(?:d?dot|delta) ?)?(?:\\mathit\{[^{}]*\}|\\overline\{[^{}]*(?:\{[^{}]*\})?\}|\\[a-zA-Z]+|[a-zA-Z]+)(?:_\{[^{}]*\}|_[0-9a-zA-Z])?'*/y;
const POWER = /\^\{[^{}]*\}/y;

interface Piece {
  text: string;
  variable?: Variable;
}

/** Split LaTeX into names of the table and the text between them. */
function pieces(latex: string, symbols: Symbols): Piece[] {
  const all: Piece[] = [];
  const take = (pattern: RegExp, at: number): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(latex)?.[0];
  };
  for (let at = 0; at < latex.length; ) {
    const word = take(NOT_A_NAME, at);
    const name = word === undefined ? take(NAME, at) : undefined;
    const variable = name === undefined ? undefined : symbols.get(name);
    // The exponent is part of the name's box, so that it is above the index.
    const text = variable ? name! + (take(POWER, at + name!.length) ?? "") : (word ?? name ?? latex[at]!);
    all.push({ text, variable });
    at += text.length;
  }
  return all;
}

/** Return LaTeX in which every name of the table is an element with the attribute `data-name`. */
export function marked(latex: string, symbols: Symbols): string {
  return pieces(latex, symbols)
    .map(({ text, variable }) => (variable ? `\\htmlData{name=${variable.name}}{${text}}` : text))
    .join("");
}

/** Return the names in a text of LaTeX. */
export function namesIn(latex: string, symbols: Symbols): string[] {
  return pieces(latex, symbols).flatMap(({ variable }) => (variable ? [variable.name] : []));
}

/** Positions of the row that defines a name and of the rows that use it. */
export interface Occurrences {
  definition: number | null;
  uses: number[];
}

/** Return where the names of the table occur in the rows. */
export function occurrences(rows: readonly EquationRow[], symbols: Symbols): Map<string, Occurrences> {
  const all = new Map<string, Occurrences>([...symbols.values()].map(({ name }) => [name, { definition: null, uses: [] }]));
  rows.forEach((row, at) => {
    if (row.kind !== "equation") return;
    for (const name of namesIn(row.left, symbols)) {
      const one = all.get(name)!;
      one.definition ??= at;
    }
    for (const name of new Set(namesIn(row.right, symbols))) all.get(name)!.uses.push(at);
  });
  return all;
}

// Letters of Greek names in LaTeX.
const GREEK: Record<string, string> = Object.fromEntries(
  ["alpha α", "beta β", "gamma γ", "delta δ", "theta θ", "lambda λ", "mu μ", "sigma σ", "tau τ", "phi φ", "omega ω", "Gamma Γ", "Delta Δ"].map(
    (pair) => pair.split(" ") as [string, string],
  ),
);

/** Return LaTeX, or a query for it, as it looks on one line, without spaces and marks: sin(q2) for \\sin(q_{2}). */
function lookOf(latex: string): string {
  return latex
    .replace(/\\([a-zA-Z]+)/g, (_, word: string) => GREEK[word] ?? (/^(?:sin|cos|tan|arc\w+|exp|min|max)$/.test(word) ? word : ""))
    .replace(/[\s\\{}_,^*·]/g, "")
    .toLowerCase();
}

/** Return the name that a query is, written as the name or as its symbol looks: KYYR5, KYYR_5, Γ. */
export function namedBy(query: string, symbols: Symbols): string | undefined {
  const [typed, look] = [query.trim().toLowerCase(), lookOf(query)];
  const all = [...symbols.values()];
  return (all.find(({ name }) => name.toLowerCase() === typed) ?? all.find(({ latex }) => look && lookOf(latex) === look))?.name;
}

/** Return the positions of the rows with a name, a formula or a heading that contains the query; exact names come alone. */
export function matchingRows(rows: readonly EquationRow[], symbols: Symbols, query: string): number[] {
  const look = lookOf(query);
  const wanted = (namedBy(query, symbols) ?? query.trim()).toLowerCase();
  if (!wanted) return [];
  const names = rows.map((row) =>
    row.kind === "equation" ? namesIn(`${row.left} ${row.right}`, symbols).map((name) => name.toLowerCase()) : [],
  );
  const exact = names.flatMap((list, at) => (list.includes(wanted) ? [at] : []));
  if (exact.length > 0) return exact;
  return rows.flatMap((row, at) => {
    if (row.kind === "heading") return row.text.toLowerCase().includes(wanted) ? [at] : [];
    return names[at]!.some((name) => name.includes(wanted)) || (look && lookOf(`${row.left}${row.right}`).includes(look)) ? [at] : [];
  });
}
