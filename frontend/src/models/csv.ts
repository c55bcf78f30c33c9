/** Return a table of numbers as CSV (RFC 4180): a header, then one line per row; non-finite numbers are left empty. */
export function csv(header: string[], rows: Iterable<ArrayLike<number>>): string {
  const lines = [header.map(quoted).join(",")];
  for (const row of rows) {
    lines.push(Array.from(row, (value) => (Number.isFinite(value) ? String(value) : "")).join(","));
  }
  return lines.join("\r\n") + "\r\n";
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
