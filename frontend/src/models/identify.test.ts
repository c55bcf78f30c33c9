import { expect, it } from "vitest";

import { compared } from "./identify";

it("compares what was measured with what is predicted, gaps included", () => {
  const curves = compared({ measured: [[1, 2], [3, null]], predicted: [[0.5, 1], [1, 1]] }, 1);
  expect(curves.map(({ values }) => values)).toEqual([[2, null], [1, 1], [1, null]]);
  expect(curves.map(({ label }) => label)).toEqual(["measured", "predicted", "residual"]);
});
