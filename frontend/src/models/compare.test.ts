import { expect, it } from "vitest";

import { sampleBackend } from "../store/sample";
import { createStore } from "../store/store";
import { firstComparison, ratio } from "./compare";

it("compares the requested model with another open one, or with itself", () => {
  const store = createStore(sampleBackend());
  expect(firstComparison(store)).toBeNull();
  store.requested.value = { model: "jacobian", options: { to: 1 } };
  expect(firstComparison(store)!.map(({ model }) => model)).toEqual(["jacobian", "jacobian"]);
  store.requested.value = { model: "inverse-dynamics", options: {} };
  expect(firstComparison(store)).toEqual([
    { robot: "", model: "inverse-dynamics", options: {} },
    { robot: "", model: "jacobian", options: { to: 1 } },
  ]);
});

it("writes a count as a multiple of another count", () => {
  expect(ratio(150, 100)).toBe("1.50");
  expect(ratio(0, 0)).toBe("1.00");
  expect(ratio(3, 0)).toBe("–");
});
