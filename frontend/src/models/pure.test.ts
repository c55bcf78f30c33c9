import { describe, expect, it } from "vitest";

import { endings, fileOf } from "./code";
import { csv } from "./csv";
import { blocks, equationRows, guessedHeight, lineOf, type Equation } from "./equationRows";
import { parseExplanation } from "./explanation";
import { grammarOf } from "./highlight";
import { formatNumber, isSolution, meanings, statusCounts } from "./matrix";
import { prefill, sampleValues, solution } from "./prefill";
import { relationsAsLatex } from "./relations";
import type { BaseAnswer } from "../backend/messages";
import { singularValues } from "./svd";
import { Heights } from "./virtual";
import { FOURBAR, joint } from "./fixtures/robots";

describe("singular values", () => {
  it("of known matrices", () => {
    expect(singularValues([3, 0, 0, 4], 2, 2)).toEqual([4, 3]);
    const [a, b] = singularValues([1, 1, 0, 1], 2, 2);
    expect(a).toBeCloseTo((1 + Math.sqrt(5)) / 2, 14);
    expect(b).toBeCloseTo((Math.sqrt(5) - 1) / 2, 14);
  });

  it("of wide and tall ones are the same", () => {
    const wide = Array.from({ length: 42 }, (_, i) => Math.sin(i * i + 1));
    const tall = Array.from({ length: 42 }, (_, at) => wide[(at % 6) * 7 + Math.floor(at / 6)]!);
    const first = singularValues(wide, 6, 7);
    singularValues(tall, 7, 6).forEach((value, i) => expect(value).toBeCloseTo(first[i]!, 13));
    expect(first.reduce((sum, value) => sum + value * value, 0)).toBeCloseTo(
      wide.reduce((sum, value) => sum + value * value, 0),
      12,
    );
    expect([...first].sort((x, y) => y - x)).toEqual(first);
  });

  it("show a rank deficiency, also with badly scaled columns", () => {
    const values = singularValues([1, 2, 2, 4], 2, 2);
    expect(values[0]).toBeCloseTo(5, 14);
    expect(values[1]).toBeLessThan(1e-15);
    const [large, small] = singularValues([1e150, 0, 0, 1e-3], 2, 2);
    expect(large! / 1e150).toBeCloseTo(1, 14);
    expect(small! / 1e-3).toBeCloseTo(1, 12);
  });

  it("of empty matrices, zeros and NaN", () => {
    expect(singularValues([], 6, 0)).toEqual([]);
    expect(singularValues([0, 0, 0, 0], 2, 2)).toEqual([0, 0]);
    expect(singularValues([1, NaN, 0, 1], 2, 2)).toEqual([NaN, NaN]);
  });
});

describe("CSV", () => {
  it("has a header, one line per row, and empty cells", () => {
    expect(csv(["t", 'a "b", c'], [[0, 1.5], [0.1, NaN]])).toBe('t,"a ""b"", c"\r\n0,1.5\r\n0.1,\r\n');
  });
});

