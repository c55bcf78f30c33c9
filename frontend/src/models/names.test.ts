import { describe, expect, it } from "vitest";

import type { Variable } from "../backend/messages";
import { equationRows } from "./equationRows";
import { marked, matchingRows, namesIn, occurrences, symbolsOf } from "./names";

const variable = (name: string, latex: string): Variable => ({ name, latex, kind: "variable", meaning: "", unit: "", value: 0 });
const symbols = symbolsOf([
  variable("q1", "q_{1}"),
  variable("qd1", "\\dot q_{1}"),
  variable("C1", "C_{1}"),
  variable("MX2", "\\mathit{MX}_{2}"),
  variable("M3__2", "M_{3}'"),
  variable("tau", "\\Gamma"),
  variable("c", "c"),
]);

describe("names in LaTeX", () => {
  it("are marked with their longest symbol, exponent included", () => {
    expect(marked("\\cos(q_{1}) \\, \\dot q_{1}^{2}", symbols)).toBe(
      "\\cos(\\htmlData{name=q1}{q_{1}}) \\, \\htmlData{name=qd1}{\\dot q_{1}^{2}}",
    );
    expect(namesIn("\\frac{\\mathit{MX}_{2} - M_{3}'}{2} \\, C_{1}", symbols)).toEqual(["MX2", "M3__2", "C1"]);
  });

  it("are neither words, nor environments, nor parts of other symbols", () => {
    expect(namesIn("\\left(\\begin{cases} 1 & \\text{c} \\end{cases}\\right) C_{12} q \\operatorname{c}", symbols)).toEqual([]);
    expect(namesIn("\\left[\\begin{array}{c} C_{1} \\\\ c \\end{array}\\right]", symbols)).toEqual(["C1", "c"]);
  });

  const rows = equationRows(
    "Each call:\n\\begin{align*}\nC_{1} &= \\cos(q_{1}) \\\\\n\\Gamma &= C_{1}^{2} + C_{1} \\, \\mathit{MX}_{2}\n\\end{align*}\n",
  );

  it("have a definition and uses", () => {
    const places = occurrences(rows, symbols);
    expect(places.get("C1")).toEqual({ definition: 1, uses: [2] });
    expect(places.get("q1")).toEqual({ definition: null, uses: [1] });
    expect(places.get("c")).toEqual({ definition: null, uses: [] });
  });

  it("are found by their text", () => {
    expect(matchingRows(rows, symbols, "mx2")).toEqual([2]);
    expect(matchingRows(rows, symbols, "c1")).toEqual([1, 2]);
    expect(matchingRows(rows, symbols, "mx")).toEqual([2]);
    expect(matchingRows(rows, symbols, "each call")).toEqual([0]);
    expect(matchingRows(rows, symbols, "MX_2")).toEqual([2]);
    expect(matchingRows(rows, symbols, "Γ")).toEqual([2]);
    expect(matchingRows(rows, symbols, "cos(q1)")).toEqual([1]);
    expect(matchingRows(rows, symbols, "mathit")).toEqual([]);
    expect(matchingRows(rows, symbols, "  ")).toEqual([]);
    expect(matchingRows(rows, symbols, "zz9")).toEqual([]);
  });
});
