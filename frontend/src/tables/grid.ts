// Spreadsheet operations without a page: cursor, selection, paste.

import type { CellEdit, Row, Table } from "../backend/messages";

export interface CellIndex {
  row: number;
  column: number;
}

/** Selected cells, from the corner where the selection started to the corner of the cursor. */
export interface Selection {
  anchor: CellIndex;
  cursor: CellIndex;
}

export interface Block {
  top: number;
  left: number;
  bottom: number;
  right: number;
}

export interface Size {
  rows: number;
  columns: number;
}

function within(value: number, size: number): number {
  return Math.max(0, Math.min(size - 1, value));
}

export function at(row: number, column: number): Selection {
  return { anchor: { row, column }, cursor: { row, column } };
}

/** Return the selection after a move of the cursor; `extend` keeps its anchor. */
export function moved(from: Selection, rows: number, columns: number, size: Size, extend = false): Selection {
  const cursor = {
    row: within(from.cursor.row + rows, size.rows),
    column: within(from.cursor.column + columns, size.columns),
  };
  return { anchor: extend ? from.anchor : cursor, cursor };
}

/** Return the next or previous cell in reading order; null beyond the ends, where Tab leaves the table. */
export function tabbed(from: Selection, backend: boolean, size: Size): Selection | null {
  const index = from.cursor.row * size.columns + from.cursor.column + (backend ? -1 : 1);
  if (index < 0 || index >= size.rows * size.columns) return null;
  return at(Math.floor(index / size.columns), index % size.columns);
}

export function blockOf({ anchor, cursor }: Selection): Block {
  return {
    top: Math.min(anchor.row, cursor.row),
    left: Math.min(anchor.column, cursor.column),
    bottom: Math.max(anchor.row, cursor.row),
    right: Math.max(anchor.column, cursor.column),
  };
}

export function inBlock(block: Block, row: number, column: number): boolean {
  return row >= block.top && row <= block.bottom && column >= block.left && column <= block.right;
}

/** Return a block as text for the clipboard, in the format of spreadsheets. */
export function toText(cells: (row: number, column: number) => string, block: Block): string {
  const lines: string[] = [];
  for (let row = block.top; row <= block.bottom; row++) {
    const line: string[] = [];
    for (let column = block.left; column <= block.right; column++) line.push(cells(row, column));
    lines.push(line.join("\t"));
  }
  return lines.join("\n");
}

/** Return the cells of a text from a spreadsheet: tabs separate columns, line breaks separate rows. */
export function fromText(text: string): string[][] {
  const lines = text.replace(/\r\n?/g, "\n").replace(/\n$/, "").split("\n");
  return lines.map((line) => line.split("\t").map((cell) => cell.trim()));
}

/** Return the cell's text with the joint variable: "q3", or "q3 + pi/2" with an offset. */
export function shown(row: Row, column: string, cell: string): string {
  if (!row.symbol || row.variable !== column) return cell;
  if (cell === "0" || cell === "") return row.symbol;
  return cell.startsWith("-") ? `${row.symbol} - ${cell.slice(1).trim()}` : `${row.symbol} + ${cell}`;
}

/** Return the allowed values of a cell with fixed choices. */
export function choicesOf(table: Table, column: string): readonly string[] | null {
  const choices = table.choices[column];
  if (choices) return choices;
  return table.kinds[table.columns.indexOf(column)] === "flag" ? ["0", "1"] : null;
}

/** Return the choice after the current one. */
export function nextChoice(choices: readonly string[], cell: string): string {
  return choices[(choices.indexOf(cell) + 1) % choices.length] ?? cell;
}

export function editOf(table: Table, row: number, column: number, text: string): CellEdit | null {
  const line = table.rows[row];
  const field = table.columns[column];
  if (!line || field === undefined) return null;
  return { part: table.part, j: line.j, field, text };
}

/** Return the edits of a paste: the block from the selection's corner; a single value fills the selection. */
export function pasted(table: Table, selection: Selection, text: string): CellEdit[] {
  const cells = fromText(text);
  const block = blockOf(selection);
  const single = cells.length === 1 && cells[0]?.length === 1;
  const rows = single ? block.bottom - block.top + 1 : cells.length;
  const edits: CellEdit[] = [];
  for (let r = 0; r < rows; r++) {
    const line = (single ? cells[0] : cells[r]) ?? [];
    const columns = single ? block.right - block.left + 1 : line.length;
    for (let c = 0; c < columns; c++) {
      const edit = editOf(table, block.top + r, block.left + c, (single ? line[0] : line[c]) ?? "");
      if (edit) edits.push(edit);
    }
  }
  return edits;
}

/** Return the edits that set all cells of a block to one text, as Delete does. */
export function filled(table: Table, block: Block, text: string): CellEdit[] {
  const edits: CellEdit[] = [];
  for (let row = block.top; row <= block.bottom; row++) {
    for (let column = block.left; column <= block.right; column++) {
      const edit = editOf(table, row, column, text);
      if (edit && !choicesOf(table, table.columns[column]!)) edits.push(edit);
    }
  }
  return edits;
}

/** Return a number of many digits in shortened form for display; the cell keeps all digits. */
export function brief(text: string): string {
  return text.replace(/^(-?\d*\.\d{5})\d{3,}$/, "$1\u2026");
}

export function keyOf(edit: Pick<CellEdit, "part" | "j" | "field">): string {
  return `${edit.part} ${edit.j} ${edit.field}`;
}
