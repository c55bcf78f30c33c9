import { expect, it } from "vitest";

import { Failure, type Backend } from "./backend";
import { withEmittedSolutions } from "./solve";

// Two postures of a planar arm as emitted code: the second one is not valid.
const SOURCE = `
export const INPUTS = { T: [4, 4], q0: [1] };
export const OUTPUTS = { q: [2, 1], status: [2], residual: [2] };
export const call = (T) => ({ q: Float64Array.of(T[3], -1), status: Float64Array.of(0, 1), residual: Float64Array.of(0, 0) });
`;
const POSE = [[1, 0, 0, 7], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]];
const dataAddress = (source: string): string => `data:text/javascript,${encodeURIComponent(source)}`;

function created(closedForm: boolean): { backend: Backend; called: string[] } {
  const called: string[] = [];
  const python: Backend = {
    async call<T>(name: string) {
      called.push(name);
      if (name === "solve") return { method: "numeric", solutions: [] } as T;
      if (!closedForm) throw new Failure({ kind: "NotApplicableError", message: "no closed form" });
      return { files: { "a.js": SOURCE }, inputs: { T: { shape: [4, 4], entries: [] }, q0: { shape: [1], entries: ["q1"] } } } as T;
    },
  };
  return { called, backend: withEmittedSolutions(python, dataAddress) };
}

it("computes the valid solutions by emitted code", async () => {
  const { backend, called } = created(true);
  const answer = await backend.call("solve", { robot: {}, pose: POSE, q0: [0] });
  expect(answer).toMatchObject({ method: "closed form", complete: true, solutions: [{ q: [7], status: "valid" }] });
  expect(called).toEqual(["code"]);
});

it("asks symoro without a closed form, and for robots with loops or with more than six joints", async () => {
  const without = created(false);
  await without.backend.call("solve", { robot: {}, pose: POSE, q0: [0] });
  expect(without.called).toEqual(["code", "solve"]);
  const other = created(true);
  await other.backend.call("solve", { robot: { loops: [] }, pose: POSE, q0: [0] });
  await other.backend.call("solve", { robot: {}, pose: POSE, q0: [0, 0, 0, 0, 0, 0, 0] });
  expect(other.called).toEqual(["solve", "solve"]);
});