describe("LaTeX", () => {
  const latex = [
    "Once: regrouped inertial parameters:",
    "\\begin{align*}",
    "K_{1} &= -\\frac{a}{2} \\\\",
    "x &= a + b \\\\",
    "    &\\quad + c \\\\",
    "y &= \\left(\\begin{cases} 1 & a < b \\\\ 0 & \\text{otherwise} \\end{cases}\\right)",
    "\\end{align*}",
    "",
    "Link 2: forces:",
    "\\begin{align*}",
    "z &= 1",
    "\\end{align*}",
    "",
  ].join("\n");

  it("is split into headings and equations", () => {
    expect(equationRows(latex)).toEqual([
      { kind: "heading", text: "Once: regrouped inertial parameters" },
      { kind: "equation", left: "K_{1}", right: "= -\\frac{a}{2}" },
      { kind: "equation", left: "x", right: "= a + b + c" },
      {
        kind: "equation",
        left: "y",
        right: "= \\left(\\begin{cases} 1 & a < b \\\\ 0 & \\text{otherwise} \\end{cases}\\right)",
      },
      { kind: "heading", text: "Link 2: forces" },
      { kind: "equation", left: "z", right: "= 1" },
    ]);
  });

  it("may have no heading, belong to a derivation, or be empty", () => {
    expect(equationRows("\\begin{align*}\na &= b\n\\end{align*}\n")).toHaveLength(1);
    const [heading, equation] = equationRows("\\paragraph{1. q\\_1: X \\^{} 2}\n\\begin{align*}\n&\\text{free}\n\\end{align*}\n");
    expect(heading).toEqual({ kind: "heading", text: "1. q_1: X ^ 2" });
    expect(equation).toEqual({ kind: "equation", left: "", right: "\\text{free}" });
    expect(equationRows("")).toEqual([]);
  });

  it("has matrices as one equation, which is copied as one line", () => {
    const matrix = "A &= \\left[\\begin{array}{cc}\n    a & b \\\\\n    b & c\n\\end{array}\\right]";
    const rows = equationRows(`Outputs:\n\\begin{align*}\n${matrix} \\\\\nB &= 1\n\\end{align*}\n`);
    expect(rows.map((row) => row.kind)).toEqual(["heading", "equation", "equation"]);
    expect(lineOf(rows[1] as Equation)).toBe(matrix.replace("&=", "="));
  });

  it("is laid out in blocks, with more columns for wider equations", () => {
    const rows = equationRows(`\\begin{align*}\n${Array.from({ length: 30 }, (_, k) => `x_{${k}} &= ${k}`).join(" \\\\\n")}\n\\end{align*}\n`);
    const all = blocks([{ kind: "heading", text: "Once" }, ...rows]);
    expect(all.map(({ first, rows }) => [first, rows.length])).toEqual([[0, 1], [1, 12], [13, 12], [25, 6]]);
  });

  it("has higher rows for fractions and cases", () => {
    const heights = equationRows(latex).map((row, first) => guessedHeight({ first, rows: [row] }));
    expect(heights[1]).toBeGreaterThan(heights[2]!);
    expect(heights[3]).toBeGreaterThan(heights[1]!);
  });
});

describe("a list of rows in view", () => {
  it("returns the visible rows, with a margin", () => {
    const heights = new Heights(Array<number>(1000).fill(20));
    expect(heights.total).toBe(20000);
    expect(heights.window(0, 100, 0)).toEqual({ first: 0, last: 6 });
    expect(heights.window(2000, 100, 40)).toEqual({ first: 98, last: 108 });
    expect(heights.window(1e6, 100, 0)).toEqual({ first: 1000, last: 1000 });
  });

  it("moves the rows after a measured row", () => {
    const heights = new Heights([20, 20, 20, 20]);
    expect(heights.total).toBe(80);
    expect(heights.measured(1, 50)).toBe(true);
    expect(heights.measured(1, 50.2)).toBe(false);
    expect(heights.measured(2, 0)).toBe(false);
    expect([0, 1, 2, 3, 4].map((at) => heights.top(at))).toEqual([0, 20, 70, 90, 110]);
    expect(heights.at(69)).toBe(1);
    expect(heights.at(70)).toBe(2);
  });

  it("may be empty", () => {
    expect(new Heights([]).window(0, 100, 10)).toEqual({ first: 0, last: 0 });
  });
});

describe("default inputs", () => {
  const joints = [joint(1), joint(3)];
  const state = { q: [0.1, 0.3], qd: [1, 3], qdd: [10, 30] };
  const of = (name: string, shape: number[], entries: string[], pose?: number[]) =>
    prefill(name, { shape, entries }, joints, state, pose);

  it("contain the posture by frame number", () => {
    expect(of("q", [2], ["q1", "q3"])).toEqual([0.1, 0.3]);
    expect(of("qda", [1], ["qd3"])).toEqual([3]);
    expect(of("qdd", [2], ["qdd3", "qdd1"])).toEqual([30, 10]);
    expect(of("qm", [2], ["qm1", "qm3"])).toEqual([0.1, 0.3]);
    expect(of("q0", [2], ["q0_1", "q0_3"])).toEqual([0.1, 0.3]);
  });

  it("are rest, identity rotation, and the pose of the frame", () => {
    expect(of("tau", [2], ["tau1", "tau3"])).toEqual([0, 0]);
    expect(of("q", [1], ["q7"])).toEqual([0]);
    const nine = Array.from({ length: 9 }, (_, i) => `R0_${i}`);
    expect(of("R0", [3, 3], nine)).toEqual([1, 0, 0, 0, 1, 0, 0, 0, 1]);
    expect(of("Q0", [4], ["a", "b", "c", "d"])).toEqual([1, 0, 0, 0]);
    const sixteen = Array.from({ length: 16 }, (_, i) => `t${i}`);
    expect(of("T", [4, 4], sixteen)[15]).toBe(1);
    expect(of("T", [4, 4], sixteen, sixteen.map((_, i) => i))[7]).toBe(7);
  });

  it("fill only parameters that are zero", () => {
    expect(sampleValues(["M2", "ZZ2", "D3", "M3", "G3"], { M2: 0, M3: 5 }, { G3: 0 })).toEqual({ M2: 2, ZZ2: 0.1 });
  });

  it("convert a solution to all joint positions", () => {
    const outputs = { q: [1, 2, 3, 4, 5, 6], qc: [7, 8] };
    expect(solution(FOURBAR, [0, 0, 0, 0], outputs, 1)).toEqual([4, 5, 6, 8]);
  });
});

