import { expect, it } from "vitest";

import { compared, summary } from "./identify";

it("compares what was measured with what is predicted, gaps included", () => {
  const curves = compared({ measured: [[1, 2], [3, null]], predicted: [[0.5, 1], [1, 1]] }, 1);
  expect(curves.map(({ values }) => values)).toEqual([[2, null], [1, 1], [1, null]]);
  expect(curves.map(({ label }) => label)).toEqual(["measured", "predicted", "residual"]);
});

it("says in a line how much is left over", () => {
  const residuals = { kept: 0.0561, all: 0.0899, held_out: null };
  expect(summary({ parameters: [], residuals })).toBe(
    "0 parameters; weighted residual 5.6 % on rows that were kept, 9.0 % on all rows",
  );
});
