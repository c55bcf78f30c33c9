// Display of numeric arrays with aligned digits, and words for values that are not finite.

const DIGITS = 6;

/** Return a number with six digits; zero also if it is roundoff compared with the largest of its array. */
export function formatNumber(value: number, largest = 0): string {
  if (Number.isNaN(value)) return "undefined";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (size <= 1e-14 * largest || size === 0) return "0";
  const text = size >= 1e6 || size < 1e-4 ? value.toExponential(DIGITS - 2) : value.toFixed(decimals(size));
  return text.replace("-", "−");
}

const decimals = (size: number): number => Math.max(0, DIGITS - 1 - Math.max(0, Math.floor(Math.log10(size))));

/** Return the meanings of the values of a status output, parsed from its title ("0 valid, 1 out of reach"). */
export function meanings(title: string): Map<number, string> {
  const labels = new Map<number, string>();
  for (const part of title.split(", ")) {
    const match = /^(\d+) ([a-z][a-z ]*)$/.exec(part);
    if (match) labels.set(Number(match[1]), match[2]!);
  }
  return labels.size > 1 ? labels : new Map();
}

/** Whether a status denotes a solution; in a singular solution some joints may have any value. */
export function isSolution(words: Map<number, string>, status: number): boolean {
  return ["valid", "singular"].includes(words.get(status) ?? "");
}

/** Return the number of rows per status: "4 valid, 2 singular, 2 empty slot". */
export function statusCounts(words: Map<number, string>, statuses: ArrayLike<number>): string {
  return [...words]
    .map(([status, word]) => [Array.from(statuses).filter((one) => one === status).length, word] as const)
    .filter(([count, word]) => count > 0 || word === "valid")
    .map(([count, word]) => `${count} ${word}`)
    .join(", ");
}

export interface MatrixProps {
  values: ArrayLike<number>;
  shape: readonly number[];
  words?: Map<number, string>;
  /** Column names. */
  heads?: string[];
  /** Rows to be greyed out, such as invalid solutions. */
  faint?: (row: number) => boolean;
  /** Action on a valid row, with its label. */
  use?: { title: string; run: (row: number) => void };
}

/** Show a scalar, a vector (as a row), a matrix, or a stack of matrices. */
export function Matrix({ values, shape, words, heads, faint, use }: MatrixProps) {
  const columns = shape.at(-1) ?? 1;
  const rows = shape.length >= 2 ? shape.at(-2)! : 1;
  const largest = Math.max(0, ...Array.from(values, Math.abs).filter(Number.isFinite));
  const slices = shape.slice(0, -2).reduce((a, b) => a * b, 1);
  return (
    <>
      {Array.from({ length: slices }, (_, s) => (
        <table class="md-matrix">
          {heads && (
            <thead>
              <tr>
                {heads.map((name) => (
                  <th scope="col">{name}</th>
                ))}
              </tr>
            </thead>
          )}
          <tbody>
            {Array.from({ length: rows }, (_, i) => (
              <tr class={faint?.(i) ? "md-faint" : ""}>
                {Array.from({ length: columns }, (_, j) => (
                  <Cell value={values[(s * rows + i) * columns + j]!} largest={largest} words={words} />
                ))}
                {use && (
                  <td class="md-use">
                    {!faint?.(i) && (
                      <button type="button" onClick={() => use.run(i)}>
                        {use.title}
                      </button>
                    )}
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      ))}
    </>
  );
}

function Cell({ value, largest, words }: { value: number; largest: number; words?: Map<number, string> }) {
  const word = words?.get(value);
  if (word) return <td class={word === "valid" ? "md-ok" : word === "singular" ? "" : "md-off"}>{word}</td>;
  return (
    <td class={Number.isFinite(value) ? "" : "md-bad"} title={String(value)}>
      {formatNumber(value, largest)}
    </td>
  );
}