describe("displayed values", () => {
  it("have six digits, or are words", () => {
    expect([0, -0, 3.14159265, -12.5, 1e-5, 123456789].map((value) => formatNumber(value))).toEqual([
      "0", "0", "3.14159", "−12.5000", "1.0000e−5", "1.2346e+8",
    ]);
    expect([NaN, Infinity, -Infinity].map((value) => formatNumber(value))).toEqual(["undefined", "∞", "−∞"]);
    expect(formatNumber(6e-17, 1)).toBe("0");
    expect(formatNumber(6e-17, 1e-16)).toBe("6.0000e−17");
  });

  it("include the meaning of a status", () => {
    expect([...meanings("0 valid, 1 out of reach, 2 singular")]).toEqual([[0, "valid"], [1, "out of reach"], [2, "singular"]]);
    expect(meanings("1 where a joint is free").size).toBe(0);
    const words = meanings("0 valid, 1 out of reach, 2 singular, 3 empty slot");
    expect([0, 1, 2, 3, NaN].map((status) => isSolution(words, status))).toEqual([true, false, true, false, false]);
    expect(statusCounts(words, [3, 2, 2, 3])).toBe("0 valid, 2 singular, 2 empty slot");
  });

  it("copy the relations of base parameters as LaTeX", () => {
    const base = { names: ["ZZ1", "MX2"], latex: { ZZ1: "Z_{1} = Z + a", MX2: "X_{2}" } } as unknown as BaseAnswer;
    expect(relationsAsLatex(base)).toBe("\\begin{align*}\nZ_{1} &= Z + a \\\\\nX_{2}\n\\end{align*}\n");
  });

  it("are parsed from the explanation", () => {
    const explanation = parseExplanation([
      "formulation: link 1: basis K",
      "1. q1: type 2",
      "pass share_sums: 469 -> 466 operations",
      "the formulation of SYMORO+ has 263 multiplications and 242 additions; this model has 49 operations less",
    ]);
    expect(explanation.choices).toEqual(["link 1: basis K"]);
    expect(explanation.passes).toEqual([{ name: "share_sums", before: 469, after: 466 }]);
    expect(explanation.papers).toContain("49 operations less");
  });
});

describe("files", () => {
  const c = { "A_b.h": "x".repeat(9), "A_b.c": "x".repeat(20), "A_b_batch.c": "x".repeat(30), "A_b_example.c": "x" };

  it("are distinguished by their ending", () => {
    expect(endings(Object.keys(c))).toEqual([".h", ".c", "_batch.c", "_example.c"]);
    expect(endings(["A.b.m"])).toEqual([".m"]);
    expect(endings(["x.js", "x.d.ts"])).toEqual([".js", ".d.ts"]);
  });

  it("open with the model itself, or with the file shown before", () => {
    expect(fileOf(c, "")).toBe("A_b.c");
    expect(fileOf(c, "_batch.c")).toBe("A_b_batch.c");
    expect(fileOf({ "x.py": "" }, ".c")).toBe("x.py");
    expect(fileOf({}, ".c")).toBe("");
  });

  it("have the grammar of their ending", () => {
    expect(["a.c", "a.h", "a.hpp", "a.f90", "a.m", "a.d.ts", "a.js", "a.wl", "a.mpl", "a.txt"].map(grammarOf)).toEqual([
      "c", "c", "cpp", "fortran", "matlab", "typescript", "javascript", "mathematica", undefined, undefined,
    ]);
  });
});
