// Edits that add a row to a table, on the selected frame if there is one.

import type { CellEdit, Table, View } from "../backend/messages";

export interface TableContext {
  view: View;
  selected: number | null;
  q: number[];
}

export interface Addition {
  title: string;
  hint: string;
  edit: CellEdit;
}

/** Return the links that are not in a table yet, the selected one first. */
function freeLink({ view, selected }: TableContext, taken: ReadonlySet<number | string>): number | null {
  const links = Array.from({ length: view.sizes.NL }, (_, i) => i + 1);
  const candidates = selected !== null && selected <= view.sizes.NL ? [selected, ...links] : links;
  return candidates.find((j) => !taken.has(j)) ?? null;
}

function taken(view: View, title: string): Set<number | string> {
  return new Set(view.tables.find((table) => table.title === title)?.rows.map((row) => row.j));
}

/** Whether the links have symbolic inertias; a new link gets them too. */
function symbolic(view: View): boolean {
  const inertia = view.tables.find((table) => table.title === "inertia");
  const masses = inertia?.columns.indexOf("M") ?? -1;
  return Boolean(inertia?.rows.some((row) => /[A-Za-z]/.test(row.cells[masses] ?? "")));
}

function frames(context: TableContext): Addition[] {
  const { view, selected } = context;
  const { NL } = view.sizes;
  const inertia = symbolic(view);
  const on = selected !== null && selected <= NL ? selected : NL;
  const additions: Addition[] = [
    {
      title: on < NL ? `Add a joint on ${on}` : "Add a joint",
      hint: "add a revolute joint and its link at the end of the table",
      edit: { part: "add_frame", ant: on, inertia },
    },
  ];
  if (on > 0 && on < NL) {
    additions.push({
      title: `Insert after ${on}`,
      hint: `insert a joint and its link between frame ${on} and its successors`,
      edit: { part: "add_frame", after: on, ant: on, carry: true, inertia },
    });
  }
  if (on > 1) {
    additions.push({
      title: `Close a loop from ${on}`,
      hint: `add a joint between link ${on} and the base; edit 'ant' of the new frames to close the loop elsewhere`,
      edit: { part: "add_loop", from: on, to: 0 },
    });
  }
  return additions;
}

function postureName(view: View): string {
  for (let k = 1; ; k++) if (!(`posture${k}` in view.postures)) return `posture${k}`;
}

/** Return the rows that can be added to a table now. */
export function additionsOf(table: Table, context: TableContext): Addition[] {
  const { view } = context;
  switch (table.add) {
    case "add_frame":
      return frames(context);
    case "add_wheel": {
      const used = new Set(table.rows.map((row) => Number(row.cells[table.columns.indexOf("frame")])));
      const frame = freeLink(context, used);
      if (frame === null) return [];
      return [
        {
          title: `Add a wheel on frame ${frame}`,
          hint: "add a fixed wheel; change its kind in the table",
          edit: { part: "add_wheel", frame },
        },
      ];
    }
    case "add_tool":
    case "add_payload":
      if (table.rows.length) return [];
      return [{ title: `Add a ${table.title}`, hint: "", edit: { part: table.add } }];
    case "add_flexible": {
      const j = freeLink(context, taken(view, "flexible links"));
      if (j === null) return [];
      return [
        { title: `Make link ${j} flexible`, hint: "a beam along x with one bending mode", edit: { part: "add_flexible", j } },
      ];
    }
    case "add_tip": {
      const beams = taken(view, "flexible links");
      const tips = taken(view, table.title);
      const j = [...beams].find((one) => !tips.has(one));
      return j === undefined
        ? []
        : [{ title: `Add a body at the tip of ${j}`, hint: "", edit: { part: "add_tip", j } }];
    }
    case "add_posture": {
      const at = new Map(view.joints.map((joint, i) => [joint.frame, context.q[i] ?? 0]));
      const q = view.coordinates.map((j) => at.get(j) ?? 0);
      const name = postureName(view);
      return [
        {
          title: "Save this posture",
          hint: "the joint positions shown in the scene",
          edit: { part: "add_posture", name, q },
        },
      ];
    }
    default:
      return [];
  }
}
