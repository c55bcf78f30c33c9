import { expect, it } from "vitest";

import { compared, summary } from "./identify";

it("compares measured and predicted torques, including gaps", () => {
  const curves = compared({ measured: [[1, 2], [3, null]], predicted: [[0.5, 1], [1, 1]] }, 1);
  expect(curves.map(({ values }) => values)).toEqual([[2, null], [1, 1], [1, null]]);
  expect(curves.map(({ label }) => label)).toEqual(["measured", "predicted", "residual"]);
});

it("summarises the residuals in one line", () => {
  const residuals = { kept: 0.0561, all: 0.0899, held_out: null };
  expect(summary({ parameters: [], residuals })).toBe(
    "0 parameters; weighted residual 5.6 % on the samples used, 9.0 % on all samples",
  );
});
